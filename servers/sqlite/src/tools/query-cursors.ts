import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { canonicalJson, ToolError, type JsonObject } from '@signalbox/mcp-core';

/** The position of the next page of a query. */
export interface QueryPosition {
  /** Number of rows before the page. */
  readonly skip: number;
  /** State of the database file at the first page. */
  readonly firstState: string;
}

const MAC_BYTES = 16;

/**
 * Issues and reads the cursors of `read_query`. A cursor is signed, and valid for exactly the
 * statement, parameters and database that it was issued for.
 */
export class QueryCursors {
  readonly #keys: readonly (string | Uint8Array)[];

  /** The first key signs; the others are accepted too. Default: a random key. */
  constructor(keys: readonly string[] = []) {
    this.#keys = keys.length === 0 ? [randomBytes(32)] : keys;
  }

  issue(query: JsonObject, { skip, firstState }: QueryPosition): string {
    const payload = Buffer.from(JSON.stringify([skip, firstState]));
    const [key = ''] = this.#keys;
    return Buffer.concat([sign(key, query, payload), payload]).toString('base64url');
  }

  /** @throws ToolError for a cursor that was not issued for this query */
  read(query: JsonObject, cursor: string): QueryPosition {
    const bytes = Buffer.from(cursor, 'base64url');
    const mac = bytes.subarray(0, MAC_BYTES);
    const payload = bytes.subarray(MAC_BYTES);
    const isValid =
      mac.length === MAC_BYTES &&
      this.#keys.some((key) => timingSafeEqual(mac, sign(key, query, payload)));
    if (!isValid)
      throw new ToolError(
        'The cursor is not valid for this query, params and database. Call again without it.',
      );
    // The signature shows that `issue` wrote it.
    const [skip, firstState] = JSON.parse(payload.toString()) as [number, string];
    return { skip, firstState };
  }
}

function sign(key: string | Uint8Array, query: JsonObject, payload: Uint8Array): Buffer {
  const digest = createHash('sha256').update(canonicalJson(query)).digest();
  return createHmac('sha256', key)
    .update('read_query cursor')
    .update(digest)
    .update(payload)
    .digest()
    .subarray(0, MAC_BYTES);
}

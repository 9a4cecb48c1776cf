import type { Codec } from '../era/codec.ts';
import { withJsonText } from '../jsonrpc/json-text.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Implementation } from '../protocol/capabilities.ts';
import { ErrorCode, ProtocolError } from '../protocol/errors.ts';

/** How long a client may reuse what does not change while the process lives. */
export const STATIC_CACHE_HINTS = { ttlMs: 60_000, cacheScope: 'public' } as const;

export interface PublishedListOptions {
  readonly method: 'tools/list' | 'prompts/list';
  readonly member: 'tools' | 'prompts';
  readonly info: Implementation;
  /** Entries on a page; `undefined` puts all on one. */
  readonly pageSize: number | undefined;
}

/**
 * A list sorted by name, on pages that are encoded and serialized once for each revision. A cursor names the last entry of its page, so it stays good when
 * the list is replaced.
 */
export class PublishedList {
  readonly #entries: readonly { readonly name: string }[];
  readonly #options: PublishedListOptions;
  readonly #pageSize: number;
  readonly #encoded = new Map<Codec, Map<number, JsonObject>>();

  constructor(entries: readonly { readonly name: string }[], options: PublishedListOptions) {
    this.#entries = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.#options = options;
    this.#pageSize = options.pageSize ?? Infinity;
  }

  /** The encoded page; without a cursor the first. @throws ProtocolError -32602 for a cursor that was not issued here. */
  page(cursor: string | undefined, codec: Codec): JsonObject {
    const start = cursor === undefined || cursor === '' ? 0 : this.#startAfter(readCursorName(cursor));
    const known = this.#encoded.get(codec)?.get(start);
    if (known !== undefined) return known;
    const { method, info } = this.#options;
    const encoded = codec.encodeResult(method, this.#page(start), { serverInfo: info });
    // After a replacement a cursor may begin a page anywhere: those are not worth keeping.
    return start % this.#pageSize === 0 ? this.#keep(start, codec, encoded) : encoded;
  }

  #keep(start: number, codec: Codec, encoded: JsonObject): JsonObject {
    const pages = this.#encoded.get(codec) ?? new Map<number, JsonObject>();
    this.#encoded.set(codec, pages);
    const prepared = withJsonText(encoded);
    pages.set(start, prepared);
    return prepared;
  }

  #page(start: number): JsonObject {
    const entries = this.#entries.slice(start, start + this.#pageSize);
    const last = entries.at(-1);
    const hasMore = last !== undefined && start + entries.length < this.#entries.length;
    return { [this.#options.member]: entries, ...(hasMore ? { nextCursor: cursorAfter(last.name) } : {}), ...STATIC_CACHE_HINTS };
  }

  #startAfter(name: string): number {
    const next = this.#entries.findIndex((entry) => entry.name > name);
    return next === -1 ? this.#entries.length : next;
  }
}

const PREFIX = 'after ';

function cursorAfter(name: string): string {
  return Buffer.from(`${PREFIX}${name}`).toString('base64url');
}

function readCursorName(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const name = text.slice(PREFIX.length);
  if (!text.startsWith(PREFIX) || cursorAfter(name) !== cursor) throw new ProtocolError(ErrorCode.invalidParams, 'Invalid params: unknown cursor');
  return name;
}

import type { Codec } from '../../era/codec.ts';
import { withJsonText } from '../../jsonrpc/json-text.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import { assertPageSize, pageAfter } from './pagination.ts';

/** Cache hints of lists that change only with an announcement. */
export const STATIC_CACHE_HINTS = { ttlMs: 60_000, cacheScope: 'public' } as const;

/** The neutral form of encoded pages. */
const NEUTRAL = new WeakMap<JsonObject, JsonObject>();

/** Returns the neutral form of a page that a `PublishedList` encoded. */
export function neutralPage(result: JsonObject): JsonObject | undefined {
  return NEUTRAL.get(result);
}

export interface PublishedListOptions {
  readonly method: 'tools/list' | 'prompts/list';
  readonly member: 'tools' | 'prompts';
  readonly info: Implementation;
  /** Entries on a page; `undefined` for a single page. */
  readonly pageSize: number | undefined;
}

/** A list sorted by name whose pages are encoded and serialized once for each revision. */
export class PublishedList {
  readonly #entries: readonly { readonly name: string }[];
  readonly #options: PublishedListOptions;
  readonly #encoded = new Map<Codec, Map<string, JsonObject>>();
  /** The issued cursors: only their pages are stored. */
  readonly #issued = new Set(['']);

  /** @throws Error for a page size that is not a positive integer */
  constructor(entries: readonly { readonly name: string }[], options: PublishedListOptions) {
    assertPageSize(options.pageSize);
    this.#entries = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.#options = options;
  }

  /** Returns the encoded page after the cursor. @throws ProtocolError -32602 for a cursor that this server did not issue */
  page(cursor = '', codec: Codec): JsonObject {
    const known = this.#encoded.get(codec)?.get(cursor);
    if (known !== undefined) return known;
    const { method, member, info, pageSize } = this.#options;
    const { entries, nextCursor } = pageAfter(cursor, {
      entries: this.#entries,
      keyOf: ({ name }) => name,
      pageSize,
    });
    const page = {
      [member]: entries,
      ...(nextCursor === undefined ? {} : { nextCursor }),
      ...STATIC_CACHE_HINTS,
    };
    const encoded = withJsonText(codec.encodeResult(method, page, { serverInfo: info }));
    NEUTRAL.set(encoded, page);
    if (this.#issued.has(cursor)) this.#store(cursor, codec, encoded);
    if (this.#issued.has(cursor) && nextCursor !== undefined) this.#issued.add(nextCursor);
    return encoded;
  }

  #store(cursor: string, codec: Codec, encoded: JsonObject): void {
    const pages = this.#encoded.get(codec) ?? new Map<string, JsonObject>();
    this.#encoded.set(codec, pages.set(cursor, encoded));
  }
}

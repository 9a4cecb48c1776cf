/** A page of a list. */
export interface Page<Entry> {
  readonly data: readonly Entry[];
  /** Cursor of the next page; absent on the last page. */
  readonly next_cursor?: string;
}

/**
 * Yields the entries of all pages of a list. A page is requested when its first entry is awaited.
 * @example
 * ```ts
 * import { createClient, paginate, unwrap } from '@signalbox/client';
 *
 * const { api } = createClient({ baseUrl: 'http://127.0.0.1:8020' });
 * for await (const tool of paginate((at) => unwrap(api.GET('/v1/tools', { params: { query: at } }))))
 *   console.log(tool.name);
 * ```
 */
export async function* paginate<Entry>(
  request: (at: { cursor?: string }) => Promise<Page<Entry>>,
): AsyncGenerator<Entry, void> {
  let at: { cursor?: string } = {};
  for (;;) {
    const { data, next_cursor: cursor } = await request(at);
    yield* data;
    if (cursor === undefined) return;
    at = { cursor };
  }
}

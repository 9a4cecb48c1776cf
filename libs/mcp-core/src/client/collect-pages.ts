import type { JsonObject } from '../jsonrpc/messages.ts';
import { LocalError } from '../protocol/errors.ts';

/** Far beyond any real list, so that a server cannot keep a client fetching for ever. */
const MAX_PAGES = 10_000;

/**
 * Fetches every page of a list, one after the other. The empty string is a cursor.
 * @throws LocalError `invalid-response` when the server repeats a cursor or never ends.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */
export async function collectPages(fetchPage: (params: JsonObject) => Promise<JsonObject>): Promise<readonly JsonObject[]> {
  const cursors = new Set<unknown>();
  const pages = [await fetchPage({})];
  for (let cursor = pages[0]?.nextCursor; cursor !== undefined; cursor = pages.at(-1)?.nextCursor) {
    if (cursors.has(cursor) || cursors.size === MAX_PAGES) {
      throw new LocalError('invalid-response', `The server's list does not end: page ${pages.length} points to cursor ${JSON.stringify(cursor)}.`, { sent: true });
    }
    cursors.add(cursor);
    pages.push(await fetchPage({ cursor }));
  }
  return pages;
}

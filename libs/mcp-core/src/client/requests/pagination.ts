import type { JsonObject } from '../../jsonrpc/messages.ts';
import { costOf } from '../../jsonrpc/message-limits.ts';
import { LocalError, shorten } from '../../protocol/errors.ts';

/** Far beyond any real list; bounds the work that a server can cause. */
const MAX_PAGES = 10_000;
const MAX_ITEMS = 250_000;
/** Maximum bytes of all pages; each JSON value counts as at least 16. */
const MAX_COST = 16 * 1024 * 1024;
/** Maximum characters of all cursors, which are kept to find repeated cursors. */
const MAX_CURSORS = 4 * 1024 * 1024;

type FetchPage = (params: JsonObject) => Promise<JsonObject>;

/**
 * Fetches every page of a list, one after the other, and joins the items in `member`. The empty string is a valid cursor.
 * @throws LocalError `invalid-response` when the server repeats a cursor or sends more than 10,000 pages, 250,000 items or 16 MiB, where each JSON value
 *   counts as at least 16 bytes. A page is counted before it is stored.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */
export async function collectPages(
  member: string,
  fetchPage: FetchPage,
): Promise<readonly unknown[]> {
  const first = await fetchPage({});
  const items = itemsOf(first, member);
  if (first.nextCursor === undefined) return items;
  const all = [...items];
  let cost = costOfPage(first);
  let count = 1;
  for await (const page of pagesAfter(first, fetchPage)) {
    const more = itemsOf(page, member);
    cost += costOfPage(page);
    count += 1;
    if (all.length + more.length > MAX_ITEMS || cost > MAX_COST)
      throw endless(`its first ${count} pages are too large to be kept`);
    for (const item of more) all.push(item);
  }
  return all;
}

/**
 * Fetches the pages of a list one after the other, each when it is read, from the beginning or from a cursor.
 * @throws LocalError `invalid-response` when the server repeats a cursor or sends more than 10,000 pages, or cursors of more than 4 Mi characters together
 */
export async function* readPages(
  fetchPage: FetchPage,
  cursor?: string,
): AsyncGenerator<JsonObject> {
  const first = await fetchPage(cursor === undefined ? {} : { cursor });
  yield first;
  yield* pagesAfter(first, fetchPage, cursor);
}

async function* pagesAfter(
  first: JsonObject,
  fetchPage: FetchPage,
  ...known: readonly unknown[]
): AsyncGenerator<JsonObject> {
  const cursors = new Set<unknown>(known);
  let characters = 0;
  let count = 1;
  for (let cursor: unknown = first.nextCursor; cursor !== undefined;) {
    if (cursors.has(cursor))
      throw endless(`page ${count} points to cursor ${shorten(JSON.stringify(cursor))} again`);
    if (count >= MAX_PAGES) throw endless(`it has more than ${count} pages`);
    if (typeof cursor === 'string') characters += cursor.length;
    if (characters > MAX_CURSORS)
      throw endless(`the cursors of its first ${count} pages are too long to be kept`);
    cursors.add(cursor);
    const page = await fetchPage({ cursor });
    count += 1;
    // Some servers name an empty cursor on the last page and take it for none: the list begins again.
    if (cursor === '' && cursors.has(page.nextCursor)) return;
    yield page;
    cursor = page.nextCursor;
  }
}

/** Returns the items of a page; the codec has checked that they are a list. */
function itemsOf(page: JsonObject, member: string): readonly unknown[] {
  return page[member] as readonly unknown[];
}

function costOfPage(page: JsonObject): number {
  return costOf(JSON.stringify(page));
}

function endless(detail: string): LocalError {
  return new LocalError('invalid-response', `The server's list does not end: ${detail}.`, {
    sent: true,
  });
}

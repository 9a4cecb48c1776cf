import type { Shape } from '../client-face.ts';

/** Returns all entries of a list, page by page. */
export async function collectPages(
  ask: (page: { cursor?: string }) => Promise<Shape>,
  member: string,
): Promise<readonly Shape[]> {
  const entries: Shape[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask(cursor === undefined ? {} : { cursor });
    entries.push(...(page[member] as readonly Shape[]));
    cursor = page.nextCursor as string | undefined;
  } while (cursor !== undefined);
  return entries;
}

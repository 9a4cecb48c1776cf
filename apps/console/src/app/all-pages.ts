import { paginate, type Page } from '@signalbox/client';

/** Returns the entries of all pages of a list, for lists that a page of the console shows as a whole. */
export async function allPages<Entry>(
  request: (at: { cursor?: string }) => Promise<Page<Entry>>,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of paginate(request)) entries.push(entry);
  return entries;
}

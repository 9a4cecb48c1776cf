import type { PinnedPath } from '../opener/pinned-path.ts';

/**
 * Returns the only entry of a directory with the same name in another Unicode normalization: file
 * systems store `é` as one character or as two, and people and models write both. `undefined` for
 * none or more than one.
 */
export async function findEquivalentName(
  directory: PinnedPath,
  name: string,
): Promise<string | undefined> {
  if (!canBeSpelledOtherwise(name) || !directory.stats.isDirectory()) return undefined;
  const wanted = name.normalize('NFC');
  let found: string | undefined;
  for await (const entry of await directory.entries()) {
    if (entry.name.normalize('NFC') !== wanted) continue;
    if (found !== undefined) return undefined;
    found = entry.name;
  }
  return found;
}

/** Whether another normalization of a text may differ from it; false for ASCII. */
export function canBeSpelledOtherwise(text: string): boolean {
  return /[^\0-\x7f]/.test(text);
}

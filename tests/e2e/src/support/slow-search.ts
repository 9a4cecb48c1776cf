import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The server reports its progress after each thousand entries. */
const QUICK = 1000;
const SLOW = 1500;
const DIRECTORIES = 10;

/** Entries of the folder that `writeSlowFolder` fills. */
export const SLOW_FOLDER_ENTRIES = QUICK + DIRECTORIES + SLOW;

/** Arguments of a search in such a folder that reports progress soon and then takes some seconds: names and exclusions that are slow to compare. */
export const slowSearch = {
  path: '.',
  pattern: '*.none',
  excludePatterns: Array.from({ length: 95 }, (_, index) => `**/*${'a'.repeat(20)}b${index}`),
};

export function writeSlowFolder(folder: string): void {
  mkdirSync(folder);
  // A search reads a folder before those in it.
  for (let file = 0; file < QUICK; file += 1) writeFileSync(join(folder, String(file)), '');
  for (let directory = 0; directory < DIRECTORIES; directory += 1) {
    mkdirSync(join(folder, `d${directory}`));
    for (let file = 0; file < SLOW / DIRECTORIES; file += 1)
      writeFileSync(join(folder, `d${directory}`, `${'a'.repeat(40)}-${file}`), '');
  }
}

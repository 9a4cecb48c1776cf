import { globSync, lstatSync } from 'node:fs';
import { join } from 'node:path';

/** Megabytes (10⁶ bytes) that the image must stay under, uncompressed. */
export const SIZE_LIMIT_MB = 250;

/** Megabytes of the image debian:trixie-slim, uncompressed, rounded up. */
const BASE_MB = 85;

/** Returns the megabytes of the base image and of the parts of a folder with everything that was added to it. */
export function sizeTable(added: string): readonly (readonly [string, number])[] {
  const megabytes = (path: string): number => bytesOf(join(added, path)) / 1e6;
  const parts = [
    ['node', megabytes('usr/local')],
    ['packages and their dependencies', megabytes('opt')],
  ] as const;
  const known = parts.reduce((sum, [, size]) => sum + size, 0);
  return [
    ['debian slim (not measured here)', BASE_MB],
    ...parts,
    ['tini, user, and the records of dpkg', megabytes('.') - known],
  ];
}

/** Returns the bytes of the files under a folder. Files that an overlay deleted are character devices and do not count. */
export function bytesOf(folder: string): number {
  return globSync('**/*', { cwd: folder })
    .map((path) => lstatSync(join(folder, path)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
}

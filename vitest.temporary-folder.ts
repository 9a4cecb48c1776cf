import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endLeftovers } from './vitest.leftovers.ts';

/**
 * Gives the tests of a run a temporary folder of their own, and another for databases and the folders of services; returns a function that removes both with all that the tests left there,
 * processes too. Called for each package; the first call in a run does it for all.
 */
export function setup(): (() => void) | undefined {
  if (process.env['TEST_DATABASES'] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-tests-'));
  const databases = mkdtempSync(join(hasRoomInMemory() ? MEMORY : folder, 'signalbox-tests-'));
  // Written when the last process ends, after the folder is removed.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder;
  process.env['TEST_DATABASES'] = databases;
  return () => {
    const folders = [databases, folder];
    for (const command of folders.flatMap(endLeftovers))
      console.error(`left by a test, ended: ${command}`);
    for (const path of folders) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** A file system in memory, where Linux has it: more than a thousand databases are written and never read again after their test. A killed process loses nothing there. */
const MEMORY = '/dev/shm';

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > 2 ** 31;
  } catch {
    return false;
  }
}

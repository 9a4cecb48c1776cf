import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives the tests of one package a temporary folder of their own; returns what removes it with all that they left there. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-tests-'));
  // Written when the last process ends, after the folder is removed.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

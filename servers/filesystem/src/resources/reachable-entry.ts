import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { PinnedPath, Sandbox } from '@signalbox/file-sandbox';

/**
 * Returns the allowed file or directory that an entry of a verified directory leads to; `undefined`
 * for anything else, such as denied entries and links that lead outside or nowhere.
 */
export async function reachableEntry(
  sandbox: Sandbox,
  directory: PinnedPath,
  name: string,
): Promise<Stats | undefined> {
  const realPath = path.join(directory.realPath, name);
  if (sandbox.isDenied(realPath)) return undefined;
  const stats = await lstat(path.join(directory.address, name)).catch(() => undefined);
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return stats;
  if (!stats.isSymbolicLink()) return undefined;
  const target = await sandbox.pin(realPath).catch(() => undefined);
  await target?.close();
  return target?.stats.isFile() || target?.stats.isDirectory() ? target.stats : undefined;
}

import type { Sandbox } from '@signalbox/file-sandbox';

/**
 * Verifies that a path exists before the user is asked about it.
 * @throws PathError
 */
export async function requireEntry(sandbox: Sandbox, path: string): Promise<void> {
  const { directory } = await sandbox.entry(path);
  await directory.close();
}

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { FileLocks, ProcessLocks } from '@signalbox/file-sandbox';
import { createToolCaller } from '../src/testing/call-tool.ts';

/**
 * Applies parallel edits to one file, each with its own server, and returns how many of them
 * survive. `isLocked`: the servers use a shared lock.
 */
export async function survivingEdits(edits: number, isLocked: boolean): Promise<number> {
  const lines = Array.from({ length: edits }, (_, index) => `L${index}=0\n`);
  await using folders = await createTemporaryFolders({ root: { 'n.txt': lines.join('') } });
  const noLock = new ProcessLocks({ tryLock: () => Promise.resolve(() => Promise.resolve()) });
  const edit = async (index: number) => {
    const tools = await createToolCaller(
      [folders.root],
      isLocked ? {} : { locks: new FileLocks(noLock) },
    );
    await tools.call('edit_file', {
      path: 'n.txt',
      edits: [{ oldText: `L${index}=0\n`, newText: `L${index}=1\n` }],
    });
  };
  await Promise.allSettled(lines.map((_line, index) => edit(index)));
  const after = await readFile(path.join(folders.root, 'n.txt'), 'utf8');
  return after.split('\n').filter((line) => line.endsWith('=1')).length;
}

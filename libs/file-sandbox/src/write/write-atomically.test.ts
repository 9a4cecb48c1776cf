import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { createTemporaryFolders } from '../testing/temporary-folders.ts';

test('killed between temporary file and rename, the old file is whole and the temporary one recognisable', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': 'old content' } });
  const source = (file: string) =>
    JSON.stringify(pathToFileURL(path.join(import.meta.dirname, '..', file)).href);
  const script = path.join(folders.outside, 'write.mjs');
  // The last check of the signal is right before the rename.
  await writeFile(
    script,
    `import { readdirSync } from 'node:fs';
     import { chooseOpener } from ${source('opener/choose-opener.ts')};
     import { findAllowedDirectories } from ${source('sandbox/allowed-directories.ts')};
     import { createSandboxBase } from ${source('sandbox/sandbox-base.ts')};
     import { Sandbox } from ${source('sandbox/sandbox.ts')};
     import { writeAtomically } from ${source('write/write-atomically.ts')};
     const [root] = process.argv.slice(2);
     const opener = await chooseOpener('/');
     const { directories } = await findAllowedDirectories([root], opener);
     const sandbox = new Sandbox(directories, 'cli', createSandboxBase(opener));
     const signal = new AbortController().signal;
     Object.defineProperty(signal, 'throwIfAborted', { value: () => { if (readdirSync(root).length > 1) process.kill(process.pid, 'SIGKILL'); } });
     await writeAtomically(sandbox, { path: 'a.txt', content: Buffer.from('new content') }, { createParents: false, signal });
    `,
  );
  const child = spawn(process.execPath, [script, folders.root], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  expect(await readFile(path.join(folders.root, 'a.txt'), 'utf8')).toBe('old content');
  expect((await readdir(folders.root)).toSorted()).toEqual([
    expect.stringMatching(/^\.signalbox-.*\.tmp$/) as string,
    'a.txt',
  ]);
});

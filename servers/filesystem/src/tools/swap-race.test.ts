import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import { createTemporaryFolders, startSwapper } from '@signalbox/file-sandbox/testing';
import { hasKernelHandles, isInside, kernelHandleOpener } from '@signalbox/file-sandbox';
import { expect, test } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';

const secret = 'OUTSIDE-SECRET';
const attempts = 400;

test.runIf(await hasKernelHandles('/'))(
  'no read and no write leaves the sandbox while a directory is swapped with a link',
  async () => {
    await using folders = await createTemporaryFolders({
      root: { 'd/x.txt': 'inside' },
      outside: { 'x.txt': secret, 'deep/x.txt': secret },
    });
    await mkdir(path.join(folders.root, 'd/deep'));
    await symlink(folders.outside, path.join(folders.root, 'link'));
    const tools = await createToolCaller([folders.root], { opener: kernelHandleOpener });
    await using swapper = await startSwapper(folders.root);
    const answers: string[] = [];
    let inside = 0;
    let denied = 0;
    const attempt = async (round: number) => {
      const kinds = [
        () => tools.call('read_text_file', { path: 'd/x.txt' }),
        () => tools.call('write_file', { path: `d/new-${round}.txt`, content: 'w' }),
        () => tools.call('write_file', { path: 'd/x.txt', content: 'inside' }),
        () =>
          tools.call('write_file', {
            path: `d/deep/${round}/w.txt`,
            content: 'w',
            createParents: true,
          }),
        () => tools.call('list_directory', { path: 'd' }),
        () => tools.call('search_files', { path: '.', pattern: '**/*.txt' }),
      ];
      try {
        answers.push((await kinds[round % kinds.length]!()).text);
        inside++;
      } catch (error) {
        answers.push(String(error));
        denied++;
      }
    };
    for (let round = 0; round < attempts; round += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => attempt(round + index)));
    }
    const swaps = await swapper.stop();
    expect(swaps).toBeGreaterThan(20);
    expect(answers).toHaveLength(attempts);
    expect(inside).toBeGreaterThan(0);
    expect(denied).toBeGreaterThan(0);
    expect(answers.filter((answer) => answer.includes(secret))).toEqual([]);
    expect(await readFile(path.join(folders.outside, 'x.txt'), 'utf8')).toBe(secret);
    expect((await readdir(folders.outside)).toSorted()).toEqual(['deep', 'x.txt']);
    expect(await readdir(path.join(folders.outside, 'deep'))).toEqual(['x.txt']);
    expect((await readdir(folders.root)).toSorted()).toEqual(['d', 'link']);
  },
);

test('the same swap defeats checking the path before opening it', async () => {
  await using folders = await createTemporaryFolders({
    root: { 'd/x.txt': 'inside' },
    outside: { 'x.txt': secret },
  });
  await symlink(folders.outside, path.join(folders.root, 'link'));
  await using swapper = await startSwapper(folders.root);
  let hasLeaked = false;
  while (!hasLeaked) {
    const contents = await Promise.all(
      Array.from({ length: 60 }, () =>
        checkThenOpen(path.join(folders.root, 'd/x.txt'), folders.root),
      ),
    );
    hasLeaked = contents.includes(secret);
  }
  await swapper.stop();
  expect(hasLeaked).toBe(true);
});

async function checkThenOpen(file: string, root: string): Promise<string> {
  try {
    if (!isInside(await realpath(file), root)) return '';
    await using handle = await open(file, constants.O_RDONLY);
    return await handle.readFile('utf8');
  } catch {
    return '';
  }
}

import {
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  symlink,
  unlink,
} from 'node:fs/promises';
import path from 'node:path';
import { createTemporaryFolders, startSwapper } from '@signalbox/file-sandbox/testing';
import {
  hasKernelHandles,
  isInside,
  kernelHandleOpener,
  type Opener,
} from '@signalbox/file-sandbox';
import { expect, test } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';

const hasHandles = await hasKernelHandles('/');

test.runIf(hasHandles)(
  'no edit, append, move, copy or deletion leaves the sandbox while a directory is swapped with a link',
  async () => {
    const attempts = 400;
    const names = Array.from({ length: attempts }, (_, index) => index);
    await using folders = await createTemporaryFolders({
      root: {
        'd/x.txt': 'same',
        't/1.txt': '1',
        ...Object.fromEntries(names.map((index) => [`free/${index}.txt`, 'free'])),
      },
      outside: { 'x.txt': 'same', 'deep/x.txt': 'same', 'keep.txt': 'same' },
    });
    await symlink(folders.outside, path.join(folders.root, 'link'));
    const tools = await createToolCaller([folders.root], { opener: kernelHandleOpener });
    const kinds = [
      (round: number) =>
        tools.call('edit_file', {
          path: 'd/x.txt',
          edits: [{ oldText: 'same', newText: `same ${round}` }],
        }),
      () => tools.call('append_file', { path: 'd/x.txt', content: '.' }),
      (round: number) =>
        tools.call('move_file', {
          source: `free/${round}.txt`,
          destination: `d/moved-${round}.txt`,
        }),
      (round: number) =>
        tools.call('copy_file', { source: 't', destination: `d/copy-${round}`, recursive: true }),
      (round: number) =>
        tools.call('copy_file', { source: 'd', destination: `seen-${round}`, recursive: true }),
      (round: number) => tools.call('create_directory', { path: `d/deep/${round}` }),
      () => tools.call('delete_file', { path: 'd/deep', recursive: true }),
      () => tools.call('delete_file', { path: 'd/keep.txt' }),
      () => tools.call('move_file', { source: 'd/keep.txt', destination: 'stolen.txt' }),
      () => tools.call('write_file', { path: 'd/x.txt', content: 'same' }),
    ];
    let done = 0;
    let failed = 0;
    let swaps = 0;
    {
      await using swapper = await startSwapper(folders.root);
      for (let round = 0; round < attempts; round += 20) {
        const calls = Array.from({ length: 20 }, (_, index) =>
          kinds[(round + index) % kinds.length]!(round + index),
        );
        for (const { status } of await Promise.allSettled(calls)) {
          if (status === 'fulfilled') done++;
          else failed++;
        }
      }
      swaps = await swapper.stop();
    }
    expect(swaps).toBeGreaterThan(20);
    expect(done).toBeGreaterThan(0);
    expect(failed).toBeGreaterThan(0);
    expect((await readdir(folders.outside, { recursive: true })).toSorted()).toEqual([
      'deep',
      'deep/x.txt',
      'keep.txt',
      'x.txt',
    ]);
    for (const name of ['x.txt', 'deep/x.txt', 'keep.txt'])
      expect(await readFile(path.join(folders.outside, name), 'utf8')).toBe('same');
    const copied = (await readdir(folders.root, { recursive: true })).filter(
      (name) => name.endsWith('keep.txt') && !name.startsWith('link') && !name.startsWith('d/'),
    );
    expect(copied).toEqual([]);
  },
);

/** Replaces `root/t/victim` by a link to `outside`. */
async function swapVictim(folders: {
  readonly root: string;
  readonly outside: string;
}): Promise<void> {
  const victim = path.join(folders.root, 't/victim');
  await rename(victim, path.join(folders.root, 'away'));
  await symlink(folders.outside, victim);
}

test.runIf(hasHandles)(
  'a deletion does not follow a directory that becomes a link meanwhile',
  async () => {
    await using folders = await createTemporaryFolders({
      root: { 't/victim/a.txt': 'mine' },
      outside: { 'a.txt': 'theirs' },
    });
    let looks = 0;
    const opener: Opener = {
      ...kernelHandleOpener,
      async pin(given, options) {
        // The first pin counts, the second removes.
        if (given.endsWith('/victim') && ++looks === 2) await swapVictim(folders);
        return kernelHandleOpener.pin(given, options);
      },
    };
    const tools = await createToolCaller([folders.root], { opener });
    await expect(tools.call('delete_file', { path: 't', recursive: true })).rejects.toThrow(
      'Access denied',
    );
    expect(looks).toBe(2);
    expect(await readFile(path.join(folders.outside, 'a.txt'), 'utf8')).toBe('theirs');
    expect(
      (await tools.call('delete_file', { path: 't', recursive: true })).structured,
    ).toMatchObject({ removed: 2 });
    expect(await readFile(path.join(folders.outside, 'a.txt'), 'utf8')).toBe('theirs');
  },
);

test('the same swap defeats a deletion by path', async () => {
  await using folders = await createTemporaryFolders({
    root: { 't/victim/a.txt': 'mine' },
    outside: { 'a.txt': 'theirs' },
  });
  const victim = path.join(folders.root, 't/victim');
  expect((await lstat(victim)).isDirectory()).toBe(true);
  await swapVictim(folders);
  for (const name of await readdir(victim)) await unlink(path.join(victim, name));
  expect(await readdir(folders.outside)).toEqual([]);
});

test('the same swapping defeats a copy that checks the path before it creates', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': 'A', 'd/x.txt': '' } });
  await symlink(folders.outside, path.join(folders.root, 'link'));
  await mkdir(path.join(folders.outside, 'empty'));
  await using swapper = await startSwapper(folders.root);
  let escaped = 0;
  for (let round = 0; escaped === 0; round++) {
    const copies = Array.from({ length: 20 }, async (_, index) => {
      const directory = path.join(folders.root, 'd');
      if (isInside(await realpath(directory), folders.root))
        await copyFile(path.join(folders.root, 'a.txt'), path.join(directory, `${round}-${index}`));
    });
    await Promise.allSettled(copies);
    escaped = (await readdir(folders.outside)).length - 1;
  }
  await swapper.stop();
  expect(escaped).toBeGreaterThan(0);
});

import { mkdir, readdir, symlink, writeFile, appendFile } from 'node:fs/promises';
import path from 'node:path';
import { createTemporaryFolders, startSwapper } from '@signalbox/file-sandbox/testing';
import { expect, test } from 'vitest';
import { DataFolder } from './data-folder.ts';

const { signal } = new AbortController();

async function readAll(folder: DataFolder, name: string): Promise<string> {
  await using file = await folder.source(name);
  const parts: string[] = [];
  for await (const part of file.chunks(() => undefined)) parts.push(part);
  return parts.join('');
}

test('a file that changes while it is read is refused', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.csv': 'a\n' } });
  const folder = await DataFolder.open(folders.root, { databases: [] });
  await using file = await folder.source('a.csv');
  const chunks = file.chunks(() => undefined);
  expect((await chunks.next()).value).toBe('a\n');
  await appendFile(path.join(folders.root, 'a.csv'), 'b\n');
  await expect(chunks.next()).rejects.toThrow('changed while it was read');
});

test('bytes arrive unchanged, and are counted', async () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 256));
  await using folders = await createTemporaryFolders({ root: { a: bytes } });
  const folder = await DataFolder.open(folders.root, { databases: [] });
  await using file = await folder.source('a');
  const counts: number[] = [];
  const parts: string[] = [];
  for await (const part of file.chunks((count) => counts.push(count))) parts.push(part);
  expect(Buffer.from(parts.join(''), 'latin1').equals(bytes)).toBe(true);
  expect(counts).toEqual([262_144, 300_000]);
});

test('on a full disk the old file stays', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.csv': 'old' } });
  const folder = await DataFolder.open(folders.root, { databases: [] });
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
  });
  const write = async (append: (text: string) => Promise<void>) => {
    await append('half');
    throw full;
  };
  for (const name of ['a.csv', 'b.csv'])
    await expect(folder.write(name, write, { overwrite: true, signal })).rejects.toThrow(
      'no space left',
    );
  expect(await readdir(folders.root)).toEqual(['a.csv']);
  expect(await readAll(folder, 'a.csv')).toBe('old');
});

test('no read and no write leaves the folder while a directory is swapped with a link', async () => {
  const secret = 'OUTSIDE-SECRET';
  await using folders = await createTemporaryFolders({
    root: { 'd/x.csv': 'inside' },
    outside: { 'x.csv': secret },
  });
  await mkdir(path.join(folders.root, 'd/deep'));
  await symlink(folders.outside, path.join(folders.root, 'link'));
  const folder = await DataFolder.open(folders.root, { databases: [] });
  await using swapper = await startSwapper(folders.root);
  const answers: string[] = [];
  const attempt = async (round: number) => {
    try {
      if (round % 2 === 0) return answers.push(await readAll(folder, 'd/x.csv'));
      await folder.write(`d/${round}.csv`, (append) => append('w'), { overwrite: true, signal });
      return answers.push('written');
    } catch {
      return answers.push('refused');
    }
  };
  // On a busy machine the attacker gets its turn late.
  const wasAttacked = () => new Set(answers).size === 3;
  for (let round = 0; round < 200 || !wasAttacked(); round += 20)
    await Promise.all(Array.from({ length: 20 }, (_, index) => attempt(round + index)));
  expect(await swapper.stop()).toBeGreaterThan(0);
  expect(new Set(answers)).toEqual(new Set(['inside', 'written', 'refused']));
  expect(await readdir(folders.outside)).toEqual(['x.csv']);
});

test('a folder that is missing or a file is refused', async () => {
  await using folders = await createTemporaryFolders();
  await writeFile(path.join(folders.root, 'a'), '');
  for (const name of ['a', 'missing'])
    await expect(
      DataFolder.open(path.join(folders.root, name), { databases: [] }),
    ).rejects.toMatchObject({ name: 'PathError' });
});

import { link, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { chooseOpener } from '../opener/choose-opener.ts';
import { findAllowedDirectories } from '../sandbox/allowed-directories.ts';
import { createSandboxBase } from '../sandbox/sandbox-base.ts';
import { Sandbox } from '../sandbox/sandbox.ts';
import { createTemporaryFolders, type TemporaryFolders } from '../testing/temporary-folders.ts';
import { writeStreamed } from './write-streamed.ts';

const { signal } = new AbortController();

async function sandboxOf({ root }: TemporaryFolders): Promise<Sandbox> {
  const opener = await chooseOpener('/');
  const { directories } = await findAllowedDirectories([root], opener);
  return new Sandbox(directories, 'cli', createSandboxBase(opener));
}

describe('a streamed write', () => {
  test('creates a file from pieces, and shows nothing before its end', async () => {
    await using folders = await createTemporaryFolders();
    const sandbox = await sandboxOf(folders);
    const during: string[][] = [];
    const written = await writeStreamed(
      sandbox,
      {
        path: 'new.csv',
        write: async (handle) => {
          await handle.write('a');
          during.push((await readdir(folders.root)).filter((name) => !name.endsWith('.tmp')));
          await handle.write('b');
        },
      },
      { overwrite: false, signal },
    );
    expect(during).toEqual([[]]);
    expect(written).toEqual({ realPath: path.join(folders.root, 'new.csv'), created: true });
    expect(await readFile(written.realPath, 'utf8')).toBe('ab');
    expect(await readdir(folders.root)).toEqual(['new.csv']);
  });

  test('replaces a file only with overwrite, and never one with several hard links', async () => {
    await using folders = await createTemporaryFolders({ root: { a: 'old', h1: 'linked' } });
    await link(path.join(folders.root, 'h1'), path.join(folders.root, 'h2'));
    const sandbox = await sandboxOf(folders);
    const to = (name: string, overwrite: boolean) =>
      writeStreamed(
        sandbox,
        { path: name, write: async (handle) => void (await handle.write('new')) },
        { overwrite, existsAdvice: 'Set overwrite.', signal },
      );
    await expect(to('a', false)).rejects.toThrow(
      'already exists; nothing was written. Set overwrite.',
    );
    await expect(to('h1', true)).rejects.toMatchObject({ reason: 'refused' });
    expect((await to('a', true)).created).toBe(false);
    expect(await readFile(path.join(folders.root, 'a'), 'utf8')).toBe('new');
    expect(await readFile(path.join(folders.root, 'h2'), 'utf8')).toBe('linked');
    expect((await readdir(folders.root)).toSorted()).toEqual(['a', 'h1', 'h2']);
  });

  test('leaves everything as it was when its content fails or it is aborted', async () => {
    await using folders = await createTemporaryFolders({ root: { a: 'old' } });
    const sandbox = await sandboxOf(folders);
    const controller = new AbortController();
    const failing = (name: string, write: () => Promise<void>) =>
      writeStreamed(sandbox, { path: name, write }, { overwrite: true, signal: controller.signal });
    await expect(failing('a', () => Promise.reject(new Error('half')))).rejects.toThrow('half');
    await expect(failing('b', () => Promise.reject(new Error('half')))).rejects.toThrow('half');
    const aborting = () => {
      controller.abort(new Error('no longer wanted'));
      return Promise.resolve();
    };
    await expect(failing('a', aborting)).rejects.toThrow('no longer wanted');
    expect(await readdir(folders.root)).toEqual(['a']);
    expect(await readFile(path.join(folders.root, 'a'), 'utf8')).toBe('old');
  });

  test('does not write over a file that appears meanwhile, and does not run twice', async () => {
    await using folders = await createTemporaryFolders();
    const sandbox = await sandboxOf(folders);
    let runs = 0;
    const write = async () => {
      runs++;
      await writeFile(path.join(folders.root, 'x'), 'theirs');
    };
    await expect(
      writeStreamed(sandbox, { path: 'x', write }, { overwrite: false, signal }),
    ).rejects.toMatchObject({ reason: 'refused' });
    expect(runs).toBe(1);
    expect(await readFile(path.join(folders.root, 'x'), 'utf8')).toBe('theirs');
    expect(await readdir(folders.root)).toEqual(['x']);
  });

  test('does not leave the sandbox when the directory is swapped for a link meanwhile', async () => {
    await using folders = await createTemporaryFolders();
    const sub = path.join(folders.root, 'sub');
    await mkdir(sub);
    const sandbox = await sandboxOf(folders);
    const write = async () => {
      await rename(sub, path.join(folders.root, 'moved'));
      await symlink(folders.outside, sub);
    };
    await writeStreamed(sandbox, { path: 'sub/x', write }, { overwrite: false, signal });
    expect(await readdir(folders.outside)).toEqual([]);
    expect(await readdir(path.join(folders.root, 'moved'))).toEqual(['x']);
  });
});

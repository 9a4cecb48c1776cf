import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { usableOpeners } from '@signalbox/file-sandbox';
import { ToolError } from '@signalbox/mcp-core';
import { createTestContext } from '@signalbox/mcp-core/testing';
import type { DestructiveStep } from '@signalbox/server-kit';
import { afterAll, describe, expect, test } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';

/** A directory on another file system, if this machine has one. */
const otherFileSystem = await mkdtemp('/dev/shm/signalbox-filesystem-').catch(() => undefined);

afterAll(async () => {
  if (otherFileSystem !== undefined) await rm(otherFileSystem, { recursive: true });
});

async function tree(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).toSorted();
}

describe.each(await usableOpeners('/'))('with the $kind opener', (opener) => {
  test('move_file renames files, directories and links, and overwrites nothing', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': 'A', 'b.txt': 'B', 'd/x/y.txt': 'Y', 'e/z.txt': 'Z', 'full/1': '' },
    });
    const at = (name: string) => path.join(folders.root, name);
    await symlink('b.txt', at('s'));
    await symlink('none', at('dangling'));
    await mkdir(at('empty'));
    const tools = await createToolCaller([folders.root], { opener });
    const move = (source: string, destination: string) =>
      tools.call('move_file', { source, destination });
    for (const destination of ['b.txt', 'd', 's', 'dangling', 'empty'])
      await expect(move('a.txt', destination)).rejects.toThrow('already exists');
    for (const destination of ['b.txt', 'full', 'empty', 's'])
      await expect(move('d', destination)).rejects.toThrow('already exists');
    await expect(move('none', 'new')).rejects.toThrow('no such file');
    await expect(move('a.txt', 'none/a.txt')).rejects.toThrow('parent directory does not exist');
    await expect(move('d', 'd/x/in')).rejects.toThrow('into itself');
    await expect(move('dangling', 'elsewhere')).rejects.toThrow('Access denied');
    expect((await move('a.txt', 'e/a2.txt')).structured).toEqual({
      content: 'Successfully moved a.txt to e/a2.txt',
      source: at('a.txt'),
      destination: at('e/a2.txt'),
    });
    await move('d', 'e/d2');
    await move('s', 'e/s2');
    expect(await readFile(at('e/a2.txt'), 'utf8')).toBe('A');
    expect((await stat(at('e/a2.txt'))).nlink).toBe(1);
    expect(await readFile(at('e/d2/x/y.txt'), 'utf8')).toBe('Y');
    expect(await readlink(at('e/s2'))).toBe('b.txt');
    expect(await tree(folders.root)).toEqual([
      'b.txt',
      'dangling',
      'e',
      'e/a2.txt',
      'e/d2',
      'e/d2/x',
      'e/d2/x/y.txt',
      'e/s2',
      'e/z.txt',
      'empty',
      'full',
      'full/1',
    ]);
  });

  test('nothing is moved, copied or deleted through links that leave, and allowed directories stay', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': 'A', 'sub/b.txt': 'B' },
      outside: { 'secret.txt': 'TOPSECRET' },
    });
    await symlink(folders.outside, path.join(folders.root, 'd'));
    await symlink(path.join(folders.outside, 'secret.txt'), path.join(folders.root, 'l'));
    const tools = await createToolCaller([folders.root, path.join(folders.root, 'sub')], {
      opener,
    });
    for (const source of ['d/secret.txt', 'l', 'd', `${folders.outside}/secret.txt`]) {
      for (const tool of ['move_file', 'copy_file'])
        await expect(
          tools.call(tool, { source, destination: 'stolen', recursive: true }),
        ).rejects.toThrow('Access denied');
    }
    for (const destination of ['d/x', `${folders.outside}/x`]) {
      for (const tool of ['move_file', 'copy_file'])
        await expect(tools.call(tool, { source: 'a.txt', destination })).rejects.toThrow(
          'Access denied',
        );
    }
    for (const target of ['d/secret.txt', `${folders.outside}/secret.txt`, '..']) {
      await expect(tools.call('delete_file', { path: target, recursive: true })).rejects.toThrow(
        /Access denied|allowed directory/,
      );
    }
    for (const target of ['.', 'sub', folders.root]) {
      await expect(tools.call('delete_file', { path: target, recursive: true })).rejects.toThrow(
        'allowed directory',
      );
      await expect(
        tools.call('move_file', { source: target, destination: 'moved' }),
      ).rejects.toThrow('allowed directory');
    }
    expect((await tools.call('delete_file', { path: 'd' })).structured).toMatchObject({
      removed: 1,
    });
    expect(
      (await tools.call('delete_file', { path: 'l', recursive: true })).structured,
    ).toMatchObject({ removed: 1 });
    expect(await tree(folders.outside)).toEqual(['secret.txt']);
    expect(await tree(folders.root)).toEqual(['a.txt', 'sub', 'sub/b.txt']);
  });

  test('copy_file copies a file with its mode and never overwrites', async () => {
    await using folders = await createTemporaryFolders({
      root: {
        'a.sh': 'A',
        'b.txt': 'B',
        'empty.txt': '',
        'big.bin': Buffer.alloc(9 * 1024 * 1024, 'x'),
      },
    });
    const at = (name: string) => path.join(folders.root, name);
    await chmod(at('a.sh'), 0o4750);
    await symlink('a.sh', at('s'));
    const tools = await createToolCaller([folders.root], { opener });
    await expect(tools.call('copy_file', { source: 'a.sh', destination: 'b.txt' })).rejects.toThrow(
      'already exists',
    );
    await expect(tools.call('copy_file', { source: 'none', destination: 'c' })).rejects.toThrow(
      'no such file',
    );
    await expect(tools.call('copy_file', { source: '.', destination: 'c' })).rejects.toThrow(
      'set recursive',
    );
    expect(
      (await tools.call('copy_file', { source: 's', destination: 'c.sh' })).structured,
    ).toEqual({ path: at('c.sh'), files: 1, directories: 0, bytes: 1, skipped: 0 });
    await tools.call('copy_file', { source: 'big.bin', destination: 'big2.bin' });
    await tools.call('copy_file', { source: 'empty.txt', destination: 'empty2.txt' });
    expect((await stat(at('c.sh'))).mode & 0o7777).toBe(0o750);
    expect((await readFile(at('big2.bin'))).equals(await readFile(at('big.bin')))).toBe(true);
    expect(await readFile(at('b.txt'), 'utf8')).toBe('B');
    expect(await tree(folders.root)).toEqual([
      'a.sh',
      'b.txt',
      'big.bin',
      'big2.bin',
      'c.sh',
      'empty.txt',
      'empty2.txt',
      's',
    ]);
  });

  test('copy_file copies a tree, links only when they stay inside', async () => {
    await using folders = await createTemporaryFolders({
      root: { 't/a.txt': 'A', 't/d/b.txt': 'BB', 't/.env': 'S', 'o.txt': '' },
      outside: { 'secret.txt': 'TOPSECRET' },
    });
    const at = (name: string) => path.join(folders.root, name);
    await chmod(at('t/d'), 0o700);
    await symlink('../a.txt', at('t/d/up'));
    await symlink(at('o.txt'), at('t/absolute'));
    await symlink(folders.outside, at('t/out'));
    await symlink('none', at('t/dangling'));
    await symlink('d/../a.txt', at('t/winding'));
    // The link leads inside from here, but not from one level higher.
    await symlink('../../root/o.txt', at('t/relative'));
    execFileSync('mkfifo', [at('t/fifo')]);
    const tools = await createToolCaller([folders.root], { opener, deny: ['.env'] });
    await expect(
      tools.call('copy_file', { source: 't', destination: 't/d/in', recursive: true }),
    ).rejects.toThrow('into itself');
    const { structured } = await tools.call('copy_file', {
      source: 't',
      destination: 'copy',
      recursive: true,
    });
    expect(structured).toEqual({
      path: at('copy'),
      files: 5,
      directories: 2,
      bytes: 3,
      skipped: 4,
    });
    expect(await tree(at('copy'))).toEqual([
      'a.txt',
      'absolute',
      'd',
      'd/b.txt',
      'd/up',
      'relative',
    ]);
    expect(await readlink(at('copy/d/up'))).toBe('../a.txt');
    expect((await stat(at('copy/d'))).mode & 0o777).toBe(0o700);
    expect(await readFile(at('copy/d/b.txt'), 'utf8')).toBe('BB');
  });

  test('a cancelled copy leaves nothing', async () => {
    await using folders = await createTemporaryFolders({
      root: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`t/${index}.txt`, 'x'])),
    });
    const tools = await createToolCaller([folders.root], { opener });
    const controller = new AbortController();
    const context = createTestContext({ signal: controller.signal });
    const progress = context.progress.bind(context);
    let reports = 0;
    Object.defineProperty(context, 'progress', {
      value: (update: Parameters<typeof progress>[0]) => {
        if (++reports === 10) controller.abort(new Error('cancelled'));
        return progress(update);
      },
    });
    await expect(
      tools.call('copy_file', { source: 't', destination: 'copy', recursive: true }, context),
    ).rejects.toThrow('cancelled');
    expect(await readdir(folders.root)).toEqual(['t']);
  });

  test('delete_file removes the path and returns the count', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': '', 't/d/b.txt': '', 't/c.txt': '' },
    });
    const at = (name: string) => path.join(folders.root, name);
    await mkdir(at('empty'));
    await symlink('..', at('t/loop'));
    await link(at('t/c.txt'), at('keep.txt'));
    execFileSync('mkfifo', [at('t/fifo')]);
    const steps: unknown[] = [];
    const confirm = (_context: unknown, step: DestructiveStep) =>
      Promise.resolve(void (step.isRoutine === true || steps.push(step)));
    const tools = await createToolCaller([folders.root], { opener, confirm });
    expect((await tools.call('delete_file', { path: 'a.txt' })).structured).toEqual({
      path: at('a.txt'),
      removed: 1,
    });
    expect(
      (await tools.call('delete_file', { path: 'empty', recursive: true })).structured,
    ).toMatchObject({ removed: 1 });
    await expect(tools.call('delete_file', { path: 't' })).rejects.toThrow('not empty');
    await expect(tools.call('delete_file', { path: 'none' })).rejects.toThrow('no such file');
    expect(steps).toEqual([]);
    expect(
      (await tools.call('delete_file', { path: 't', recursive: true, confirmToken: 'k' }))
        .structured,
    ).toMatchObject({ removed: 6 });
    expect(steps).toEqual([
      {
        tool: 'delete_file',
        arguments: { path: 't', recursive: true, files: 4, directories: 1 },
        isRoutine: false,
        impact: `${at('t')} with 4 files and 1 directories in it is deleted for good.`,
        confirmToken: 'k',
      },
    ]);
    expect(await tree(folders.root)).toEqual(['keep.txt']);
  });

  test('nothing is deleted without confirmation, or in a directory with denied entries', async () => {
    await using folders = await createTemporaryFolders({
      root: { 't/c.txt': '', 'u/d/.env': 'S' },
    });
    const tools = await createToolCaller([folders.root], {
      opener,
      deny: ['.env', 'v/*'],
      confirm: (_context, { isRoutine }) =>
        isRoutine === true ? Promise.resolve() : Promise.reject(new ToolError('declined')),
    });
    await expect(tools.call('delete_file', { path: 't', recursive: true })).rejects.toThrow(
      'declined',
    );
    await expect(tools.call('delete_file', { path: 'u', recursive: true })).rejects.toThrow(
      'denies',
    );
    // A new name might not be denied.
    await expect(tools.call('move_file', { source: 'u', destination: 'w' })).rejects.toThrow(
      'denies',
    );
    await expect(
      tools.call('move_file', { source: 't/c.txt', destination: '.env' }),
    ).rejects.toThrow('denied');
    expect(await tree(folders.root)).toEqual(['t', 't/c.txt', 'u', 'u/d', 'u/d/.env']);
  });

  test.runIf(otherFileSystem)(
    'a file moves to another file system, a directory does not',
    async () => {
      const other = await mkdtemp(`${otherFileSystem}/`);
      await using folders = await createTemporaryFolders({
        root: { 'a.txt': 'A', 'd/b.txt': 'B' },
      });
      await chmod(path.join(folders.root, 'a.txt'), 0o640);
      const before = await stat(path.join(folders.root, 'a.txt'));
      const tools = await createToolCaller([folders.root, other], { opener });
      await tools.call('move_file', { source: 'a.txt', destination: path.join(other, 'a.txt') });
      await expect(
        tools.call('move_file', { source: 'd', destination: path.join(other, 'd') }),
      ).rejects.toThrow('copy_file');
      await writeFile(path.join(folders.root, 'a.txt'), 'second');
      await expect(
        tools.call('move_file', { source: 'a.txt', destination: path.join(other, 'a.txt') }),
      ).rejects.toThrow('already exists');
      const after = await stat(path.join(other, 'a.txt'));
      expect([after.mode, Math.round(after.mtimeMs)]).toEqual([
        before.mode,
        Math.round(before.mtimeMs),
      ]);
      expect(await tree(other)).toEqual(['a.txt']);
      expect(await tree(folders.root)).toEqual(['a.txt', 'd', 'd/b.txt']);
    },
  );
});

test('create_directory creates directories and append_file appends', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': 'A' } });
  const tools = await createToolCaller([folders.root]);
  expect((await tools.call('create_directory', { path: 'm1/m2/m3' })).structured).toEqual({
    content: 'Successfully created directory m1/m2/m3',
    path: path.join(folders.root, 'm1/m2/m3'),
    created: true,
  });
  expect((await tools.call('create_directory', { path: 'm1/m2' })).structured).toMatchObject({
    created: false,
  });
  await expect(tools.call('create_directory', { path: 'a.txt' })).rejects.toThrow(
    'not a directory',
  );
  await expect(tools.call('create_directory', { path: 'a.txt/b' })).rejects.toThrow(
    'not a directory',
  );
  await expect(tools.call('append_file', { path: 'new.txt', content: 'x' })).rejects.toThrow(
    'no such file',
  );
  expect(
    (await tools.call('append_file', { path: 'new.txt', content: 'é', createIfMissing: true }))
      .structured,
  ).toEqual({ path: path.join(folders.root, 'new.txt'), bytes: 2, size: 2, created: true });
  await Promise.all(
    Array.from({ length: 20 }, () => tools.call('append_file', { path: 'a.txt', content: '12\n' })),
  );
  expect(await readFile(path.join(folders.root, 'a.txt'), 'utf8')).toBe(`A${'12\n'.repeat(20)}`);
  await expect(tools.call('append_file', { path: 'm1', content: 'x' })).rejects.toThrow(
    'is a directory',
  );
  expect((await lstat(path.join(folders.root, 'm1/m2/m3'))).isDirectory()).toBe(true);
});

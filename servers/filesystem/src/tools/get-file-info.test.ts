import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { hashOf } from '@signalbox/file-sandbox';
import { describe, expect, test } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;

describe('get_file_info', () => {
  test('returns size, type, mode, times and MIME type of a file', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a.json': '{}' } });
    await chmod(path.join(folders.root, 'a.json'), 0o640);
    const tools = await createToolCaller([folders.root]);
    const { text, structured } = await tools.call('get_file_info', { path: 'a.json' });
    const times = { created: isoTime, modified: isoTime, accessed: isoTime };
    expect(structured).toEqual({
      content: text,
      path: path.join(folders.root, 'a.json'),
      size: 2,
      type: 'file',
      mode: '640',
      isSymlink: false,
      mimeType: 'application/json',
      ...times,
    });
    expect(text.split('\n')).toEqual(
      expect.arrayContaining(['size: 2', 'isFile: true', 'isDirectory: false', 'permissions: 640']),
    );
  });

  test('hashes a file when asked', async () => {
    await using folders = await createTemporaryFolders({ root: { a: 'hello' } });
    const tools = await createToolCaller([folders.root]);
    expect((await tools.call('get_file_info', { path: 'a', hash: true })).structured).toMatchObject(
      { hash: hashOf(Buffer.from('hello')) },
    );
    await expect(tools.call('get_file_info', { path: '.', hash: true })).rejects.toThrow(
      'is a directory',
    );
  });

  test('describes an allowed directory, and a FIFO without opening it', async () => {
    await using folders = await createTemporaryFolders();
    execFileSync('mkfifo', [path.join(folders.root, 'pipe')]);
    const tools = await createToolCaller([folders.root]);
    expect((await tools.call('get_file_info', { path: '.' })).structured).toMatchObject({
      type: 'directory',
      mimeType: 'inode/directory',
      isSymlink: false,
    });
    expect((await tools.call('get_file_info', { path: 'pipe' })).structured).toMatchObject({
      type: 'other',
    });
  });

  test('returns the target of a link, except for a link that leads outside', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'd/a.txt': 'inside' },
      outside: { 'secret.txt': 'secret' },
    });
    await symlink('d/a.txt', path.join(folders.root, 'link'));
    await symlink(path.join(folders.outside, 'secret.txt'), path.join(folders.root, 'escape'));
    await symlink(path.join(folders.outside, 'nothing'), path.join(folders.root, 'nowhere'));
    const tools = await createToolCaller([folders.root]);
    expect((await tools.call('get_file_info', { path: 'link' })).structured).toMatchObject({
      isSymlink: true,
      target: 'd/a.txt',
      type: 'file',
      size: 6,
      path: path.join(folders.root, 'd/a.txt'),
    });
    const denials = await Promise.all(
      ['escape', 'nowhere'].map((name) =>
        tools.call('get_file_info', { path: name }).then(() => 'allowed', String),
      ),
    );
    expect(denials[0]?.replace('escape', 'nowhere')).toBe(denials[1]);
    expect(denials[0]).not.toContain(folders.outside);
  });

  test('fails for a missing path', async () => {
    await using folders = await createTemporaryFolders();
    await mkdir(path.join(folders.root, 'd'));
    const tools = await createToolCaller([folders.root]);
    await expect(tools.call('get_file_info', { path: 'd/none' })).rejects.toThrow('no such file');
  });
});

import { link, readdir, readFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { bound, createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { type Opener, type PinnedPath, usableOpeners } from '@signalbox/file-sandbox';
import { describe, expect, test } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';

/**
 * Returns an opener on a disk that is full once files have grown by `room` bytes. Existing bytes
 * can be overwritten.
 */
function withFullDisk(opener: Opener, room: number): Opener {
  let left = room;
  const write = async (handle: FileHandle, bytes: Buffer, position: number | null) => {
    const { size } = await handle.stat();
    const end = position ?? size;
    const fitting = Math.min(bytes.length, Math.max(0, size - end) + left);
    if (fitting === 0 && bytes.length > 0)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
        code: 'ENOSPC',
        syscall: 'write',
      });
    left -= Math.max(0, end + fitting - size);
    return handle.write(bytes, 0, fitting, position);
  };
  const limited = (handle: FileHandle) =>
    new Proxy(handle, {
      get(target, property) {
        if (property === 'write') {
          return (
            bytes: Buffer,
            offset = 0,
            length = bytes.length - offset,
            position: number | null = null,
          ) => write(target, bytes.subarray(offset, offset + length), position);
        }
        if (property === 'writeFile') {
          return async (bytes: Buffer) => {
            for (let at = 0; at < bytes.length;)
              at += (await write(target, bytes.subarray(at), at)).bytesWritten;
          };
        }
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? bound(target, value) : value;
      },
    });
  const onFullDisk = (pinned: PinnedPath): PinnedPath =>
    new Proxy(pinned, {
      get(target, property) {
        if (property === 'isHeld') return false;
        if (property === 'createFile')
          return async (name: string, mode: number) => limited(await target.createFile(name, mode));
        if (property === 'open') return async (flags: number) => limited(await target.open(flags));
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? bound(target, value) : value;
      },
    });
  return { ...opener, pin: async (given, options) => onFullDisk(await opener.pin(given, options)) };
}

describe.each(await usableOpeners('/'))('on a full disk, with the $kind opener,', (opener) => {
  test.each([
    ['write_file', { path: 'a.txt', content: 'new content' }],
    ['write_file', { path: 'new.txt', content: 'new content' }],
    ['write_file', { path: 'h1.txt', content: 'new content, longer than the old one' }],
    ['edit_file', { path: 'a.txt', edits: [{ oldText: 'old', newText: 'new' }] }],
    [
      'edit_file',
      { path: 'h1.txt', edits: [{ oldText: 'old content', newText: 'other content, longer' }] },
    ],
    ['append_file', { path: 'a.txt', content: 'more content' }],
    ['copy_file', { source: 'a.txt', destination: 'copy.txt' }],
    ['copy_file', { source: 'd', destination: 'copy', recursive: true }],
  ])('%s %j leaves everything as it was', async (tool, args) => {
    await using folders = await createTemporaryFolders({
      root: {
        'a.txt': 'old content',
        'h1.txt': 'old content',
        'd/b.txt': 'old content',
        'd/e/c.txt': 'old content',
      },
    });
    await link(path.join(folders.root, 'h1.txt'), path.join(folders.root, 'h2.txt'));
    const tools = await createToolCaller([folders.root], { opener: withFullDisk(opener, 6) });
    await expect(tools.call(tool, args)).rejects.toThrow('no space left');
    expect((await readdir(folders.root, { recursive: true })).toSorted()).toEqual([
      'a.txt',
      'd',
      'd/b.txt',
      'd/e',
      'd/e/c.txt',
      'h1.txt',
      'h2.txt',
    ]);
    for (const name of ['a.txt', 'h1.txt', 'h2.txt', 'd/b.txt'])
      expect(await readFile(path.join(folders.root, name), 'utf8')).toBe('old content');
  });
});

import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTemporaryFolders } from '../testing/temporary-folders.ts';
import { findAllowedDirectories } from '../sandbox/allowed-directories.ts';
import { CheckedPath, type OpenWithoutLinks } from './checked-path.ts';
import { chooseOpener, NoKernelHandlesError } from './choose-opener.ts';
import { createNoFollowOpener } from './no-follow-opener.ts';
import { outsideError } from '../path/path-error.ts';
import { recheckOpener } from './recheck-opener.ts';
import { createSandboxBase } from '../sandbox/sandbox-base.ts';
import { Sandbox } from '../sandbox/sandbox.ts';

test('a Linux without /proc starts only with allowRecheck', async () => {
  await expect(chooseOpener('/does-not-exist', { platform: 'linux' })).rejects.toThrow(
    NoKernelHandlesError,
  );
  expect(
    (await chooseOpener('/does-not-exist', { platform: 'linux', allowRecheck: true })).kind,
  ).toBe('recheck');
  expect((await chooseOpener('/does-not-exist', { platform: 'win32' })).kind).toBe('recheck');
});

/** Emulates O_NOFOLLOW_ANY of macOS; `before` is called between resolving and opening. */
function openWithoutAnyLink(before: (target: string) => Promise<void>): OpenWithoutLinks {
  return async (target, flags, mode) => {
    await before(target);
    for (let current = target; current !== path.dirname(current); current = path.dirname(current)) {
      const stats = await lstat(current).catch(() => undefined);
      if (stats?.isSymbolicLink())
        throw Object.assign(new Error('ELOOP: too many symbolic links'), { code: 'ELOOP' });
    }
    // On Linux the notification flag of macOS means something else.
    return open(target, flags & ~0x8000, mode);
  };
}

test('the no-follow opener never opens or creates through a link that appears after the path was resolved', async () => {
  await using folders = await createTemporaryFolders({
    root: { 'd/a.txt': 'inside' },
    outside: { 'a.txt': 'TOPSECRET' },
  });
  const directory = path.join(folders.root, 'd');
  let isSwapped = false;
  const opener = createNoFollowOpener(
    openWithoutAnyLink(async (target) => {
      if (!isSwapped || !target.startsWith(directory)) return;
      isSwapped = false;
      await rename(directory, path.join(folders.root, 'real'));
      await symlink(folders.outside, directory);
    }),
  );
  const { directories } = await findAllowedDirectories([folders.root], opener);
  const sandbox = new Sandbox(directories, 'cli', createSandboxBase(opener));
  {
    await using pinned = await sandbox.pin('d/a.txt');
    await using handle = await pinned.open(constants.O_RDONLY);
    expect(await handle.readFile('utf8')).toBe('inside');
    isSwapped = true;
    await expect(pinned.open(constants.O_RDONLY)).rejects.toMatchObject({ code: 'ELOOP' });
  }
  await rm(directory);
  await mkdir(directory);
  await using held = await sandbox.pin('d');
  isSwapped = true;
  await rm(path.join(folders.root, 'real'), { recursive: true });
  await expect(held.createFile('new.txt', 0o600)).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(lstat(path.join(folders.outside, 'new.txt'))).rejects.toMatchObject({
    code: 'ENOENT',
  });
});

test('the recheck opener looks a file up again that is replaced during the lookup', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': 'content' } });
  const file = path.join(folders.root, 'a.txt');
  const verify = vi.spyOn(CheckedPath.prototype, 'verify');
  onTestFinished(() => verify.mockRestore());
  for (let replaced = 0; replaced < 3; replaced++) verify.mockRejectedValueOnce(outsideError(file));
  await using pinned = await recheckOpener.pin(file);
  await using handle = await pinned.open(constants.O_RDONLY);
  expect(await handle.readFile('utf8')).toBe('content');
  verify.mockRejectedValue(outsideError(file));
  await expect(recheckOpener.pin(file)).rejects.toThrow('outside the allowed directories');
});

import { spawnSync } from 'node:child_process';
import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { chooseOpener } from '../opener/choose-opener.ts';
import { findAllowedDirectories } from '../sandbox/allowed-directories.ts';
import { createSandboxBase } from '../sandbox/sandbox-base.ts';
import { Sandbox } from '../sandbox/sandbox.ts';
import { createTemporaryFolders } from '../testing/temporary-folders.ts';
import { isLeftover, temporaryName } from './temporary-file.ts';
import { writeAtomically } from './write-atomically.ts';

/** Id of a process that has ended. */
const endedPid = spawnSync(process.execPath, ['--version']).pid;
const own = temporaryName();
const ofEnded = own.replace(`-${process.pid}-`, `-${endedPid}-`);
const ofEarlier = own.replace(/-[0-9a-z]+(-[0-9a-f]{12}\.tmp)$/, '-0$1');
const ofOtherMachine = own.replace(/^\.signalbox-[0-9a-f]{8}/, '.signalbox-00000000');

test('the temporary file of an ended process is a leftover, that of a running process is not', () => {
  const now = Date.now();
  expect(isLeftover(own, 0)).toBe(false);
  expect(isLeftover(own.replace(`-${process.pid}-`, `-${process.ppid}-`), 0)).toBe(false);
  expect(isLeftover(ofEnded, now)).toBe(true);
  expect(isLeftover(ofEarlier, now)).toBe(true);
  expect(isLeftover(ofOtherMachine, now - 60_000)).toBe(false);
  expect(isLeftover(ofOtherMachine, now - 25 * 3_600_000)).toBe(true);
  expect(isLeftover('.signalbox-notes.tmp', 0)).toBe(false);
});

test('a server that writes removes leftovers of ended servers in that directory, and follows no link', async () => {
  await using folders = await createTemporaryFolders({
    root: { 'sub/keep.txt': '' },
    outside: { 'precious.txt': '' },
  });
  const sub = path.join(folders.root, 'sub');
  await writeFile(path.join(sub, ofEnded), 'half');
  await mkdir(path.join(sub, ofEarlier, 'deep'), { recursive: true });
  await writeFile(path.join(sub, ofEarlier, 'deep/x'), '');
  await writeFile(path.join(sub, ofOtherMachine), '');
  await writeFile(path.join(sub, own), '');
  await symlink(folders.outside, path.join(folders.root, ofEnded));
  await utimes(path.join(sub, own), 0, 0);
  const opener = await chooseOpener('/');
  const { directories } = await findAllowedDirectories([folders.root], opener);
  await writeAtomically(
    new Sandbox(directories, 'cli', createSandboxBase(opener)),
    { path: 'sub/new.txt', content: Buffer.alloc(0) },
    { createParents: false, signal: new AbortController().signal },
  );
  await expect
    .poll(() => readdir(sub))
    .toEqual([own, ofOtherMachine, 'keep.txt', 'new.txt'].toSorted());
  await expect.poll(() => readdir(folders.root)).toEqual(['sub']);
  expect(await readdir(folders.outside)).toEqual(['precious.txt']);
});

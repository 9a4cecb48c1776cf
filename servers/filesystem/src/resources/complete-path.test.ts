import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { createManyEntries, createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import {
  chooseOpener,
  createSandboxBase,
  findAllowedDirectories,
  Sandbox,
} from '@signalbox/file-sandbox';
import { expect, test } from 'vitest';
import { completePath } from './complete-path.ts';
import { createDenyList } from '../files/deny-list.ts';
import { pathOfTemplateValue, templateValueOf } from './resource-uri.ts';

async function sandboxOf(
  directories: readonly string[],
  deny: readonly string[] = [],
): Promise<Sandbox> {
  const opener = await chooseOpener('/');
  const { directories: found } = await findAllowedDirectories(directories, opener);
  return new Sandbox(
    found,
    'cli',
    createSandboxBase(opener, { isDenied: createDenyList(deny), directories: found }),
  );
}

const signal = new AbortController().signal;

test('suggests paths that begin with the typed text, in its spelling, directories with a slash', async () => {
  await using folders = await createTemporaryFolders({
    root: { 'src/index.ts': '', 'src/io.ts': '', 'src/inner/x': '', 'src/other.ts': '' },
  });
  const sandbox = await sandboxOf([folders.root]);
  expect(await completePath(sandbox, `${folders.root}/src/i`, signal)).toEqual({
    values: [
      `${folders.root}/src/index.ts`,
      `${folders.root}/src/inner/`,
      `${folders.root}/src/io.ts`,
    ],
    hasMore: false,
  });
  expect((await completePath(sandbox, 'src/o', signal)).values).toEqual(['src/other.ts']);
  expect((await completePath(sandbox, '', signal)).values).toEqual(['src/']);
});

test('leads to the allowed directories from above, and shows nothing else there', async () => {
  await using folders = await createTemporaryFolders();
  const sandbox = await sandboxOf([folders.root]);
  for (const typed of ['/', folders.root.slice(0, 5), folders.root.slice(0, -2)])
    expect((await completePath(sandbox, typed, signal)).values).toEqual([folders.root]);
});

test('suggests nothing outside, denied, broken or special', async () => {
  await using folders = await createTemporaryFolders({
    root: { 'a.txt': '', 'a.secret': '', 'keep/a.txt': '' },
    outside: { 'a.txt': '' },
  });
  await symlink(folders.outside, path.join(folders.root, 'a-out'));
  await symlink(path.join(folders.root, 'none'), path.join(folders.root, 'a-broken'));
  await symlink(path.join(folders.root, 'keep'), path.join(folders.root, 'a-keep'));
  const sandbox = await sandboxOf([folders.root], ['*.secret', 'keep/a.txt']);
  expect((await completePath(sandbox, 'a', signal)).values).toEqual(['a-keep/', 'a.txt']);
  for (const typed of [
    `${folders.outside}/`,
    `${folders.root}/../outside/`,
    'a-out/',
    'keep/',
    '~/',
    'a\0',
    'a.txt/',
  ]) {
    expect((await completePath(sandbox, typed, signal)).values).toEqual([]);
  }
});

test('has at most 100 values of a huge directory, and says that there are more', async () => {
  await using folders = await createTemporaryFolders();
  createManyEntries(
    path.join(folders.root, 'many'),
    Array.from({ length: 5000 }, (_, index) => `f${index}`),
  );
  const { values, hasMore } = await completePath(await sandboxOf([folders.root]), 'many/f', signal);
  expect(values).toHaveLength(100);
  expect(values.slice(0, 3)).toEqual(['many/f0', 'many/f1', 'many/f10']);
  expect(hasMore).toBe(true);
});

test('stops when it is cancelled', async () => {
  await using folders = await createTemporaryFolders({ root: { a: '' } });
  await expect(
    completePath(await sandboxOf([folders.root]), '', AbortSignal.abort(new Error('cancelled'))),
  ).rejects.toThrow('cancelled');
});

test('a value of the template survives its expansion', () => {
  const name = '/tmp/a b#c?d%41.txt';
  expect(templateValueOf(name)).toBe('tmp/a b%23c%3Fd%2541.txt');
  expect(pathOfTemplateValue(templateValueOf(name))).toBe(name);
});

import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { createManyEntries, createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { expect, test } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';

test('lists sorted entries with their types and follows no link', async () => {
  await using folders = await createTemporaryFolders({
    root: { 'b.txt': '', 'a/x': '', '.hidden': '', 'Z.txt': '', 'é.txt': '' },
  });
  await symlink(folders.outside, path.join(folders.root, 'link'));
  execFileSync('mkfifo', [path.join(folders.root, 'fifo')]);
  const tools = await createToolCaller([folders.root]);
  const { structured, text } = await tools.call('list_directory', { path: '.' });
  expect(structured).toEqual({
    content: text,
    path: folders.root,
    entries: [
      { name: '.hidden', type: 'file' },
      { name: 'Z.txt', type: 'file' },
      { name: 'a', type: 'directory' },
      { name: 'b.txt', type: 'file' },
      { name: 'fifo', type: 'other' },
      { name: 'link', type: 'symlink' },
      { name: 'é.txt', type: 'file' },
    ],
    truncated: false,
  });
  expect(text.split('\n').slice(0, 3)).toEqual(['[FILE] .hidden', '[FILE] Z.txt', '[DIR] a']);
});

test('pages through a huge directory without losing or repeating an entry', async () => {
  await using folders = await createTemporaryFolders();
  const names = Array.from({ length: 2500 }, (_, index) => `f${index}.txt`);
  createManyEntries(folders.root, names);
  const tools = await createToolCaller([folders.root]);
  const first = await tools.call('list_directory', { path: '.' });
  expect(first.structured).toMatchObject({ truncated: true });
  expect(first.structured['entries']).toHaveLength(2000);
  const second = await tools.call('list_directory', {
    path: '.',
    cursor: first.structured['nextCursor'],
  });
  expect(second.structured).toMatchObject({ truncated: false });
  expect(second.structured).not.toHaveProperty('nextCursor');
  const listed = [first, second]
    .flatMap(({ structured }) => structured['entries'] as { name: string }[])
    .map((entry) => entry.name);
  expect(listed).toEqual(names.toSorted());
});

test('caps the limit and refuses a cursor it did not make', async () => {
  await using folders = await createTemporaryFolders({ root: { a: '', b: '', c: '' } });
  const tools = await createToolCaller([folders.root], { limits: { maxEntries: 2 } });
  expect(
    (await tools.call('list_directory', { path: '.', limit: 50 })).structured['entries'],
  ).toHaveLength(2);
  await expect(tools.call('list_directory', { path: '.', cursor: 'not base64!' })).rejects.toThrow(
    'cursor',
  );
});

test('keeps a page of very long names small', async () => {
  await using folders = await createTemporaryFolders();
  createManyEntries(
    folders.root,
    Array.from({ length: 1900 }, (_, index) => `${'名'.repeat(80)}${index}`),
  );
  const tools = await createToolCaller([folders.root]);
  const page = await tools.call('list_directory', { path: '.' });
  expect(page.structured).toMatchObject({ truncated: true });
  expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(1024 * 1024);
});

test('refuses files, links that leave and missing directories', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': '' } });
  await symlink(folders.outside, path.join(folders.root, 'd'));
  const tools = await createToolCaller([folders.root]);
  await expect(tools.call('list_directory', { path: 'a.txt' })).rejects.toThrow(
    'use read_text_file',
  );
  await expect(tools.call('list_directory', { path: 'd' })).rejects.toThrow('Access denied');
  await expect(tools.call('list_directory', { path: 'none' })).rejects.toThrow(
    'none: no such file or directory',
  );
});

test('the text of an empty directory is empty', async () => {
  await using folders = await createTemporaryFolders();
  const tools = await createToolCaller([folders.root]);
  expect(await tools.call('list_directory', { path: '.' })).toMatchObject({
    text: '',
    structured: { entries: [] },
  });
});

test('names the allowed directories', async () => {
  await using folders = await createTemporaryFolders();
  const tools = await createToolCaller([folders.root, folders.outside]);
  const { structured, text } = await tools.call('list_allowed_directories', {});
  expect(structured).toEqual({
    content: text,
    directories: [folders.root, folders.outside],
    source: 'cli',
  });
  expect(text).toBe(`Allowed directories:\n${folders.root}\n${folders.outside}`);
});

import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { createManyEntries, createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { describe, expect, test } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';

const files = { 'b.txt': '', 'a/x.js': '', 'a/deep/y.js': '', 'c/.keep': '' };
const wholeTree = [
  {
    name: 'a',
    type: 'directory',
    children: [
      { name: 'deep', type: 'directory', children: [{ name: 'y.js', type: 'file' }] },
      { name: 'x.js', type: 'file' },
    ],
  },
  { name: 'b.txt', type: 'file' },
  { name: 'c', type: 'directory', children: [{ name: '.keep', type: 'file' }] },
];

describe('directory_tree', () => {
  test('is the whole tree as indented JSON and structured', async () => {
    await using folders = await createTemporaryFolders({ root: files });
    const tools = await createToolCaller([folders.root]);
    const { text, structured } = await tools.call('directory_tree', { path: '.' });
    expect(text).toBe(JSON.stringify(wholeTree, null, 2));
    expect(structured).toEqual({
      content: text,
      path: folders.root,
      tree: wholeTree,
      truncated: false,
      counts: { files: 4, directories: 3, omitted: 0, unopened: 0, unreadable: 0 },
    });
  });

  test.each([
    [
      'a depth',
      { maxDepth: 1 },
      { counts: { files: 1, directories: 2, unopened: 2 }, truncated: true },
    ],
    [
      'a name',
      { excludePatterns: ['deep'] },
      { counts: { files: 3, directories: 2 }, truncated: false },
    ],
    [
      'a glob',
      { excludePatterns: ['**/*.js'] },
      { counts: { files: 2, directories: 3 }, truncated: false },
    ],
  ])('keeps to %s', async (_what, args, expected) => {
    await using folders = await createTemporaryFolders({ root: files });
    const tools = await createToolCaller([folders.root]);
    expect((await tools.call('directory_tree', { path: '.', ...args })).structured).toMatchObject(
      expected,
    );
  });

  test('over its limit is complete at the top and shared by the directories below', async () => {
    await using folders = await createTemporaryFolders();
    for (const name of ['d0', 'd1', 'd2', 'd3'])
      createManyEntries(
        path.join(folders.root, name),
        Array.from({ length: 50 }, (_, index) => `f${index}`),
      );
    const tools = await createToolCaller([folders.root]);
    const { structured } = await tools.call('directory_tree', { path: '.', maxEntries: 44 });
    const tree = structured.tree as { name: string; children: unknown[]; omitted: number }[];
    expect(tree.map(({ children, omitted }) => [children.length, omitted])).toEqual([
      [10, 40],
      [10, 40],
      [10, 40],
      [10, 40],
    ]);
    expect(structured).toMatchObject({
      truncated: true,
      counts: { files: 40, directories: 4, omitted: 160, unopened: 0 },
    });
  });

  test('stays within the limit of a result for any names', async () => {
    await using folders = await createTemporaryFolders();
    for (const name of ['d0', 'd1', 'd2'])
      createManyEntries(
        path.join(folders.root, name),
        Array.from({ length: 700 }, (_, index) => `${'\u0001'.repeat(200)}${index}`),
      );
    const tools = await createToolCaller([folders.root]);
    const { text, structured } = await tools.call('directory_tree', { path: '.' });
    expect(structured).toMatchObject({ truncated: true });
    expect(
      JSON.stringify({ content: [{ text }], structuredContent: structured }).length,
    ).toBeLessThan(1024 * 1024);
  });

  test('leaves out entries of .gitignore when requested, and denied entries always', async () => {
    await using folders = await createTemporaryFolders({
      root: { '.gitignore': 'out\n', 'out/a': '', 'src/b': '', '.env': '' },
    });
    const tools = await createToolCaller([folders.root], { deny: ['.env'] });
    const names = async (respectGitignore: boolean) =>
      (
        (await tools.call('directory_tree', { path: '.', respectGitignore })).structured.tree as {
          name: string;
        }[]
      ).map(({ name }) => name);
    expect(await names(false)).toEqual(['.gitignore', 'out', 'src']);
    expect(await names(true)).toEqual(['.gitignore', 'src']);
  });

  test('lists links and follows none, neither loops nor links to the outside', async () => {
    await using folders = await createTemporaryFolders({ outside: { secret: '' } });
    await symlink('.', path.join(folders.root, 'loop'));
    await symlink(folders.outside, path.join(folders.root, 'out'));
    const tools = await createToolCaller([folders.root]);
    expect((await tools.call('directory_tree', { path: '.' })).structured.tree).toEqual([
      { name: 'loop', type: 'symlink' },
      { name: 'out', type: 'symlink' },
    ]);
  });

  test('refuses a file', async () => {
    await using folders = await createTemporaryFolders({ root: { a: '' } });
    const tools = await createToolCaller([folders.root]);
    await expect(tools.call('directory_tree', { path: 'a' })).rejects.toThrow('not a directory');
  });
});

import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { createManyEntries, createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { describe, expect, test } from 'vitest';
import { createToolCaller, type ToolCaller } from '../testing/call-tool.ts';

const mtime = expect.any(String) as string;

async function allPages(
  tools: ToolCaller,
  args: { readonly [name: string]: string | number },
): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | undefined; ;) {
    const { structured } = await tools.call('list_directory_with_sizes', {
      path: '.',
      ...args,
      ...(cursor === undefined ? {} : { cursor }),
    });
    names.push(...(structured.entries as { name: string }[]).map(({ name }) => name));
    cursor = structured.nextCursor as string | undefined;
    if (cursor === undefined) return names;
  }
}

describe('list_directory_with_sizes', () => {
  test('lists sizes and totals by name', async () => {
    await using folders = await createTemporaryFolders({
      root: { b: 'x'.repeat(1536), a: 'x', 'd/inner': 'not counted' },
    });
    await symlink('b', path.join(folders.root, 'link'));
    const tools = await createToolCaller([folders.root]);
    const { text, structured } = await tools.call('list_directory_with_sizes', { path: '.' });
    expect(structured).toEqual({
      content: text,
      path: folders.root,
      entries: [
        { name: 'a', type: 'file', size: 1, mtime },
        { name: 'b', type: 'file', size: 1536, mtime },
        { name: 'd', type: 'directory', size: 0, mtime },
        { name: 'link', type: 'symlink', size: 1536, mtime },
      ],
      totals: { files: 3, directories: 1, bytes: 3073 },
      truncated: false,
    });
    expect(text.split('\n')).toEqual([
      `[FILE] ${'a'.padEnd(30)} ${'1 B'.padStart(10)}`,
      `[FILE] ${'b'.padEnd(30)} ${'1.50 KB'.padStart(10)}`,
      `[DIR] ${'d'.padEnd(30)} `,
      `[FILE] ${'link'.padEnd(30)} ${'1.50 KB'.padStart(10)}`,
      '',
      'Total: 3 files, 1 directories',
      'Combined size: 3.00 KB',
    ]);
  });

  test('sorts by size, largest first, equal ones by name', async () => {
    await using folders = await createTemporaryFolders({ root: { a: '1', c: '22', b: '22' } });
    const tools = await createToolCaller([folders.root]);
    expect(await allPages(tools, { sortBy: 'size' })).toEqual(['b', 'c', 'a']);
  });

  test.each([
    ['name', 'big'],
    ['size', 'big'],
  ])('gives every entry of a big directory once, page by page, by %s', async (sortBy, first) => {
    await using folders = await createTemporaryFolders({ root: { big: 'x'.repeat(100) } });
    createManyEntries(
      folders.root,
      Array.from({ length: 500 }, (_, index) => `f${index}`),
    );
    const tools = await createToolCaller([folders.root]);
    const names = await allPages(tools, { sortBy, limit: 70 });
    expect(names).toHaveLength(501);
    expect(new Set(names).size).toBe(501);
    expect(names[0]).toBe(first);
  });

  test('keeps long names within the budget of a result', async () => {
    await using folders = await createTemporaryFolders();
    createManyEntries(
      folders.root,
      Array.from({ length: 1500 }, (_, index) => `${'\u0001'.repeat(240)}${index}`),
    );
    const tools = await createToolCaller([folders.root]);
    const { text, structured } = await tools.call('list_directory_with_sizes', { path: '.' });
    expect(structured).toMatchObject({ truncated: true, totals: { files: 1500 } });
    expect(
      JSON.stringify({ content: [{ text }], structuredContent: structured }).length,
    ).toBeLessThan(1024 * 1024);
  });

  test('leaves out denied entries, and refuses a file and a foreign cursor', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': 'a', '.env': 'secret' },
    });
    await mkdir(path.join(folders.root, 'd'));
    const tools = await createToolCaller([folders.root], { deny: ['.env'] });
    expect(await allPages(tools, {})).toEqual(['a.txt', 'd']);
    await expect(tools.call('list_directory_with_sizes', { path: 'a.txt' })).rejects.toThrow(
      'not a directory',
    );
    await expect(
      tools.call('list_directory_with_sizes', { path: '.', cursor: 'eA' }),
    ).rejects.toThrow('cursor');
  });
});

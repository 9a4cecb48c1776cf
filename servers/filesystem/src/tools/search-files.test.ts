import { readdirSync } from 'node:fs';
import { mkdir, rename, symlink } from 'node:fs/promises';
import path from 'node:path';
import { createManyEntries, createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { chooseOpener, type Opener } from '@signalbox/file-sandbox';
import { createTestContext } from '@signalbox/mcp-core/testing';
import { threadCpuMs } from '@signalbox/server-kit/testing';
import { describe, expect, test } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';

const sources = {
  'sub/deep/y.js': '1',
  'z.js': '2',
  'packages/a/src/one.ts': '',
  'packages/a/src/two.ts': '',
  'packages/b/one.ts': '',
  'packages/b/node_modules/dep/index.ts': '',
  '.config/x.ts': '',
  'odd (1)+!.txt': '',
};

const real = await chooseOpener('/');

describe('search_files', () => {
  test.each([
    ['y.js', ['sub/deep/y.js']],
    ['*.js', ['z.js']],
    ['**/*.js', ['sub/deep/y.js', 'z.js']],
    ['./packages/*/one.ts', ['packages/b/one.ts']],
    ['**/{one,two}.ts', ['packages/a/src/one.ts', 'packages/a/src/two.ts', 'packages/b/one.ts']],
    ['.config/*.ts', ['.config/x.ts']],
    ['deep', ['sub/deep/']],
    ['deep/', ['sub/deep/']],
    ['nothing', []],
    ['odd (1)+!.txt', ['odd (1)+!.txt']],
    ['odd (*)+*', ['odd (1)+!.txt']],
    ['odd [(]?[)]{+,-}\\!*', ['odd (1)+!.txt']],
    ['!z.js', []],
  ])('finds %s', async (pattern, matches) => {
    await using folders = await createTemporaryFolders({ root: sources });
    const tools = await createToolCaller([folders.root]);
    const { structured } = await tools.call('search_files', { path: '.', pattern });
    expect(structured).toMatchObject({
      path: folders.root,
      matches,
      total: matches.length,
      truncated: false,
    });
  });

  test('leaves out excluded directories with everything below', async () => {
    await using folders = await createTemporaryFolders({ root: sources });
    const tools = await createToolCaller([folders.root]);
    const all = await tools.call('search_files', { path: 'packages', pattern: '**/*.ts' });
    expect(all.structured).toMatchObject({ total: 4 });
    for (const exclusion of [
      'node_modules',
      '**/node_modules',
      '**/node_modules/**',
      'b/node_modules/',
    ]) {
      const { structured } = await tools.call('search_files', {
        path: 'packages',
        pattern: '**/*.ts',
        excludePatterns: [exclusion],
      });
      expect(structured).toMatchObject({ total: 3, scanned: 7 });
    }
  });

  test('spells matches so that other tools take them', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'sub/a.txt': 'first' },
      outside: { 'sub/a.txt': 'second' },
    });
    const tools = await createToolCaller([folders.root, folders.outside]);
    for (const [directory, content] of [
      ['sub', 'first'],
      [folders.outside, 'second'],
    ] as const) {
      const { structured } = await tools.call('search_files', {
        path: directory,
        pattern: 'a.txt',
      });
      const [match] = structured['matches'] as [string];
      expect((await tools.call('read_text_file', { path: match })).text).toBe(content);
    }
  });

  test('counts per directory of the requested depth', async () => {
    await using folders = await createTemporaryFolders({ root: sources });
    const tools = await createToolCaller([folders.root]);
    const counts = async (directory: string, groupDepth: number) => {
      const args = { path: directory, pattern: '**/*', type: 'file', groupDepth, maxResults: 0 };
      return (await tools.call('search_files', args)).structured;
    };
    expect(await counts('packages', 1)).toMatchObject({
      matches: [],
      total: 4,
      truncated: true,
      groups: [
        { directory: 'a', count: 2 },
        { directory: 'b', count: 2 },
      ],
    });
    expect((await counts('.', 2))['groups']).toEqual([
      { directory: '.', count: 2 },
      { directory: 'packages/a', count: 2 },
      { directory: 'packages/b', count: 2 },
      { directory: '.config', count: 1 },
      { directory: 'sub/deep', count: 1 },
    ]);
    expect((await counts('.', 0))['groups']).toEqual([{ directory: '.', count: 8 }]);
  });

  test('returns the first matches in order and the number of all', async () => {
    await using folders = await createTemporaryFolders();
    createManyEntries(
      folders.root,
      Array.from({ length: 700 }, (_, index) => `f${index}.txt`),
    );
    const tools = await createToolCaller([folders.root]);
    const { structured } = await tools.call('search_files', {
      path: '.',
      pattern: '*.txt',
      maxResults: 3,
    });
    expect(structured).toMatchObject({
      matches: ['f0.txt', 'f1.txt', 'f10.txt'],
      total: 700,
      scanned: 700,
      truncated: true,
    });
  });

  test('lists every match that fits into a result, like the official server', async () => {
    await using folders = await createTemporaryFolders();
    createManyEntries(
      folders.root,
      Array.from({ length: 12_000 }, (_, index) => `f${index}.txt`),
    );
    const limits = { maxResultBytes: 3 * 2 ** 20 };
    const tools = await createToolCaller([folders.root], { limits });
    const { structured } = await tools.call('search_files', { path: '.', pattern: '*.txt' });
    expect(structured).toMatchObject({ total: 12_000, truncated: false });
    expect(structured['matches']).toHaveLength(12_000);
  });

  test('never follows a link', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'd/a.txt': '' },
      outside: { 'a.txt': 'TOPSECRET' },
    });
    await symlink(folders.outside, path.join(folders.root, 'out'));
    await symlink('..', path.join(folders.root, 'd/loop'));
    const tools = await createToolCaller([folders.root]);
    const { structured } = await tools.call('search_files', { path: '.', pattern: '**/a.txt' });
    expect(structured).toMatchObject({ matches: ['d/a.txt'], scanned: 4 });
    await expect(tools.call('search_files', { path: 'out', pattern: 'a.txt' })).rejects.toThrow(
      'Access denied',
    );
  });

  test('skips a directory that turns into a link while it walks', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'd/a.txt': '' },
      outside: { 'a.txt': '' },
    });
    const { root, outside } = folders;
    const swapping: Opener = {
      kind: real.kind,
      async pin(target, options) {
        if (target === path.join(root, 'd')) {
          await mkdir(path.join(root, 'moved'), { recursive: true });
          await rename(target, path.join(root, 'moved/d'));
          await symlink(outside, target);
        }
        return real.pin(target, options);
      },
    };
    const tools = await createToolCaller([root], { opener: swapping });
    const { structured } = await tools.call('search_files', { path: '.', pattern: 'a.txt' });
    expect(structured).toMatchObject({ matches: [], unreadable: 1 });
  });

  test('handles odd names and counts directories it cannot open', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'new\nline/[x]*?.txt': '', '日本/é.txt': '' },
    });
    await mkdir(Buffer.from(`${folders.root}/bad\xff`, 'latin1'));
    const tools = await createToolCaller([folders.root]);
    const { structured } = await tools.call('search_files', { path: '.', pattern: '**/*.txt' });
    expect(structured).toMatchObject({
      matches: ['new\nline/[x]*?.txt', '日本/é.txt'],
      unreadable: 1,
    });
  });

  test.each([
    ['/etc/*', 'relative to path'],
    ['{a,b}'.repeat(10), 'expands to too many'],
    [`{${'x,'.repeat(190)}}`.padEnd(900, 'y'), 'too long'],
  ])('refuses the pattern %s', async (pattern, message) => {
    await using folders = await createTemporaryFolders();
    const tools = await createToolCaller([folders.root]);
    await expect(tools.call('search_files', { path: '.', pattern })).rejects.toThrow(message);
  });

  test('a hundred hostile patterns on a hostile name are answered within 250 ms of processor time', async () => {
    await using folders = await createTemporaryFolders({ root: { ['a'.repeat(250)]: '' } });
    const tools = await createToolCaller([folders.root]);
    const excludePatterns = Array.from({ length: 100 }, (_, index) => `*a*a*b${index}`);
    const startedAt = threadCpuMs();
    await tools.call('search_files', { path: '.', pattern: '*a'.repeat(100), excludePatterns });
    // A backtracking matcher takes seconds.
    expect(threadCpuMs() - startedAt).toBeLessThan(250);
  });

  test('reports growing progress and ends with the count', async () => {
    await using folders = await createTemporaryFolders();
    createTree(folders.root, { directories: 10, files: 500 });
    const tools = await createToolCaller([folders.root]);
    const context = createTestContext();
    const { structured } = await tools.call(
      'search_files',
      { path: '.', pattern: '**/f1.txt' },
      context,
    );
    expect(structured).toMatchObject({ total: 10, scanned: 5010 });
    expect(context.progressed.length).toBeGreaterThanOrEqual(3);
    expect(context.progressed.at(-1)).toEqual({
      progress: 5010,
      message: '10 matches in 5010 entries',
    });
    expect(tools.lines).toEqual([
      expect.stringMatching(/debug tool=search_files outcome=finished scanned=5010 ms=\d+\n$/),
    ]);
  });

  test('is cancelled while it compares the many names of one directory with slow patterns', async () => {
    await using folders = await createTemporaryFolders();
    createManyEntries(
      path.join(folders.root, 'wide'),
      Array.from({ length: 900 }, (_, index) => `${'a'.repeat(200)}${index}`),
    );
    const tools = await createToolCaller([folders.root]);
    // Each entry takes milliseconds, all of them seconds, and all are read from the directory at once.
    const excludePatterns = Array.from(
      { length: 100 },
      (_, index) => `**/*${'a'.repeat(90)}z${index}`,
    );
    const cancel = new AbortController();
    // Like the cancellation of a client, it arrives in a turn of the event loop.
    setTimeout(() => cancel.abort(new Error('cancelled by the client')), 50);
    const startedAt = threadCpuMs();
    const search = tools.call(
      'search_files',
      { path: '.', pattern: 'nothing', excludePatterns },
      createTestContext({ signal: cancel.signal }),
    );
    await expect(search).rejects.toThrow('cancelled by the client');
    expect(threadCpuMs() - startedAt).toBeLessThan(500);
    expect(tools.lines).toEqual([expect.stringMatching(/outcome=cancelled ms=\d+\n$/)]);
  });

  test('stops within 250 ms of processor time of a cancellation and touches no file after it', async () => {
    await using folders = await createTemporaryFolders();
    createTree(folders.root, { directories: 40, files: 200 });
    let pins = 0;
    const counting: Opener = {
      kind: real.kind,
      pin(target, options) {
        pins++;
        return real.pin(target, options);
      },
    };
    const tools = await createToolCaller([folders.root], { opener: counting });
    const cancel = new AbortController();
    const context = createTestContext({ signal: cancel.signal });
    let cancelledAt = 0;
    const progress = () => {
      if (cancelledAt === 0) {
        cancelledAt = threadCpuMs();
        cancel.abort(new Error('cancelled by the client'));
      }
      return Promise.resolve();
    };
    await expect(
      tools.call('search_files', { path: '.', pattern: 'nothing' }, { ...context, progress }),
    ).rejects.toThrow('cancelled by the client');
    expect(threadCpuMs() - cancelledAt).toBeLessThan(250);
    const pinsAtEnd = pins;
    expect(pinsAtEnd).toBeLessThan(40);
    const handles = readdirSync('/proc/self/fd').length;
    await new Promise((resolve) => setImmediate(resolve));
    await mkdir(path.join(folders.root, 'later'));
    expect(pins).toBe(pinsAtEnd);
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(handles);
    expect(tools.lines).toEqual([
      expect.stringMatching(/debug tool=search_files outcome=cancelled scanned=\d{4} ms=\d+\n$/),
    ]);
  });
});

function createTree(
  root: string,
  size: { readonly directories: number; readonly files: number },
): void {
  const names = Array.from({ length: size.files }, (_, index) => `f${index}.txt`);
  for (let directory = 0; directory < size.directories; directory++)
    createManyEntries(path.join(root, `d${directory}`), names);
}

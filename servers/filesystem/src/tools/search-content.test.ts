import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { symlink, truncate } from 'node:fs/promises';
import path from 'node:path';
import { createTemporaryFolders, type FolderContents } from '@signalbox/file-sandbox/testing';
import type { JsonObject } from '@signalbox/mcp-core';
import { createTestContext } from '@signalbox/mcp-core/testing';
import { threadCpuMs } from '@signalbox/server-kit/testing';
import { describe, expect, test } from 'vitest';
import { createToolCaller, type ToolCallerOptions } from '../testing/call-tool.ts';

async function searchIn(
  root: FolderContents['root'],
  args: JsonObject,
  options: ToolCallerOptions = {},
) {
  await using folders = await createTemporaryFolders({ root: root ?? {} });
  const tools = await createToolCaller([folders.root], options);
  const { text, structured } = await tools.call('search_content', { path: '.', ...args });
  const matches = structured.matches as {
    path: string;
    line: number;
    column: number;
    text: string;
    before?: string[];
    after?: string[];
  }[];
  return {
    text,
    structured,
    matches,
    places: matches.map(({ path: file, line, column }) => `${file}:${line}:${column}`),
  };
}

describe('search_content', () => {
  test('finds text with its place, by path and line, and skips binary files', async () => {
    const { text, structured } = await searchIn(
      {
        'b.txt': 'one\ntwo needle\n',
        'a/c.txt': 'needle needle\r\nlast needle',
        'x.bin': Buffer.from('needle\0'),
      },
      { pattern: 'needle' },
    );
    expect(structured).toMatchObject({
      matches: [
        { path: 'a/c.txt', line: 1, column: 1, text: 'needle needle' },
        { path: 'a/c.txt', line: 2, column: 6, text: 'last needle' },
        { path: 'b.txt', line: 2, column: 5, text: 'two needle' },
      ],
      truncated: false,
      scanned: 2,
      skippedBinary: 1,
      unreadable: 0,
    });
    expect(text).toContain('a/c.txt:2:6: last needle');
  });

  test.each([
    ['text as it is', { pattern: 'a.c(' }, ['f:1:1']],
    ['text in any case', { pattern: 'A.C(', caseSensitive: false }, ['f:1:1']],
    [
      'text with special characters in any case',
      { pattern: '[x]-/^$|', caseSensitive: false },
      ['f:3:1'],
    ],
    ['a regular expression', { pattern: 'a.c', regex: true }, ['f:1:1', 'f:2:1']],
    [
      'a regular expression in any case',
      { pattern: '^A[B]C$', regex: true, caseSensitive: false },
      ['f:2:1'],
    ],
    ['the end of a line', { pattern: 'c$', regex: true }, ['f:2:3']],
    ['nothing', { pattern: 'nothing' }, []],
  ])('finds %s', async (_what, args, expected) => {
    expect((await searchIn({ f: 'a.c(\nabc\n[X]-/^$|\n' }, args)).places).toEqual(expected);
  });

  test('looks into one file', async () => {
    expect((await searchIn({ a: 'x', b: 'x' }, { path: 'b', pattern: 'x' })).places).toEqual([
      'b:1:1',
    ]);
  });

  test.each([
    ['a name at any depth', { glob: '*.ts' }, ['d/b.ts:1:1']],
    ['a path', { glob: 'd/**' }, ['d/b.ts:1:1', 'd/c.js:1:1']],
    ['an exclusion', { excludePatterns: ['d'] }, ['a.js:1:1']],
  ])('keeps to the files of %s', async (_what, args, expected) => {
    expect(
      (await searchIn({ 'a.js': 'x', 'd/b.ts': 'x', 'd/c.js': 'x' }, { pattern: 'x', ...args }))
        .places,
    ).toEqual(expected);
  });

  test('gives lines before and after', async () => {
    const { matches, text } = await searchIn(
      { f: '1\n2\nhit\n4\nhit\n6\n' },
      { pattern: 'hit', context: 2 },
    );
    expect(matches).toMatchObject([
      { line: 3, before: ['1', '2'], after: ['4', 'hit'] },
      { line: 5, before: ['hit', '4'], after: ['6'] },
    ]);
    expect(text).toContain('f-2- 2\nf:3:1: hit\nf-4- 4');
  });

  test('the last match within the limit still gets its lines', async () => {
    const { structured } = await searchIn(
      { f: 'hit\na\nb\nhit\n' },
      { pattern: 'hit', context: 1, maxResults: 1 },
    );
    expect(structured).toMatchObject({
      truncated: true,
      matches: [{ line: 1, before: [], after: ['a'] }],
    });
  });

  test('leaves out entries of .gitignore by default, also of files above the searched directory', async () => {
    const root = {
      '.gitignore': 'build/\n*.log\n',
      'src/.gitignore': '!keep.log\n/local\n',
      'src/a.js': 'x',
      'src/b.log': 'x',
      'src/keep.log': 'x',
      'src/local': 'x',
      'src/build/c.js': 'x',
      '.git/config': 'x',
    };
    expect((await searchIn(root, { pattern: 'x' })).places).toEqual([
      'src/a.js:1:1',
      'src/keep.log:1:1',
    ]);
    expect((await searchIn(root, { path: 'src', pattern: 'x' })).places).toEqual([
      'src/a.js:1:1',
      'src/keep.log:1:1',
    ]);
    expect((await searchIn(root, { pattern: 'x', respectGitignore: false })).places).toHaveLength(
      6,
    );
  });

  test('is not slowed down by a hostile rule of .gitignore', async () => {
    const began = threadCpuMs();
    await searchIn(
      { '.gitignore': `${'*a'.repeat(30)}b\n`, ['a'.repeat(250)]: 'x' },
      { pattern: 'x' },
    );
    expect(threadCpuMs() - began).toBeLessThan(2000);
  });

  test('finds text of other encodings', async () => {
    const utf16 = Buffer.concat([
      Buffer.from('fffe', 'hex'),
      Buffer.from('eins\nzwei é', 'utf16le'),
    ]);
    const { places } = await searchIn(
      { utf16, latin1: Buffer.from('63e9', 'hex'), mark: '\uFEFFé' },
      { pattern: 'é' },
    );
    expect(places).toEqual(['latin1:1:2', 'mark:1:1', 'utf16:2:6']);
  });

  test('takes time linear in the text', async () => {
    const began = threadCpuMs();
    expect(
      (await searchIn({ f: 'a'.repeat(50_000) }, { pattern: '(a+)+$', regex: true })).places,
    ).toEqual(['f:1:1']);
    await searchIn({ f: `${'a'.repeat(50_000)}!` }, { pattern: '^(a|a)*$', regex: true });
    expect(threadCpuMs() - began).toBeLessThan(2000);
  });

  test.each([
    ['a backreference', String.raw`(a)\1`],
    ['lookaround', '(?=a)'],
    ['an open group', '('],
    ['a repetition too large', '(x{1000}){1000}'],
  ])('refuses %s and says so', async (_what, pattern) => {
    await expect(searchIn({ f: 'a' }, { pattern, regex: true })).rejects.toThrow(
      'The regular expression cannot be used',
    );
  });

  test('returns the text around the match in a long line, and counts lines across the parts of a big file', async () => {
    const long = `${'-'.repeat(100_000)}needle${'-'.repeat(1000)}`;
    const { matches } = await searchIn(
      { f: `${'short\n'.repeat(100_000)}${long}\n` },
      { pattern: 'needle' },
    );
    expect(matches).toMatchObject([
      { line: 100_001, text: expect.stringMatching(/^-+needle-+$/) as string },
    ]);
    expect(matches[0]?.text).toHaveLength(400);
  });

  test.each([
    ['the start of a line', '^y', 'yy', 1],
    ['the end of a line', 'x$', 'x', undefined],
    ['a text across two parts', 'x-x', 'x-x', 65_535],
    ['a word that a part cuts', String.raw`\bword\b`, 'a word', 49_155],
    ['a match longer than a part', 'z+', 'z'.repeat(200_000), 1],
    ['the whole line', '^.*$', 'q', 1],
  ])(
    'finds %s in a line of several parts as in a short one',
    async (_what, pattern, wanted, column) => {
      const length = 300_000;
      const at = (column ?? length - wanted.length + 1) - 1;
      const shifted = wanted === 'a word' ? at - 2 : at;
      const line = `${'-'.repeat(shifted)}${wanted}${'-'.repeat(length - shifted - wanted.length)}`;
      // The same letters at the ends of the parts, where they must not match.
      const decoy =
        pattern === '^y' || pattern === 'x$'
          ? Array.from(line, (letter, index) =>
              index > 0 && index < length - 1 ? pattern.replaceAll(/[$^]/g, '') : letter,
            ).join('')
          : line;
      for (const end of ['', '\n', '\r\n']) {
        expect(
          (await searchIn({ f: `first\n${decoy}${end}` }, { pattern, regex: true })).places.filter(
            (place) => place.startsWith('f:2'),
          ),
        ).toEqual([`f:2:${column ?? length}`]);
      }
    },
  );

  test('finds no start or end of a line in the middle of it', async () => {
    const line = `-${'yx'.repeat(150_000)}-`;
    for (const pattern of ['^y', 'x$', '^x', 'y$'])
      expect((await searchIn({ f: line }, { pattern, regex: true })).places).toEqual([]);
  });

  test.runIf(process.platform === 'linux')(
    'takes less than 15 times the processor time of reading many small files',
    async () => {
      const files = Object.fromEntries(
        Array.from({ length: 1000 }, (_, index) => [`d${index % 10}/f${index}`, 'hello world\n']),
      );
      await using folders = await createTemporaryFolders({ root: files });
      const tools = await createToolCaller([folders.root]);
      const paths = Object.keys(files).map((name) => path.join(folders.root, name));
      const buffer = Buffer.alloc(65_536);
      const cost = async (work: () => unknown) => {
        const before = process.cpuUsage();
        await work();
        const { user, system } = process.cpuUsage(before);
        return user + system;
      };
      const [costs, controls]: [number[], number[]] = [[], []];
      for (let round = 0; round < 5; round++) {
        const search = () => tools.call('search_content', { path: '.', pattern: 'needle' });
        costs.push(await cost(search));
        controls.push(await cost(() => paths.forEach((file) => readNow(file, buffer))));
      }
      // About 6 times; more than 30 times when each step of a read goes through a thread.
      expect(Math.min(...costs) / Math.min(...controls)).toBeLessThan(15);
    },
  );

  test('counts the column of a text from the start of its line', async () => {
    const line = `${'-'.repeat(300_000)}needle`;
    for (const args of [
      { pattern: 'needle' },
      { pattern: 'NEEDLE', caseSensitive: false },
      { pattern: 'ne+dle', regex: true },
    ])
      expect((await searchIn({ f: line }, args)).places).toEqual(['f:1:300001']);
  });

  test('stops at the limit of matches and at the budget of a result', async () => {
    const many = `${'y'.repeat(300)}\n`.repeat(1000);
    expect((await searchIn({ f: many }, { pattern: 'y', maxResults: 3 })).structured).toMatchObject(
      { truncated: true, matches: { length: 3 } },
    );
    const { text, structured } = await searchIn(
      { f: many },
      { pattern: 'y', maxResults: 1000 },
      { limits: { maxResultBytes: 100_000 } },
    );
    expect(structured).toMatchObject({ truncated: true });
    expect(
      JSON.stringify({ content: [{ text }], structuredContent: structured }).length,
    ).toBeLessThan(100_000);
  });

  test('looks through a huge file without holding it', async () => {
    await using folders = await createTemporaryFolders({ root: { huge: 'start\n' } });
    await truncate(path.join(folders.root, 'huge'), 200 * 1024 * 1024);
    const tools = await createToolCaller([folders.root]);
    // The first 8 KiB decide, and contain the NULs of a sparse file.
    expect(
      (await tools.call('search_content', { path: '.', pattern: 'zzz' })).structured,
    ).toMatchObject({ skippedBinary: 1 });
  });

  test('follows no link, and leaves out denied entries', async () => {
    await using folders = await createTemporaryFolders({
      root: { a: 'x', '.env': 'x' },
      outside: { secret: 'x' },
    });
    await symlink(folders.outside, path.join(folders.root, 'd'));
    await symlink(path.join(folders.outside, 'secret'), path.join(folders.root, 'l'));
    const tools = await createToolCaller([folders.root], { deny: ['.env'] });
    const { structured } = await tools.call('search_content', { path: '.', pattern: 'x' });
    expect(structured.matches).toMatchObject([{ path: 'a' }]);
    expect(structured.matches).toHaveLength(1);
  });

  test('ends soon after its cancellation', async () => {
    await using folders = await createTemporaryFolders({
      root: Object.fromEntries(
        Array.from({ length: 600 }, (_, index) => [`f${index}`, 'line\n'.repeat(2000)]),
      ),
    });
    const tools = await createToolCaller([folders.root]);
    const cancel = new AbortController();
    let cancelledAt = Infinity;
    const progress = () => {
      cancelledAt = Math.min(cancelledAt, threadCpuMs());
      cancel.abort(new Error('cancelled by the client'));
      return Promise.resolve();
    };
    const context = { ...createTestContext({ signal: cancel.signal }), progress };
    await expect(
      tools.call('search_content', { path: '.', pattern: 'l[i]nes', regex: true }, context),
    ).rejects.toThrow('cancelled by the client');
    expect(threadCpuMs() - cancelledAt).toBeLessThan(250);
  });
});

function readNow(file: string, buffer: Buffer): void {
  const handle = openSync(file, 'r');
  fstatSync(handle);
  readSync(handle, buffer);
  closeSync(handle);
}

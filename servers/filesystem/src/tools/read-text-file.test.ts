import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { truncate } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { hashOf } from '@signalbox/file-sandbox';
import { ToolError } from '@signalbox/mcp-core';
import { createTestContext } from '@signalbox/mcp-core/testing';
import { describe, expect, test } from 'vitest';
import { resultBudgetBytes } from '../files/limits.ts';
import { createToolCaller, type CalledTool, type ToolCallerOptions } from '../testing/call-tool.ts';

async function readIn(
  content: string | Buffer,
  args: { readonly [name: string]: unknown } = {},
  limits: ToolCallerOptions['limits'] = {},
): Promise<CalledTool> {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': content } });
  const tools = await createToolCaller([folders.root], { limits });
  return await tools.call('read_text_file', { path: 'a.txt', ...args });
}

describe('read_text_file', () => {
  test('returns a whole file as text and as structured content', async () => {
    const { text, structured } = await readIn('line1\nline2\nline3\n');
    expect(text).toBe('line1\nline2\nline3\n');
    expect(structured).toMatchObject({
      content: text,
      startLine: 1,
      endLine: 3,
      totalLines: 3,
      truncated: false,
      eol: 'lf',
      bom: false,
      encoding: 'utf-8',
      size: 18,
    });
    expect(structured).not.toHaveProperty('nextOffset');
  });

  test.each([
    ['head', { head: 2 }, '1\n2', { startLine: 1, endLine: 2, nextOffset: 3 }],
    ['a range', { offset: 2, limit: 2 }, '2\n3\n', { startLine: 2, endLine: 3, nextOffset: 4 }],
    ['the rest', { offset: 4 }, '4\n5', { startLine: 4, endLine: 5, totalLines: 5 }],
    [
      'a range over the end',
      { offset: 5, limit: 10 },
      '5',
      { startLine: 5, endLine: 5, totalLines: 5 },
    ],
    ['one last line', { tail: 1 }, '5', {}],
    ['two last lines', { tail: 2 }, '4\n5', {}],
    [
      'more last lines than there are',
      { tail: 50 },
      '1\n2\n3\n4\n5',
      { startLine: 1, endLine: 5, totalLines: 5 },
    ],
  ])('returns %s', async (_what, args, expected, lines) => {
    const { text, structured } = await readIn('1\n2\n3\n4\n5', args);
    expect(text).toBe(expected);
    expect(structured).toMatchObject({ ...lines, truncated: false });
  });

  test('does not count a line after the final newline', async () => {
    expect((await readIn('line1\nline2\nline3\n', { tail: 1 })).text).toBe('line3\n');
    expect((await readIn('line1\nline2\nline3\n', { tail: 2 })).text).toBe('line2\nline3\n');
    expect((await readIn('a\n\n', { tail: 1 })).text).toBe('\n');
    expect((await readIn('a\n\n')).structured).toMatchObject({ totalLines: 2 });
  });

  test('returns an empty file as no lines', async () => {
    for (const args of [{}, { head: 3 }, { tail: 3 }]) {
      const { text, structured } = await readIn('', args);
      expect(text).toBe('');
      expect(structured).toMatchObject({ totalLines: 0, truncated: false, eol: 'none', size: 0 });
    }
  });

  test('keeps CRLF and says so', async () => {
    const { text, structured } = await readIn('one\r\ntwo\r\nthree\r\n', { head: 2 });
    expect(text).toBe('one\r\ntwo');
    expect(structured).toMatchObject({ eol: 'crlf' });
    expect((await readIn('a\r\nb\n')).structured).toMatchObject({ eol: 'mixed' });
  });

  test('strips a byte order mark and says so', async () => {
    const { text, structured } = await readIn(Buffer.from('\uFEFFhello\nworld\n'));
    expect(text).toBe('hello\nworld\n');
    expect(structured).toMatchObject({ bom: true, encoding: 'utf-8' });
    expect((await readIn(Buffer.from('\uFEFFhello\nworld\n'), { tail: 1 })).text).toBe('world\n');
  });

  test('shows bytes that are not UTF-8 as Latin-1', async () => {
    const { text, structured } = await readIn(Buffer.from('636166e90a', 'hex'));
    expect(text).toBe('café\n');
    expect(structured).toMatchObject({ encoding: 'latin1' });
  });

  test('refuses a binary file by name', async () => {
    await expect(readIn(Buffer.from('0001020305', 'hex'))).rejects.toThrow('binary');
  });

  test.each([
    ['utf-16le', 'fffe6f006e0065000a00740077006f000a00e920'],
    ['utf-16be', 'feff006f006e0065000a00740077006f000a20e9'],
  ])('reads %s', async (encoding, bytes) => {
    const all = await readIn(Buffer.from(bytes, 'hex'));
    expect(all.text).toBe('one\ntwo\n\u20e9');
    expect(all.structured).toMatchObject({
      encoding,
      bom: true,
      totalLines: 3,
      eol: 'lf',
      size: 20,
    });
    expect((await readIn(Buffer.from(bytes, 'hex'), { tail: 2 })).text).toBe('two\n\u20e9');
    expect((await readIn(Buffer.from(bytes, 'hex'), { offset: 2, limit: 1 })).text).toBe('two\n');
  });

  test('reads in the requested encoding', async () => {
    expect((await readIn(Buffer.from('63e9', 'hex'), { encoding: 'latin1' })).text).toBe('cé');
    expect((await readIn(Buffer.from('c3a9', 'hex'), { encoding: 'latin1' })).text).toBe('Ã©');
    await expect(readIn(Buffer.from('63e9', 'hex'), { encoding: 'utf-8' })).rejects.toThrow(
      'not valid UTF-8',
    );
  });

  test.each([
    ['all', {}, '1\ta\n2\t\n3\tb'],
    ['a range', { offset: 2 }, '2\t\n3\tb'],
    ['a tail', { tail: 1 }, '3\tb'],
  ])('numbers the lines of %s', async (_what, args, expected) => {
    const { text, structured } = await readIn('a\n\nb', { lineNumbers: true, ...args });
    expect(text).toBe(expected);
    expect(structured).toMatchObject({ content: expected });
  });

  test('numbers a tail of a file that is not read as a whole', async () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => `line ${index + 1}\n`);
    const { text } = await readIn(lines.join(''), { tail: 2, lineNumbers: true });
    expect(text).toBe('99999\tline 99999\n100000\tline 100000\n');
  });

  test('gives the hash of a file that was read as a whole, byte order mark included', async () => {
    const bytes = Buffer.from('\uFEFFhello\n');
    expect((await readIn(bytes)).structured).toMatchObject({ hash: hashOf(bytes) });
    expect((await readIn('a\nb\n', { head: 1 })).structured).not.toHaveProperty('hash');
    expect(
      (await readIn('x'.repeat(5000), {}, { maxReadBytes: 1024 })).structured,
    ).not.toHaveProperty('hash');
    const limits = { maxReadBytes: 1_000_000, maxResultBytes: 3_000_000 };
    const longest = Buffer.from('y'.repeat(256 * 1024));
    expect((await readIn(longest, {}, limits)).structured).toMatchObject({
      hash: hashOf(longest),
      truncated: false,
    });
    const longer = (await readIn('y'.repeat(256 * 1024 + 1), {}, limits)).structured;
    expect(longer).toMatchObject({ truncated: false });
    expect(longer).not.toHaveProperty('hash');
  });

  test('with numbers stays within the budget', async () => {
    const { structured } = await readIn('\n'.repeat(300_000), { lineNumbers: true });
    expect(structured).toMatchObject({ truncated: true, startLine: 1 });
    expect(2 * Buffer.byteLength(JSON.stringify(structured.content))).toBeLessThan(
      resultBudgetBytes,
    );
  });

  test('cuts a long file at a line and continues where it ended', async () => {
    const lines = Array.from({ length: 3000 }, (_, index) => `line number ${index + 1}\n`);
    await using folders = await createTemporaryFolders({ root: { 'a.txt': lines.join('') } });
    const tools = await createToolCaller([folders.root], { limits: { maxReadBytes: 5000 } });
    let collected = '';
    let offset: unknown = 1;
    let pieces = 0;
    for (; offset !== undefined; pieces++) {
      const { text, structured } = await tools.call('read_text_file', { path: 'a.txt', offset });
      expect(text.length).toBeLessThanOrEqual(5000);
      expect(structured['truncated']).toBe(structured['nextOffset'] !== undefined);
      collected += text;
      offset = structured['nextOffset'];
    }
    expect(collected).toBe(lines.join(''));
    expect(pieces).toBeGreaterThan(8);
  });

  test('is not truncated by a file of exactly the limit', async () => {
    const { structured } = await readIn('x'.repeat(4999) + '\n', {}, { maxReadBytes: 5000 });
    expect(structured).toMatchObject({ truncated: false, totalLines: 1 });
  });

  test('cuts a single huge line between characters', async () => {
    const { text, structured } = await readIn('ä'.repeat(5000), {}, { maxReadBytes: 1025 });
    expect(text).toBe('ä'.repeat(512));
    expect(structured).toMatchObject({
      truncated: true,
      startLine: 1,
      endLine: 1,
      nextOffset: 1,
      nextColumn: 1025,
    });
    const tail = await readIn('ä'.repeat(5000), { tail: 1 }, { maxReadBytes: 1025 });
    expect(tail.text).toBe('ä'.repeat(512));
    expect(tail.structured).toMatchObject({ truncated: true });
  });

  test('keeps the last whole lines of a long tail', async () => {
    const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}\n`);
    const { text, structured } = await readIn(
      lines.join(''),
      { tail: 900 },
      { maxReadBytes: 1024 },
    );
    expect(lines.join('').endsWith(text)).toBe(true);
    expect(text.startsWith('line ')).toBe(true);
    expect(text.length).toBeGreaterThan(1000);
    expect(structured).toMatchObject({ truncated: true });
  });

  test.each([{}, { tail: 100_000 }])(
    'stays within the result budget when JSON makes the text larger (%o)',
    async (args) => {
      const { text, structured } = await readIn('\u0001\u0002\n'.repeat(60_000), args, {
        maxReadBytes: 512 * 1024,
      });
      expect(2 * JSON.stringify(text).length).toBeLessThanOrEqual(resultBudgetBytes);
      expect(text.length).toBeGreaterThan(1000);
      expect(text.startsWith('\u0001')).toBe(true);
      expect(structured).toMatchObject({ truncated: true });
    },
  );

  test('reads the start of a huge file without reading the rest', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'big.txt': 'first\n' + 'x'.repeat(10_000) },
    });
    await truncate(path.join(folders.root, 'big.txt'), 4 * 1024 ** 3);
    const tools = await createToolCaller([folders.root]);
    const { structured } = await tools.call('read_text_file', { path: 'big.txt', head: 1 });
    expect(structured).toMatchObject({ content: 'first', size: 4 * 1024 ** 3, nextOffset: 2 });
    expect((await tools.call('read_text_file', { path: 'big.txt' })).structured).toMatchObject({
      truncated: true,
    });
    expect(
      (await tools.call('read_text_file', { path: 'big.txt', tail: 1 })).structured,
    ).toMatchObject({ truncated: true });
  });

  test('stops scanning for a far line when it is cancelled', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'big.txt': 'first\n' + 'x'.repeat(10_000) },
    });
    await truncate(path.join(folders.root, 'big.txt'), 64 * 1024 ** 3);
    const tools = await createToolCaller([folders.root]);
    const cancel = new AbortController();
    const context = createTestContext({ signal: cancel.signal });
    const reading = tools.call(
      'read_text_file',
      { path: 'big.txt', offset: 5 },
      { ...context, progress: () => Promise.resolve(cancel.abort(new Error('enough'))) },
    );
    await expect(reading).rejects.toThrow('enough');
    expect(tools.lines).toEqual([
      expect.stringMatching(/debug tool=read_text_file outcome=cancelled scanned=\d+ ms=\d+\n$/),
    ]);
  });

  test.each([
    [{ head: 1, tail: 1 }, 'head and tail'],
    [{ head: 1, offset: 2 }, 'head and offset'],
    [{ tail: 1, limit: 2 }, 'tail and limit'],
    [{ offset: 9 }, 'offset 9 is past the end: the file has 2 lines'],
  ])('refuses %j', async (args, message) => {
    const failure = readIn('1\n2\n', args);
    await expect(failure).rejects.toBeInstanceOf(ToolError);
    await expect(failure).rejects.toThrow(message);
  });

  test('refuses FIFOs, sockets, devices and directories at once, and further reads succeed', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': 'x', 'd/x': '' } });
    execFileSync('mkfifo', [path.join(folders.root, 'fifo')]);
    const listener = createServer().listen(path.join(folders.root, 'socket'));
    await once(listener, 'listening');
    const tools = await createToolCaller([folders.root, '/dev/null']);
    const five = Array.from({ length: 5 }, () => tools.call('read_text_file', { path: 'fifo' }));
    for (const outcome of await Promise.allSettled(five))
      expect(outcome).toMatchObject({
        reason: { message: expect.stringContaining('FIFO') as string },
      });
    await expect(tools.call('read_text_file', { path: 'socket' })).rejects.toThrow(
      'only regular files',
    );
    await expect(tools.call('read_text_file', { path: 'd' })).rejects.toThrow('use list_directory');
    expect((await tools.call('read_text_file', { path: 'a.txt' })).text).toBe('x');
    listener.close();
  });

  test('reads names of any alphabet', async () => {
    await using folders = await createTemporaryFolders({ root: { '日本語/🚂 é.txt': 'ok' } });
    const tools = await createToolCaller([folders.root]);
    expect((await tools.call('read_text_file', { path: '日本語/🚂 é.txt' })).text).toBe('ok');
  });

  test('names the missing file in its error', async () => {
    await expect(readIn('', { path: 'none.txt' })).rejects.toThrow(
      'none.txt: no such file or directory',
    );
  });
});

test.each([
  ['ASCII', 'x', 300_000, {}],
  ['characters of several bytes', 'é€😀', 60_000, {}],
  [
    'control characters, which take more room in a result',
    '\u0001',
    300_000,
    { maxResultBytes: 200_000 },
  ],
  ['UTF-16', 'utf16', 0, {}],
  ['one byte for each character', 'latin1', 0, {}],
])('a line longer than one read comes piece by piece: %s', async (_what, unit, times, limits) => {
  const line = unit === 'utf16' || unit === 'latin1' ? 'aé'.repeat(200_000) : unit.repeat(times);
  const text = `first\n${line}\nlast\n`;
  const bytes =
    unit === 'utf16'
      ? Buffer.from(`\uFEFF${text}`, 'utf16le')
      : Buffer.from(text, unit === 'latin1' ? 'latin1' : 'utf8');
  await using folders = await createTemporaryFolders({ root: { 'a.txt': bytes } });
  const tools = await createToolCaller([folders.root], { limits });
  let read = '';
  let next: { offset?: unknown; column?: unknown } = {};
  for (let calls = 0; calls < 100; calls++) {
    const { structured } = await tools.call('read_text_file', { path: 'a.txt', ...next });
    read += String(structured['content']);
    if (structured['truncated'] !== true) break;
    const { nextOffset: offset, nextColumn: column } = structured;
    next = { offset, ...(column === undefined ? {} : { column }) };
  }
  expect(read.length).toBe(text.length);
  expect(read === text).toBe(true);
});

test('returns where a cut line continues', async () => {
  const { structured, text } = await readIn(`${'x'.repeat(300_000)}\ny\n`);
  expect(structured).toMatchObject({
    truncated: true,
    endLine: 1,
    nextOffset: 1,
    nextColumn: 262_145,
  });
  expect(text).toHaveLength(262_144);
  const rest = await readIn(`${'x'.repeat(300_000)}\ny\n`, { offset: 1, column: 262_145 });
  expect(rest.structured).toMatchObject({ truncated: false, startLine: 1, endLine: 2 });
  expect(rest.text).toBe(`${'x'.repeat(300_000 - 262_144)}\ny\n`);
  expect((await readIn('abc\ndef\n', { column: 99 })).text).toBe('\ndef\n');
});

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, symlinkSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, describe, test } from 'vitest';
import { eras, inFull, type CallOutcome } from '../stdio-peer.test.support.ts';
import { createFixture, shareServers } from './fixture.test.support.ts';

const officialTools = [
  'read_file',
  'read_text_file',
  'read_media_file',
  'read_multiple_files',
  'write_file',
  'edit_file',
  'create_directory',
  'list_directory',
  'list_directory_with_sizes',
  'directory_tree',
  'move_file',
  'search_files',
  'get_file_info',
  'list_allowed_directories',
];

const either = expect.any(Boolean) as boolean;

interface ListedTool {
  readonly name: string;
  readonly annotations: { readonly [hint: string]: boolean };
}

const prepare = shareServers();

describe.each(eras)('a %s client', (era) => {
  test('FS-01 gets the official tool names, all four hints, and the same small list each time', async () => {
    await using files = await prepare();
    const peer = await files.serve(era);
    const [first, second] = [await peer.request('tools/list'), await peer.request('tools/list')];
    const tools = first.result?.['tools'] as readonly ListedTool[];
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(officialTools));
    for (const { annotations } of tools) {
      expect(annotations).toEqual({
        readOnlyHint: either,
        destructiveHint: either,
        idempotentHint: either,
        openWorldHint: either,
      });
    }
    expect(JSON.stringify(second.result)).toBe(JSON.stringify(first.result));
    expect(Buffer.byteLength(JSON.stringify(first.result))).toBeLessThanOrEqual(20_000);
  });

  test('FS-02 can give a file as absolute path, relative path or file URL', async () => {
    await using files = await prepare({ 'a.txt': 'line1\nline2\nline3\n' });
    const peer = await files.serve(era);
    for (const path of [files.at('a.txt'), 'a.txt', `file://${files.at('a.txt')}`]) {
      const { isError, text, structured } = await peer.call('read_text_file', { path });
      expect({ isError, text, content: structured['content'] }).toEqual({
        isError: false,
        text: 'line1\nline2\nline3\n',
        content: 'line1\nline2\nline3\n',
      });
    }
  });

  test('FS-03 cannot read outside, whatever the spelling', async () => {
    await using files = await prepare({}, { 'secret.txt': 'TOPSECRET' });
    const peer = await files.serve(era);
    for (const path of [
      `${files.outside}/secret.txt`,
      `${files.root}/../outside/secret.txt`,
      '~/.profile',
      '/proc/self/environ',
    ]) {
      const outcome = await peer.call('read_text_file', { path });
      expect(outcome.isError).toBe(true);
      expect(outcome.text).toMatch(/outside|denied/i);
      expect(JSON.stringify(outcome)).not.toContain('TOPSECRET');
    }
  });

  test.each([
    ['head', { head: 0 }],
    ['head', { head: -1 }],
    ['head', { head: 1.5 }],
    ['head and tail', { head: 1, tail: 1 }],
    ['offset', { offset: 0 }],
    ['limit', { limit: 'x' }],
  ])('FS-10 gets an error that names %s in %j', async (name, args) => {
    await using files = await prepare({ 'a.txt': '1\n2\n3\n' });
    const peer = await files.serve(era);
    const { isError, text } = await peer.call('read_text_file', { path: 'a.txt', ...args });
    expect(isError).toBe(true);
    expect(text).toContain(name);
  });

  test('FS-11 sees no phantom line after the last newline', async () => {
    await using files = await prepare({ 'a.txt': 'line1\nline2\nline3\n' });
    const peer = await files.serve(era);
    expect((await peer.call('read_text_file', { path: 'a.txt', tail: 1 })).text).toBe('line3\n');
    expect((await peer.call('read_text_file', { path: 'a.txt', tail: 2 })).text).toMatch(/^line2/);
  });

  test('FS-12 gets the first lines of a CRLF file with whole line ends', async () => {
    await using files = await prepare({ 'c.txt': 'one\r\ntwo\r\nthree\r\n' });
    const peer = await files.serve(era);
    const { text, structured } = await peer.call('read_text_file', { path: 'c.txt', head: 2 });
    expect(text).not.toMatch(/\r(?!\n)/);
    expect(structured).toMatchObject({ eol: 'crlf' });
  });

  test.runIf(process.platform !== 'win32')(
    'FS-24 gets an error for FIFOs within a second, and further calls succeed',
    async () => {
      await using files = await prepare({ 'a.txt': 'x' });
      execFileSync('mkfifo', [files.at('f')]);
      const peer = await files.serve(era);
      const took = await peer.timed(async () => {
        const reads = await Promise.all(
          Array.from({ length: 5 }, () => peer.call('read_text_file', { path: 'f' })),
        );
        expect(reads.map(({ isError }) => isError)).toEqual([true, true, true, true, true]);
        expect((await peer.call('read_text_file', { path: 'a.txt' })).text).toBe('x');
      });
      expect(took).toBeLessThan(1000);
    },
  );

  test.runIf(process.platform !== 'win32')('FS-24 gets an error for a socket', async () => {
    await using files = await prepare();
    const socket = createServer().listen(files.at('s'));
    await once(socket, 'listening');
    const peer = await files.serve(era);
    expect((await peer.call('read_text_file', { path: 's' })).isError).toBe(true);
    expect((await peer.call('list_allowed_directories', {})).isError).toBe(false);
    socket.close();
  });

  test('FS-24 gets an error for a device behind a link inside', async () => {
    await using files = await prepare();
    symlinkSync('/dev/zero', files.at('z'));
    const peer = await files.serve(era);
    expect((await peer.call('read_text_file', { path: 'z' })).isError).toBe(true);
    expect((await peer.call('list_allowed_directories', {})).isError).toBe(false);
  });

  test.runIf(process.platform === 'linux')(
    'FS-25 gets the start of a 600 MiB line, or a refusal, from a server that stays small',
    async () => {
      await using files = await createFixture();
      const part = Buffer.alloc(25 * 1024 * 1024, 'a');
      for (let parts = 0; parts < (inFull ? 24 : 1); parts++)
        appendFileSync(files.at('big.txt'), part);
      // Otherwise the rest is a hole in the file, which is read as zeros: no end of the line either.
      truncateSync(files.at('big.txt'), 600 * 1024 * 1024);
      const peer = await files.serve(era);
      const answered = Promise.withResolvers<CallOutcome>();
      expect(
        await peer.timed(() =>
          peer.call('read_text_file', { path: 'big.txt' }).then(answered.resolve),
        ),
      ).toBeLessThan(1000);
      const { isError, structured } = await answered.promise;
      expect({ isError, ...structured }).toMatchObject({
        isError: false,
        truncated: true,
        nextOffset: 1,
        nextColumn: 262_145,
        size: 600 * 1024 * 1024,
      });
      expect(peer.usage().peakMib * 1.048576).toBeLessThan(200);
    },
  );

  test('FS-27 gets no line over 4 MiB for a file of 6 MB', async () => {
    await using files = await prepare({ 'b.txt': `${'x'.repeat(99)}\n`.repeat(60_000) });
    const peer = await files.serve(era);
    expect((await peer.call('read_text_file', { path: 'b.txt' })).structured).toMatchObject({
      truncated: true,
    });
    expect((await peer.call('list_allowed_directories', {})).structured).toMatchObject({
      directories: [files.root],
    });
    expect(peer.longestLine).toBeLessThanOrEqual(4 * 1024 * 1024);
  });

  test('FS-15 gets text without its byte order mark, which an edit keeps; UTF-16 is read', async () => {
    await using files = await prepare({
      'b.txt': Buffer.from('77u/aGVsbG8Kd29ybGQK', 'base64'),
      'u16.txt': Buffer.from('//5oAGUAbABsAG8A', 'base64'),
    });
    const peer = await files.serve(era);
    const read = await peer.call('read_text_file', { path: 'b.txt' });
    expect(read.text).toMatch(/^hello/);
    expect(read.structured).toMatchObject({ bom: true });
    expect(
      (await peer.call('edit_file', { path: 'b.txt', edits: [{ oldText: 'world', newText: 'W' }] }))
        .isError,
    ).toBe(false);
    expect(execFileSync('head', ['-c', '3', files.at('b.txt')]).toString('hex')).toBe('efbbbf');
    const wide = await peer.call('read_text_file', { path: 'u16.txt' });
    expect(wide.text).toBe('hello');
    expect(wide.structured).toMatchObject({ encoding: 'utf-16le' });
  });
});

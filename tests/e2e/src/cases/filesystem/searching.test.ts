import { describe, expect, test } from 'vitest';
import { eras } from '../stdio-peer.test.support.ts';
import { shareServers } from './fixture.test.support.ts';

const prepare = shareServers();

describe.each(eras)('a %s client', (era) => {
  test('FS-32 finds a plain name at any depth, and keeps the meaning of globs', async () => {
    await using files = await prepare({ 'sub/deep/y.js': '1', 'z.js': '2' });
    const peer = await files.serve(era);
    const found = async (pattern: string) =>
      (await peer.call('search_files', { path: files.root, pattern })).structured['matches'];
    expect(await found('y.js')).toEqual(['sub/deep/y.js']);
    expect(await found('*.js')).toEqual(['z.js']);
    expect(await found('**/*.js')).toEqual(['sub/deep/y.js', 'z.js']);
  });

  test('FS-34 searches contents in linear time and skips binary files', async () => {
    await using files = await prepare({
      'a.txt': 'a'.repeat(50_000),
      'b.bin': Buffer.from('AAECA//+', 'base64'),
    });
    const peer = await files.serve(era);
    const took = await peer.timed(async () => {
      expect(
        (await peer.call('search_content', { path: files.root, pattern: '(a+)+$', regex: true }))
          .isError,
      ).toBe(false);
    });
    expect(took).toBeLessThan(2000);
    const { structured } = await peer.call('search_content', {
      path: files.root,
      pattern: 'a',
      maxResults: 3,
    });
    expect(structured).toMatchObject({
      matches: [{ path: 'a.txt', line: 1, column: 1 }],
      skippedBinary: 1,
    });
  });

  test('FS-41 gets a protocol error for an unknown tool', async () => {
    await using files = await prepare();
    const peer = await files.serve(era);
    expect((await peer.call('nope', {})).error).toMatchObject({ code: -32602 });
  });

  test.each([
    ['unknown', { path: 'a.txt', lines: 1 }, 'lines'],
    ['of the wrong type', { path: 5 }, 'path'],
    ['missing', {}, 'path'],
  ])(
    'FS-42 gets an execution error that names an argument which is %s',
    async (_what, args, name) => {
      await using files = await prepare({ 'a.txt': 'x' });
      const peer = await files.serve(era);
      const { isError, text } = await peer.call('read_text_file', args);
      expect(isError).toBe(true);
      expect(text).toContain(name);
    },
  );
});

import path from 'node:path';
import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { describe, expect, test } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';

describe('read_multiple_files', () => {
  test('reads each file, also when another one cannot be read', async () => {
    await using folders = await createTemporaryFolders({
      root: { a: 'one\n', b: 'two', bin: Buffer.from([0]) },
      outside: { secret: 's' },
    });
    const tools = await createToolCaller([folders.root]);
    const { text, structured } = await tools.call('read_multiple_files', {
      paths: ['a', 'none', `${folders.outside}/secret`, 'bin', 'b'],
    });
    expect(structured).toMatchObject({
      content: text,
      results: [
        { path: 'a', ok: true, content: 'one\n', truncated: false },
        { path: 'none', ok: false, error: expect.stringContaining('no such file') as string },
        { ok: false, error: expect.stringContaining('outside the allowed directories') as string },
        { ok: false, error: expect.stringContaining('binary') as string },
        { path: 'b', ok: true, content: 'two', truncated: false },
      ],
    });
    expect(text.startsWith('a:\none\n\n\n---\nnone: Error - ')).toBe(true);
    expect(text.endsWith('\n---\nb:\ntwo\n')).toBe(true);
  });

  test('reads the first lines only', async () => {
    await using folders = await createTemporaryFolders({ root: { a: '1\n2\n3\n' } });
    const tools = await createToolCaller([folders.root]);
    expect(
      (await tools.call('read_multiple_files', { paths: ['a'], head: 2 })).structured,
    ).toMatchObject({ results: [{ content: '1\n2\n', nextOffset: 3 }] });
  });

  test('shares one limit, and short files leave their part to later files', async () => {
    const long = `${'x'.repeat(99)}\n`.repeat(100);
    await using folders = await createTemporaryFolders({
      root: { short: 'a\n', long, other: long },
    });
    const tools = await createToolCaller([folders.root], { limits: { maxReadBytes: 3000 } });
    const { structured } = await tools.call('read_multiple_files', {
      paths: ['short', 'long', 'other'],
    });
    expect(structured).toMatchObject({
      results: [{ truncated: false }, { truncated: true, nextOffset: 15 }, { truncated: true }],
    });
    const bytes = (structured.results as { content: string }[]).reduce(
      (sum, { content }) => sum + content.length,
      0,
    );
    expect(bytes).toBeGreaterThan(2500);
    expect(bytes).toBeLessThanOrEqual(3000);
  });

  test('stays within the limit of a result, also for text that grows in JSON', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `f${index}`);
    await using folders = await createTemporaryFolders({
      root: Object.fromEntries(names.map((name) => [name, '\u0001'.repeat(100_000)])),
    });
    const maxResultBytes = 200_000;
    const tools = await createToolCaller([folders.root], { limits: { maxResultBytes } });
    const { text, structured } = await tools.call('read_multiple_files', { paths: names });
    expect(
      JSON.stringify({ content: [{ type: 'text', text }], structuredContent: structured }).length,
    ).toBeLessThan(maxResultBytes);
    expect((structured.results as { ok: boolean }[]).every(({ ok }) => ok)).toBe(true);
  });

  test('refuses paths that alone are longer than a result', async () => {
    await using folders = await createTemporaryFolders();
    const tools = await createToolCaller([folders.root]);
    const paths = Array.from({ length: 50 }, (_, index) => `${'\u0001'.repeat(4000)}${index}`);
    await expect(tools.call('read_multiple_files', { paths })).rejects.toThrow(
      'Ask for fewer files',
    );
    expect(
      (await tools.call('read_multiple_files', { paths: paths.slice(0, 2) })).structured.results,
    ).toMatchObject([{ ok: false }, { ok: false }]);
  });
});

test('a path outside names the tool that lists what is allowed, once', async () => {
  await using folders = await createTemporaryFolders({ outside: { 'x.txt': '' } });
  const tools = await createToolCaller([folders.root]);
  const outside = path.join(folders.outside, 'x.txt');
  const { text } = await tools.call('read_multiple_files', { paths: [outside] });
  const error = await tools.call('read_text_file', { path: outside }).catch(String);
  for (const message of [text, JSON.stringify(error)]) {
    expect(message).toContain('or nowhere. Call list_allowed_directories to see what is allowed.');
    expect(message.split('list_allowed_directories')).toHaveLength(2);
  }
});

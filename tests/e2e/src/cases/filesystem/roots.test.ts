import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { eras } from '../stdio-peer.test.support.ts';
import { createFixture } from './fixture.test.support.ts';

describe.each(eras)('a %s client', (era) => {
  test('FS-35 cannot replace the directories of the command line by its roots', async () => {
    await using files = await createFixture({ 'a.txt': 'x' }, { 'o.txt': 'o' });
    const peer = await files.serve(era, { roots: [pathToFileURL(files.outside).href] });
    expect((await peer.call('list_allowed_directories', {})).structured['directories']).toEqual([
      files.root,
    ]);
    expect((await peer.call('read_text_file', { path: files.at('a.txt') })).text).toBe('x');
    expect((await peer.call('list_directory', { path: files.outside })).isError).toBe(true);
  });

  test('FS-36 cannot widen them by the root of the file system', async () => {
    await using files = await createFixture();
    const peer = await files.serve(era, { roots: ['file:///'] });
    expect((await peer.call('list_allowed_directories', {})).structured['directories']).toEqual([
      files.root,
    ]);
    expect((await peer.call('read_text_file', { path: '/etc/hostname' })).isError).toBe(true);
  });

  test('FS-39 can where the operator said so', async () => {
    await using files = await createFixture({}, { 'o.txt': 'o' });
    const peer = await files.serve(era, {
      args: ['--roots', 'replace', files.root],
      roots: [pathToFileURL(files.outside).href],
    });
    expect((await peer.call('list_allowed_directories', {})).structured['directories']).toEqual([
      files.outside,
    ]);
    expect((await peer.call('read_text_file', { path: 'o.txt' })).text).toBe('o');
  });

  test('FS-37 gives the only directories where the command line has none', async () => {
    await using files = await createFixture({ 'a.txt': 'x' });
    const peer = await files.serve(era, { args: [], roots: [pathToFileURL(files.root).href] });
    expect((await peer.call('read_text_file', { path: 'a.txt' })).text).toBe('x');
    expect((await peer.call('read_text_file', { path: `${files.outside}/o.txt` })).isError).toBe(
      true,
    );
  });

  test('FS-37 without roots and without directories gets nothing', async () => {
    await using files = await createFixture({ 'a.txt': 'x' });
    const peer = await files.serve(era, { args: [] });
    const { isError, error } = await peer.call('read_text_file', { path: files.at('a.txt') });
    expect(isError || error !== undefined).toBe(true);
  });
});

describe('a legacy client', () => {
  test('FS-38 gets no result before its roots are known', async () => {
    await using files = await createFixture({ 'sub/a.txt': 'x' });
    const peer = await files.serve('legacy', {
      roots: [pathToFileURL(files.at('sub')).href],
      rootsDelayMs: 500,
    });
    expect((await peer.call('list_allowed_directories', {})).structured['directories']).toEqual([
      files.at('sub'),
    ]);
    expect((await peer.call('list_directory', { path: files.root })).isError).toBe(true);
  });

  test('FS-38 that never sends its roots gets an error, and no wider access', async () => {
    await using files = await createFixture({ 'a.txt': 'x' });
    const peer = await files.serve('legacy', {
      roots: [pathToFileURL(files.at('sub')).href],
      rootsDelayMs: 1_000_000,
    });
    const took = await peer.timed(async () => {
      expect((await peer.call('read_text_file', { path: 'a.txt' })).isError).toBe(true);
    });
    // The limit of two seconds, and the time of a call.
    expect(took).toBeLessThan(2250);
  });
});

describe('a modern client', () => {
  test.each([
    ['without directories of the command line', (): string[] => []],
    ['with --roots replace', (root: string) => ['--roots', 'replace', root]],
  ])('FS-38 gets no result before its roots are known, %s', async (_where, args) => {
    await using files = await createFixture({ 'sub/a.txt': 'x' });
    const peer = await files.serve('modern', {
      args: args(files.root),
      roots: [pathToFileURL(files.at('sub')).href],
    });
    const first = await peer.request('tools/call', {
      name: 'list_allowed_directories',
      arguments: {},
    });
    expect(first.result).toMatchObject({ resultType: 'input_required' });
    expect(Object.keys(first.result ?? {})).not.toContain('content');
    expect((await peer.call('list_allowed_directories', {})).structured['directories']).toEqual([
      files.at('sub'),
    ]);
    expect((await peer.call('list_directory', { path: files.root })).isError).toBe(true);
  });

  test('FS-38 gets the directories of the command line without a request for its roots', async () => {
    await using files = await createFixture({ 'sub/a.txt': 'x' });
    const peer = await files.serve('modern', { roots: [pathToFileURL(files.at('sub')).href] });
    const { result } = await peer.request('tools/call', {
      name: 'list_allowed_directories',
      arguments: {},
    });
    expect(result).toMatchObject({
      resultType: 'complete',
      structuredContent: { directories: [files.root] },
    });
  });
});

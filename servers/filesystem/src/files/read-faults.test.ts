import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createManyEntries, createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { chooseOpener, type Opener, type PinnedPath } from '@signalbox/file-sandbox';
import { createTestContext } from '@signalbox/mcp-core/testing';
import { describe, expect, test, vi } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';
import { listEntries } from './list-entries.ts';
import { listSizes } from './list-sizes.ts';

const signal = new AbortController().signal;

function directoryOf(
  address: string,
  names: readonly string[],
  onEntry: (name: string) => void,
): PinnedPath {
  const entries = async function* () {
    for (const name of names) {
      onEntry(name);
      yield { name, isFile: () => true, isDirectory: () => false, isSymbolicLink: () => false };
    }
  };
  // Listings use these members only.
  return {
    address,
    realPath: address,
    entries: () => Promise.resolve(entries()),
  } as unknown as PinnedPath;
}

/** Returns an opener that finds every file but refuses to open those with this name. */
function withoutPermission(opener: Opener, name: string): Opener {
  const pin: Opener['pin'] = async (...args) => {
    const pinned = await opener.pin(...args);
    if (path.basename(args[0]) !== name) return pinned;
    vi.spyOn(pinned, 'open').mockRejectedValue(
      Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }),
    );
    return pinned;
  };
  return { kind: opener.kind, pin };
}

describe('faults while reading', () => {
  test('names the file without permission, and reads the others', async () => {
    await using folders = await createTemporaryFolders({ root: { locked: 'x', open: 'y' } });
    const tools = await createToolCaller([folders.root], {
      opener: withoutPermission(await chooseOpener('/'), 'locked'),
    });
    await expect(tools.call('read_text_file', { path: 'locked' })).rejects.toThrow(
      /locked.*permission/i,
    );
    await expect(tools.call('read_media_file', { path: 'locked' })).rejects.toThrow(
      /locked.*permission/i,
    );
    const { structured } = await tools.call('read_multiple_files', { paths: ['locked', 'open'] });
    expect(structured.results).toMatchObject([
      { ok: false, error: expect.stringMatching(/locked.*permission/i) as string },
      { ok: true, content: 'y' },
    ]);
  });

  test('stops at the limit of a file that grows while it is read', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'log.txt': 'line\n'.repeat(200_000) },
    });
    const file = path.join(folders.root, 'log.txt');
    const tools = await createToolCaller([folders.root], { limits: { maxReadBytes: 256 * 1024 } });
    const progress = () => Promise.resolve(appendFileSync(file, 'more\n'.repeat(1000)));
    const { structured } = await tools.call(
      'read_text_file',
      { path: 'log.txt', offset: 150_000 },
      { ...createTestContext({ signal }), progress },
    );
    expect(structured).toMatchObject({ startLine: 150_000, truncated: true });
    expect(structured.content).toMatch(/^(line\n){50001}(more\n)+$/);
    expect(String(structured.content).length).toBeLessThanOrEqual(256 * 1024);
  });

  test('returns the rest of a file that shrinks during a read', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'log.txt': 'line\n'.repeat(200_000) },
    });
    const file = path.join(folders.root, 'log.txt');
    const tools = await createToolCaller([folders.root]);
    const shrink = () => Promise.resolve(truncateSync(file, 300_000));
    await expect(
      tools.call(
        'read_text_file',
        { path: 'log.txt', offset: 150_000 },
        { ...createTestContext({ signal }), progress: shrink },
      ),
    ).rejects.toThrow(/past the end: the file has \d+ lines/);
  });

  test.each(['utf-16le', 'utf-16be'])(
    'keeps characters of %s that lie across the parts of a tail',
    async (encoding) => {
      const text = `first\na${'\u{1F600}'.repeat(200_000)}\n`;
      const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
      await using folders = await createTemporaryFolders({
        root: { 'a.txt': encoding === 'utf-16le' ? bytes : bytes.swap16() },
      });
      const tools = await createToolCaller([folders.root], {
        limits: { maxReadBytes: 512 * 1024 },
      });
      const { structured } = await tools.call('read_text_file', { path: 'a.txt', tail: 1 });
      expect(structured).toMatchObject({ encoding, truncated: true });
      expect(structured.content).toMatch(/^\u{1F600}+\n$/u);
    },
  );

  test('finds the lines of a tail of UTF-16 that ends in half a character', async () => {
    const bytes = Buffer.concat([Buffer.from('\uFEFFone\ntwo\n', 'utf16le'), Buffer.from([0x41])]);
    await using folders = await createTemporaryFolders({ root: { 'a.txt': bytes } });
    const tools = await createToolCaller([folders.root]);
    expect((await tools.call('read_text_file', { path: 'a.txt', tail: 1 })).text).toBe('two\n');
  });
});

describe('faults while listing', () => {
  test('lists an entry that was removed since without its size', async () => {
    await using folders = await createTemporaryFolders({ root: { a: '1', b: '22', c: '333' } });
    const directory = directoryOf(
      folders.root,
      ['a', 'b', 'c'],
      (name) => name === 'b' && rmSync(path.join(folders.root, 'b')),
    );
    const compare = (left: { readonly name: string }, right: { readonly name: string }) =>
      left.name < right.name ? -1 : 1;
    const { entries, totals } = await listSizes(directory, {
      limit: 10,
      maxBytes: 10_000,
      compare,
      isHidden: () => false,
      targetSize: () => Promise.resolve(0),
      signal,
      onScanned: () => undefined,
    });
    expect(entries).toMatchObject([
      { name: 'a', size: 1 },
      { name: 'b', size: 0 },
      { name: 'c', size: 3 },
    ]);
    expect(entries[1]).not.toHaveProperty('mtime');
    expect(totals.bytes).toBe(4);
  });

  test.skipIf(process.platform !== 'linux')('lists names that are not UTF-8', async () => {
    await using folders = await createTemporaryFolders({ root: { a: '1' } });
    writeFileSync(Buffer.concat([Buffer.from(`${folders.root}/`), Buffer.from([0x62, 0xff])]), 'x');
    const tools = await createToolCaller([folders.root]);
    const names = [{ name: 'a' }, { name: 'b\uFFFD' }];
    expect((await tools.call('list_directory', { path: '.' })).structured.entries).toMatchObject(
      names,
    );
    expect(
      (await tools.call('list_directory_with_sizes', { path: '.' })).structured.entries,
    ).toMatchObject(names);
  });

  test('holds no more than a page of 100,000 entries', async () => {
    const names = Array.from(
      { length: 100_000 },
      (_, index) => `f${String((index * 7919) % 100_000).padStart(5, '0')}`,
    );
    const directory = directoryOf('/nowhere', names, () => undefined);
    const first = await listEntries(directory, { limit: 2000, signal });
    expect(first.hasMore).toBe(true);
    expect(first.entries).toHaveLength(2000);
    const last = await listEntries(directory, { limit: 2000, after: 'f97999', signal });
    expect(last.entries.map(({ name }) => name)).toEqual(names.toSorted().slice(98_000));
    expect(last.hasMore).toBe(false);
  });

  test('stops listing when it is cancelled', async () => {
    const cancel = new AbortController();
    const onEntry = vi.fn<(name: string) => void>(
      (name) => name === 'c' && cancel.abort(new Error('enough')),
    );
    await expect(
      listEntries(directoryOf('/nowhere', ['a', 'b', 'c', 'd'], onEntry), {
        limit: 10,
        signal: cancel.signal,
      }),
    ).rejects.toThrow('enough');
    expect(onEntry).not.toHaveBeenCalledWith('d');
  });

  test('lists a real directory of many entries in pages that stay within the budget', async () => {
    await using folders = await createTemporaryFolders();
    createManyEntries(
      folders.root,
      Array.from({ length: 5000 }, (_, index) => `${'f'.repeat(200)}${index}`),
    );
    const tools = await createToolCaller([folders.root], { limits: { maxEntries: 10_000 } });
    const { structured } = await tools.call('list_directory_with_sizes', {
      path: '.',
      sortBy: 'size',
    });
    expect(structured).toMatchObject({ truncated: true, totals: { files: 5000 } });
    expect(Buffer.byteLength(JSON.stringify(structured))).toBeLessThan(1024 * 1024);
  });

  test('refuses a FIFO in a batch without waiting for its writer', async () => {
    await using folders = await createTemporaryFolders({ root: { a: '1' } });
    execFileSync('mkfifo', [path.join(folders.root, 'pipe')]);
    const tools = await createToolCaller([folders.root]);
    expect(
      (await tools.call('read_multiple_files', { paths: ['pipe', 'a'] })).structured.results,
    ).toMatchObject([{ ok: false }, { ok: true, content: '1' }]);
  });
});

import { writeFileSync } from 'node:fs';
import { chmod, link, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterCreateFile, createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { hashOf, usableOpeners } from '@signalbox/file-sandbox';
import { describe, expect, test } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';

describe.each(await usableOpeners('/'))('edit_file with the $kind opener', (opener) => {
  test('edits in order and returns the diff, the count and the hash', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': 'one\ntwo\nthree\n' } });
    const tools = await createToolCaller([folders.root], { opener });
    const file = path.join(folders.root, 'a.txt');
    const { text, structured } = await tools.call('edit_file', {
      path: 'a.txt',
      edits: [
        { oldText: 'two', newText: '2' },
        { oldText: '2\nthree', newText: '2\n3' },
      ],
    });
    expect(await readFile(file, 'utf8')).toBe('one\n2\n3\n');
    const diff = `Index: ${file}\n${'='.repeat(67)}\n--- ${file}\toriginal\n+++ ${file}\tmodified\n@@ -1,3 +1,3 @@\n one\n-two\n-three\n+2\n+3\n`;
    expect(structured).toEqual({
      content: text,
      path: file,
      diff,
      replacements: 2,
      hash: hashOf(Buffer.from('one\n2\n3\n')),
      eol: 'lf',
    });
    expect(text).toBe(`\`\`\`diff\n${diff}\`\`\`\n\n`);
  });

  test('a dry run writes nothing', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': 'one `` ```\n' } });
    const tools = await createToolCaller([folders.root], { opener });
    const { text, structured } = await tools.call('edit_file', {
      path: 'a.txt',
      dryRun: true,
      edits: [{ oldText: 'one', newText: '1' }],
    });
    expect(structured).toMatchObject({ hash: hashOf(Buffer.from('1 `` ```\n')) });
    expect(text).toMatch(/^````diff\n[^]*\n````\n\n$/);
    expect(await readFile(path.join(folders.root, 'a.txt'), 'utf8')).toBe('one `` ```\n');
  });

  test.each([
    ['an empty oldText', [{ oldText: '', newText: 'INS' }], 'empty oldText'],
    ['no change', [{ oldText: 'line1', newText: 'line1' }], 'same oldText and newText'],
    ['no edits', [], 'edits is empty'],
    [
      'edits that undo each other',
      [
        { oldText: 'line1', newText: 'x' },
        { oldText: 'x', newText: 'line1' },
      ],
      'undo each other',
    ],
    ['an ambiguous oldText', [{ oldText: 'line', newText: 'x' }], 'occurs 2 times (lines 1, 2)'],
    ['an overlapping oldText', [{ oldText: 'zz', newText: 'x' }], 'occurs 2 times (lines 3, 3)'],
    [
      'a second edit that fails',
      [
        { oldText: 'line1', newText: 'x' },
        { oldText: 'line9', newText: 'y' },
      ],
      'Edit 2 of 2: oldText was not found',
    ],
    [
      'line numbers',
      [{ oldText: '1\tline1\n2\tline2', newText: 'x' }],
      'Leave out the line numbers',
    ],
    ['a NUL', [{ oldText: 'line1', newText: '\0' }], 'no longer be utf-8 text'],
    ['half a character', [{ oldText: 'line1', newText: '\ud800' }], 'surrogate'],
  ])('refuses %s and leaves the file alone', async (_case, edits, message) => {
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': 'line1\nline2\nzzz\n' },
    });
    const tools = await createToolCaller([folders.root], { opener });
    const before = await stat(path.join(folders.root, 'a.txt'));
    await expect(tools.call('edit_file', { path: 'a.txt', edits })).rejects.toThrow(message);
    const after = await stat(path.join(folders.root, 'a.txt'));
    expect([after.mtimeMs, after.ino]).toEqual([before.mtimeMs, before.ino]);
    expect(await readdir(folders.root)).toEqual(['a.txt']);
  });

  test('replaces all on request', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': 'aaaa $& a\n' } });
    const tools = await createToolCaller([folders.root], { opener });
    const { structured } = await tools.call('edit_file', {
      path: 'a.txt',
      edits: [{ oldText: 'a', newText: '$&', replaceAll: true }],
    });
    expect(structured).toMatchObject({ replacements: 5 });
    expect(await readFile(path.join(folders.root, 'a.txt'), 'utf8')).toBe('$&$&$&$& $& $&\n');
  });

  test.each([
    ['CRLF', 'one\r\ntwo\r\nthree\r\n', 'one\r\n2\r\n2b\r\nthree\r\n', 'crlf'],
    ['mixed', 'one\ntwo\r\nthree\r\n', 'one\n2\r\n2b\r\nthree\r\n', 'mixed'],
    ['no last', 'one\ntwo\nthree', 'one\n2\n2b\nthree', 'lf'],
  ])('keeps %s line endings', async (_case, before, after, eol) => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': before } });
    const tools = await createToolCaller([folders.root], { opener });
    const { structured } = await tools.call('edit_file', {
      path: 'a.txt',
      edits: [{ oldText: 'two\nthree', newText: '2\r\n2b\nthree' }],
    });
    expect(structured).toMatchObject({ eol });
    expect(await readFile(path.join(folders.root, 'a.txt'), 'utf8')).toBe(after);
  });

  test.each([
    ['UTF-8 with a mark', '\uFEFFhéllo\nworld\n', 'utf8', '\uFEFFhéllo\nW€\n'],
    ['UTF-16LE', '\uFEFFhéllo\nworld\n', 'utf16le', '\uFEFFhéllo\nW€\n'],
  ] as const)('keeps %s', async (_case, before, encoding, after) => {
    await using folders = await createTemporaryFolders({
      root: { 'a.txt': Buffer.from(before, encoding) },
    });
    const tools = await createToolCaller([folders.root], { opener });
    await tools.call('edit_file', { path: 'a.txt', edits: [{ oldText: 'world', newText: 'W€' }] });
    expect(await readFile(path.join(folders.root, 'a.txt'), encoding)).toBe(after);
  });

  test('never damages bytes that are not UTF-8', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'l.txt': Buffer.from('636166e90a', 'hex'), 'b.bin': Buffer.from([0, 1, 2, 0x61]) },
    });
    const tools = await createToolCaller([folders.root], { opener });
    await tools.call('edit_file', { path: 'l.txt', edits: [{ oldText: 'caf', newText: 'CAF' }] });
    expect((await readFile(path.join(folders.root, 'l.txt'))).toString('hex')).toBe('434146e90a');
    await expect(
      tools.call('edit_file', { path: 'l.txt', edits: [{ oldText: 'CAF', newText: 'è' }] }),
    ).rejects.toThrow('not UTF-8');
    await expect(
      tools.call('edit_file', { path: 'b.bin', edits: [{ oldText: 'a', newText: 'b' }] }),
    ).rejects.toThrow('not text');
    expect((await readFile(path.join(folders.root, 'l.txt'))).toString('hex')).toBe('434146e90a');
  });

  test('keeps mode, hard links and symbolic links', async () => {
    await using folders = await createTemporaryFolders({
      root: { 'exe.sh': 'old\n', h1: 'old\n' },
    });
    const at = (name: string) => path.join(folders.root, name);
    await chmod(at('exe.sh'), 0o750);
    await link(at('h1'), at('h2'));
    await symlink(at('exe.sh'), at('s'));
    const tools = await createToolCaller([folders.root], { opener });
    for (const name of ['s', 'h2'])
      await tools.call('edit_file', { path: name, edits: [{ oldText: 'old', newText: 'new' }] });
    expect((await stat(at('exe.sh'))).mode & 0o777).toBe(0o750);
    expect(await readFile(at('exe.sh'), 'utf8')).toBe('new\n');
    expect(await readFile(at('h1'), 'utf8')).toBe('new\n');
    expect((await stat(at('h1'))).nlink).toBe(2);
  });

  test('50 edits of one file at once all survive, by whatever name', async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `L${index}=0\n`).join('');
    await using folders = await createTemporaryFolders({
      root: { 'n.txt': lines, 'h1.txt': lines },
    });
    await symlink('n.txt', path.join(folders.root, 'alias'));
    await link(path.join(folders.root, 'h1.txt'), path.join(folders.root, 'h2.txt'));
    const tools = await createToolCaller([folders.root], { opener });
    const edit = (name: string, index: number) =>
      tools.call('edit_file', {
        path: name,
        edits: [{ oldText: `L${index}=0\n`, newText: `L${index}=1\n` }],
      });
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => [
        edit(index % 2 === 0 ? 'n.txt' : 'alias', index),
        edit(index % 2 === 0 ? 'h1.txt' : 'h2.txt', index),
      ]).flat(),
    );
    for (const name of ['n.txt', 'h1.txt'])
      expect(await readFile(path.join(folders.root, name), 'utf8')).toBe(
        lines.replaceAll('=0', '=1'),
      );
  });

  test('refuses a file that changed after its hash was read, and a file that another program changes meanwhile', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': 'one\n' } });
    const file = path.join(folders.root, 'a.txt');
    const tools = await createToolCaller([folders.root], { opener });
    const edits = [{ oldText: 'one', newText: '1' }];
    await expect(
      tools.call('edit_file', { path: 'a.txt', edits, expectedHash: hashOf(Buffer.from('other')) }),
    ).rejects.toThrow('has changed: its hash is sha256:');
    const meddled = await createToolCaller([folders.root], {
      opener: afterCreateFile(opener, () => writeFileSync(file, 'two\n')),
    });
    await expect(meddled.call('edit_file', { path: 'a.txt', edits })).rejects.toThrow(
      'has changed',
    );
    expect(await readFile(file, 'utf8')).toBe('two\n');
    expect(await readdir(folders.root)).toEqual(['a.txt']);
    await writeFile(file, 'one\n');
    await tools.call('edit_file', {
      path: 'a.txt',
      edits,
      expectedHash: hashOf(Buffer.from('one\n')),
    });
    expect(await readFile(file, 'utf8')).toBe('1\n');
  });
});

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { expect, test } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';

const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');

test('append_file adds text in the encoding of the file', async () => {
  const files = {
    'le.txt': utf16('one\n'),
    'be.txt': utf16('one\n').swap16(),
    'mark.txt': '\uFEFFone\n',
    'plain.txt': 'é\n',
    'empty.txt': '',
  };
  await using folders = await createTemporaryFolders({ root: files });
  const tools = await createToolCaller([folders.root]);
  const appended = async (name: string) => {
    const { structured } = await tools.call('append_file', { path: name, content: 'zwei é\n' });
    const bytes = await readFile(path.join(folders.root, name));
    expect(structured['size']).toBe(bytes.length);
    return bytes;
  };
  expect(await appended('le.txt')).toEqual(utf16('one\nzwei é\n'));
  expect(await appended('be.txt')).toEqual(utf16('one\nzwei é\n').swap16());
  expect(String(await appended('mark.txt'))).toBe('\uFEFFone\nzwei é\n');
  expect(String(await appended('plain.txt'))).toBe('é\nzwei é\n');
  expect(String(await appended('empty.txt'))).toBe('zwei é\n');
});

test('append_file refuses text that would damage a file, and leaves the file unchanged', async () => {
  const latin = Buffer.from('caf\u00e9\n', 'latin1');
  const files = {
    'latin.txt': latin,
    'long.txt': Buffer.concat([latin, Buffer.alloc(3 * 1024 * 1024, 'a')]),
    'odd.txt': Buffer.concat([utf16('one'), Buffer.from('x')]),
    'data.bin': Buffer.from([1, 0, 2]),
  };
  await using folders = await createTemporaryFolders({ root: files });
  const tools = await createToolCaller([folders.root]);
  const append = (name: string, content: string) =>
    tools.call('append_file', { path: name, content });
  await expect(append('latin.txt', 'é')).rejects.toThrow(
    'is not UTF-8, and how its encoding writes "é" is not known. Nothing was written.',
  );
  await expect(append('long.txt', 'é')).rejects.toThrow('is not UTF-8');
  await expect(append('odd.txt', 'x')).rejects.toThrow('half a character at its end');
  await expect(append('data.bin', 'x')).rejects.toThrow('is a binary file');
  for (const [name, content] of Object.entries(files))
    expect(content.equals(await readFile(path.join(folders.root, name)))).toBe(true);
  await append('latin.txt', 'ASCII');
  expect((await readFile(path.join(folders.root, 'latin.txt'))).toString('latin1')).toBe(
    'café\nASCII',
  );
});

test('append_file takes a long UTF-8 file whose characters lie across the inspected parts', async () => {
  for (const shift of ['', 'a', 'aa']) {
    await using folders = await createTemporaryFolders({
      root: { 'long.txt': shift + '€'.repeat(1_000_000) },
    });
    const tools = await createToolCaller([folders.root]);
    await tools.call('append_file', { path: 'long.txt', content: '€' });
    expect((await readFile(path.join(folders.root, 'long.txt'), 'utf8')).endsWith('€€')).toBe(true);
  }
});

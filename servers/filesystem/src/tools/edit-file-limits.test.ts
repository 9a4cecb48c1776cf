import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { createTestContext } from '@signalbox/mcp-core/testing';
import { longestBlockMs, threadCpuMs } from '@signalbox/server-kit/testing';
import { expect, test } from 'vitest';
import { createToolCaller } from '../testing/call-tool.ts';

const never = new AbortController().signal;

const indented = (lines: number, spaces: string) => `${spaces}same line\n`.repeat(lines);

test.each([
  ['overlaps itself', '-'.repeat(2_000_000), '-'.repeat(200_000), 'occurs 1800001 times'],
  ['almost overlaps itself', '-'.repeat(2_000_000), `${'-'.repeat(200_000)}x`, 'was not found'],
  [
    'has many equal lines in other indentation',
    indented(100_000, '    '),
    indented(20_000, '  '),
    'ignoring indentation it occurs 80001 times',
  ],
  ['is like every line', indented(200_000, ''), `${indented(100, '')}other`, 'was not found'],
])(
  'an oldText that %s is answered soon, and other calls in between',
  async (_what, text, oldText, problem) => {
    await using folders = await createTemporaryFolders({ root: { 'a.txt': text } });
    const tools = await createToolCaller([folders.root]);
    const begun = threadCpuMs();
    const call = tools.call('edit_file', { path: 'a.txt', edits: [{ oldText, newText: 'x' }] });
    expect(await longestBlockMs(call)).toBeLessThan(250);
    await expect(call).rejects.toThrow(problem);
    expect(threadCpuMs() - begun).toBeLessThan(3000);
  },
);

test('a cancelled edit stops in the middle of its search and changes nothing', async () => {
  await using folders = await createTemporaryFolders({
    root: { 'a.txt': 'line of text\n'.repeat(300_000) },
  });
  const file = path.join(folders.root, 'a.txt');
  const before = await stat(file);
  const tools = await createToolCaller([folders.root]);
  const controller = new AbortController();
  const edits = Array.from({ length: 500 }, (_, index) => ({
    oldText: `${'line of text\n'.repeat(100)}${index}`,
    newText: 'x',
    replaceAll: true,
  }));
  edits.unshift({ oldText: 'line', newText: 'Line', replaceAll: true });
  const call = tools.call(
    'edit_file',
    { path: 'a.txt', edits },
    createTestContext({ signal: controller.signal }),
  );
  await nextTurn();
  const cancelledAt = threadCpuMs();
  setImmediate(() => controller.abort(new Error('no longer wanted')));
  await expect(call).rejects.toThrow('no longer wanted');
  expect(threadCpuMs() - cancelledAt).toBeLessThan(1000);
  expect(await stat(file)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
});

test('replacements that would make a text too long are refused before it is made', async () => {
  await using folders = await createTemporaryFolders({
    root: { 'a.txt': 'a'.repeat(500_000), 'many.txt': 'a'.repeat(1_100_000) },
  });
  const tools = await createToolCaller([folders.root]);
  const replace = (name: string, newText: string) =>
    tools.call('edit_file', { path: name, edits: [{ oldText: 'a', newText, replaceAll: true }] });
  await expect(replace('a.txt', 'b'.repeat(1_000_000))).rejects.toThrow(
    'would make a text of 500000000000 characters',
  );
  await expect(replace('many.txt', 'b')).rejects.toThrow('occurs more than 1000000 times');
  expect((await replace('a.txt', 'bc')).structured['replacements']).toBe(500_000);
});

test('a file of too many lines is refused', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': '\n'.repeat(1_000_001) } });
  const tools = await createToolCaller([folders.root]);
  await expect(
    tools.call('edit_file', { path: 'a.txt', edits: [{ oldText: 'a', newText: 'b' }] }),
  ).rejects.toThrow('more than 1000000 lines');
});

test('a second edit that fails quotes the lines that the file has', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a.txt': 'L1\nL2\nL3\n' } });
  const tools = await createToolCaller([folders.root]);
  const edits = [
    { oldText: 'L1', newText: '1 L1' },
    { oldText: 'L33', newText: 'x' },
  ];
  const failure: unknown = await tools
    .call('edit_file', { path: 'a.txt', edits }, createTestContext({ signal: never }))
    .catch((error: unknown) => error);
  expect(String(failure)).toMatch(/The nearest lines are:\n2\tL2\n3\tL3$/);
});

test('files whose lines end in a carriage return are edited by lines', async () => {
  await using folders = await createTemporaryFolders({ root: { 'mac.txt': 'one\rtwo\rthree\r' } });
  const tools = await createToolCaller([folders.root]);
  const { structured } = await tools.call('edit_file', {
    path: 'mac.txt',
    edits: [{ oldText: 'one\ntwo', newText: '1\n2' }],
  });
  expect(structured).toMatchObject({ eol: 'cr', replacements: 1 });
  expect(await readFile(path.join(folders.root, 'mac.txt'), 'utf8')).toBe('1\r2\rthree\r');
});

test('edits of two servers, one file and different lines, all survive', async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `L${index}=0\n`);
  await using folders = await createTemporaryFolders({ root: { 'n.txt': lines.join('') } });
  const servers = [await createToolCaller([folders.root]), await createToolCaller([folders.root])];
  const edit = (index: number) =>
    servers[index % 2]!.call('edit_file', {
      path: 'n.txt',
      edits: [{ oldText: `L${index}=0\n`, newText: `L${index}=1\n` }],
    });
  await Promise.all(lines.map((_line, index) => edit(index)));
  expect(await readFile(path.join(folders.root, 'n.txt'), 'utf8')).toBe(
    lines.join('').replaceAll('=0', '=1'),
  );
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { diffLines as diffInTurns, splitLines, unifiedDiff } from './edit-diff.ts';
import { restoreLineEndings, withLineFeeds } from './edit-line-endings.ts';
import { Turns } from './turns.ts';

const turns = new Turns({ signal: new AbortController().signal });
const diffLines = (before: readonly string[], after: readonly string[]) =>
  diffInTurns(before, after, turns);

/** Returns the same lines for the same seed. */
function randomLines(seed: number, length: number): string[] {
  let state = seed;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return `${'abcde'[state % 5]}\n`;
  });
}

test('the changes convert one text to the other', async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const before = randomLines(seed, seed % 17);
    const after = randomLines(seed * 7, seed % 13);
    const rebuilt: string[] = [];
    let old = 0;
    for (const change of await diffLines(before, after)) {
      expect([change.oldStart, change.newStart]).toEqual([old, rebuilt.length]);
      if (change.kind !== 'removed')
        rebuilt.push(
          ...(change.kind === 'same' ? before : after)
            .slice(change.kind === 'same' ? old : rebuilt.length)
            .slice(0, change.count),
        );
      if (change.kind !== 'added') old += change.count;
    }
    expect([old, rebuilt]).toEqual([before.length, after]);
  }
});

test('finds the fewest changes, and treats thousands as one block', async () => {
  const before = splitLines('a\nb\nc\na\nb\nb\na\n');
  const kept = (await diffLines(before, splitLines('c\nb\na\nb\na\nc\n'))).filter(
    (change) => change.kind === 'same',
  );
  expect(kept.reduce((sum, change) => sum + change.count, 0)).toBe(4);
  const many = Array.from({ length: 5000 }, (_, index) => `${index}\n`);
  expect(
    await diffLines(
      many,
      many.map((line) => `x${line}`),
    ),
  ).toHaveLength(2);
});

test('patch accepts the diff', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-diff-'));
  try {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}\n`);
    const cases: [string, string][] = [
      [
        lines.join(''),
        lines
          .map((line, index) =>
            index === 3 || index === 10 || index === 50 ? `new ${index}\n` : line,
          )
          .join(''),
      ],
      ['', 'a\nb'],
      ['a\nb', ''],
      ['a\nb', 'a\nb\n'],
      [lines.join(''), lines.slice(5).join('')],
      [lines.join(''), `${lines.join('')}end`],
    ];
    for (const [before, after] of cases) {
      writeFileSync(path.join(folder, 'f'), before);
      execFileSync('patch', ['-s', '-p0', 'f'], {
        cwd: folder,
        input: await unifiedDiff('f', {
          before: splitLines(before),
          after: splitLines(after),
          turns,
        }),
      });
      const patched = after === '' ? '' : after;
      expect(readIfThere(path.join(folder, 'f'))).toBe(patched);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('gives each line the ending it had, and new lines that of their neighbours', async () => {
  const original = 'a\r\nb\nc\r\nd\ne';
  expect(
    await restoreLineEndings('a\nB\nc\nx\nd\ne', { text: original, eol: 'mixed' }, turns),
  ).toBe('a\r\nB\nc\r\nx\r\nd\ne');
  expect(
    await restoreLineEndings(
      withLineFeeds(original, 'mixed'),
      { text: original, eol: 'mixed' },
      turns,
    ),
  ).toBe(original);
});

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

import { expect, test } from 'vitest';
import { diffLines } from './diff-lines.ts';

const marks = { same: ' ', added: '+', removed: '-' } as const;
const shown = (before: string, after: string): readonly string[] =>
  diffLines(before, after).map(({ kind, text, number }) => `${marks[kind]}${number} ${text}`);

test('changed lines are shown between the lines that stay', () => {
  expect(shown('a\nb\nc\nd', 'a\nx\nc\nd\ne')).toEqual([
    ' 1 a',
    '-2 b',
    '+2 x',
    ' 3 c',
    ' 4 d',
    '+5 e',
  ]);
});

test('a moved line keeps the longest common part', () => {
  expect(shown('a\nb\nc', 'b\nc\na')).toEqual(['-1 a', ' 1 b', ' 2 c', '+3 a']);
});

test('equal texts have no changed line, also empty ones', () => {
  expect(shown('', '')).toEqual([' 1 ']);
  expect(shown('a\nb', 'a\nb')).toEqual([' 1 a', ' 2 b']);
});

test('texts that are too large to compare line by line are replaced as a whole', () => {
  const many = (prefix: string): string =>
    Array.from({ length: 2500 }, (_line, index) => `${prefix}${index}`).join('\n');
  const lines = diffLines(`same\n${many('a')}`, `same\n${many('b')}`);
  expect(lines.map(({ kind }) => kind).filter((kind) => kind === 'same')).toHaveLength(1);
  expect(lines).toHaveLength(5001);
});

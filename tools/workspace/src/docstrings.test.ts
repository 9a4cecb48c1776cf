import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect, test } from 'vitest';
import { docstringProblems } from './docstrings.ts';

const root = join(import.meta.dirname, '../../..');

const files = globSync(
  ['*.{ts,mts,mjs,js}', '{apps,bench,libs,servers,tests,tools}/**/*.{ts,tsx,mts,mjs,js,template}'],
  {
    cwd: root,
    exclude: (path) => /(?:^|[/\\\\])(?:node_modules|dist|bundle|\.[a-z]+)$/u.test(path),
  },
).map((path) => path.replaceAll(sep, '/'));

const problems = files.flatMap((path) =>
  docstringProblems(path, readFileSync(join(root, path), 'utf8')),
);

test('every docstring begins with a verb or a noun phrase', () => {
  expect(files).toContain('libs/mcp-core/src/index.ts');
  expect(problems).toEqual([]);
});

// Joined at run time, so that the check of this file does not take its samples for docstrings.
const OPEN = '/*'.concat('*');

test.each([
  [`${OPEN} What a call costs. */`, 'a.ts:1: What a call costs. */'],
  [`let a;\n${OPEN}\n * Who asks.\n */`, 'a.ts:3: Who asks.'],
  [`#!/usr/bin/env node\n// One of many.`, 'a.ts:2: One of many.'],
])('a docstring that begins with a pronoun is reported with its line: %j', (text, problem) => {
  expect(docstringProblems('a.ts', text)).toEqual([problem]);
});

test.each([
  `${OPEN} Whether a call waits. */`,
  `${OPEN} Returns one of many. */`,
  `${OPEN} Items of a list. */`,
  `let a;\n// One of many.`,
])('a docstring that begins with a verb or a noun is accepted: %j', (text) => {
  expect(docstringProblems('a.ts', text)).toEqual([]);
});

import { expect, test } from 'vitest';
import { matchesPattern } from './name-patterns.ts';

test.each([
  ['read_file', 'read_file'],
  ['read_file', '*'],
  ['read_file', 'read_*'],
  ['read_file', '*_file'],
  ['read_file', 'r*_*e'],
  ['read_file', '**'],
  ['', '*'],
  ['aXbXc', 'a*b*c'],
])('%j matches %j', (name, pattern) => {
  expect(matchesPattern(name, pattern)).toBe(true);
});

test.each([
  ['read_file', 'read'],
  ['read_file', 'Read_*'],
  ['read_file', 'write_*'],
  ['ab', 'ab*b'],
  ['aba', 'ab*ba'],
  ['a.c', 'a?c'],
  ['abc', 'a.c'],
  ['acb', 'a*b*c'],
])('%j does not match %j', (name, pattern) => {
  expect(matchesPattern(name, pattern)).toBe(false);
});

import path from 'node:path';
import { expect, test } from 'vitest';
import { isInside } from './is-inside.ts';

test('agrees with path.relative for all pairs of paths', () => {
  const paths = [
    '/',
    '/a',
    '/ab',
    '/a/b',
    '/a/b/..',
    '/a/..b',
    '/a/...',
    '/a/b/c',
    '/b/a',
    '/a b',
    '/a/ä',
    '/a/../b',
    '/..',
  ];
  for (const candidate of paths) {
    for (const directory of paths.filter(
      (each) => path.normalize(each) === each && !each.endsWith('/..'),
    )) {
      const relative = path.relative(directory, candidate);
      const expected = relative === '' || (relative !== '..' && !relative.startsWith('../'));
      expect([candidate, directory, isInside(candidate, directory)]).toEqual([
        candidate,
        directory,
        expected,
      ]);
    }
  }
});

test.each(['', 'a', 'pipe:[7]', '(unreachable)/a', './a'])('%s is inside nothing', (candidate) => {
  expect(isInside(candidate, '/')).toBe(false);
});

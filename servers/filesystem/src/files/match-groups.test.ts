import { expect, test } from 'vitest';
import { MatchGroups } from './match-groups.ts';

test('counts by the first directories of a path, and a match at a smaller depth for its own directory', () => {
  const groups = new MatchGroups(2);
  for (const path of ['x', 'a/x', 'a/b/x', 'a/b/c/x', 'a/b/c/d/x']) groups.add(path);
  expect(groups.largest(10)).toEqual([
    { directory: 'a/b', count: 3 },
    { directory: '.', count: 1 },
    { directory: 'a', count: 1 },
  ]);
});

test('gives the largest of very many groups', () => {
  const groups = new MatchGroups(1);
  for (let index = 0; index < 3000; index++) groups.add(`d${index}/x`);
  for (const directory of ['d7', 'd2500', 'd2500']) groups.add(`${directory}/y`);
  expect(groups.largest(3)).toEqual([
    { directory: 'd2500', count: 3 },
    { directory: 'd7', count: 2 },
    { directory: 'd0', count: 1 },
  ]);
  expect(groups.size).toBe(3000);
});

import { expect, test } from 'vitest';
import { InvalidCursorError } from '../ports/store/errors.ts';
import { pageInOrder } from './page-in-order.ts';

const keyOf = (value: string): string => value;

function pages(first: readonly string[], later: readonly string[], limit: number): unknown[] {
  const { data, nextCursor } = pageInOrder(first, keyOf, { limit });
  return [data, pageInOrder(later, keyOf, { limit, cursor: nextCursor })];
}

test('values are paged in their order, and added or removed values shift no other entry', () => {
  const all = ['c', 'a', 'd', 'b'];
  const rest = { data: ['d', 'b'], nextCursor: undefined };
  expect(pages(all, all, 2)).toEqual([['c', 'a'], rest]);
  expect(pages(all, ['z', ...all], 2)).toEqual([['c', 'a'], rest]);
  expect(pages(all, ['a', 'd', 'b'], 2)).toEqual([['c', 'a'], rest]);
});

test('the page after a removed value begins at its former position', () => {
  expect(pages(['a', 'b', 'c'], ['a', 'c'], 2)).toEqual([
    ['a', 'b'],
    { data: ['c'], nextCursor: undefined },
  ]);
});

test('equal values are all returned', () => {
  expect(pages(['a', 'a', 'a'], ['a', 'a', 'a'], 2)).toEqual([
    ['a', 'a'],
    { data: ['a'], nextCursor: undefined },
  ]);
});

test.each(['!', 'x', '2', Buffer.from('-1.').toString('base64url')])(
  'the forged cursor %j is refused',
  (cursor) => {
    expect(() => pageInOrder(['a'], keyOf, { limit: 1, cursor })).toThrow(InvalidCursorError);
  },
);

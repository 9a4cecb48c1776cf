import { expect, test } from 'vitest';
import { InvalidCursorError } from '../ports/store/errors.ts';
import { pageByName } from './page-by-name.ts';

const nameOf = ({ wireName }: { readonly wireName: string }): string => wireName;
const TOOLS = ['a__x', 'a__y', 'b__x'].map((wireName) => ({ wireName }));

test('tools are paged by name, and added or removed tools shift no other entry', () => {
  const first = pageByName(TOOLS, nameOf, { limit: 2 });
  expect(first.data.map(({ wireName }) => wireName)).toEqual(['a__x', 'a__y']);
  const later = [{ wireName: 'a__a' }, ...TOOLS.filter(({ wireName }) => wireName !== 'a__y')];
  expect(pageByName(later, nameOf, { limit: 2, cursor: first.nextCursor })).toEqual({
    data: [{ wireName: 'b__x' }],
    nextCursor: undefined,
  });
});

test('a forged cursor is refused', () => {
  expect(() => pageByName(TOOLS, nameOf, { limit: 2, cursor: '!' })).toThrow(InvalidCursorError);
});

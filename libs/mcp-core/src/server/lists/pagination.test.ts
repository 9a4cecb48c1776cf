import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../any-character.test.support.ts';
import { pageAfter } from './pagination.ts';

const keyOf = (key: string): string => key;

describe('pageAfter', () => {
  test('returns every entry once, in order, whatever the page size', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ unit: anyCharacter }).filter((key) => key.isWellFormed())),
        fc.integer({ min: 1, max: 7 }),
        (keys, pageSize) => {
          const entries = keys.toSorted();
          const seen: string[] = [];
          let cursor: string | undefined;
          do {
            const page = pageAfter(cursor, { entries, keyOf, pageSize });
            expect(page.entries.length).toBeLessThanOrEqual(pageSize);
            seen.push(...page.entries);
            cursor = page.nextCursor;
          } while (cursor !== undefined);
          expect(seen).toEqual(entries);
        },
      ),
    );
  });

  test('accepts only cursors that it could have issued', () => {
    const { nextCursor = '' } = pageAfter(undefined, { entries: ['a', 'b'], keyOf, pageSize: 1 });
    for (const cursor of [
      `${nextCursor}=`,
      `${nextCursor} `,
      nextCursor.slice(1),
      'a',
      '0',
      '\u0000',
    ]) {
      expect(() => pageAfter(cursor, { entries: ['a', 'b'], keyOf, pageSize: 1 })).toThrow(
        'unknown cursor',
      );
    }
  });
});

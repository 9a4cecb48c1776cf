import { expect, test } from 'vitest';
import { exceededLimit } from './json-limits.ts';

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

test('a value of as many levels as allowed is within the limit, and one level more is not', () => {
  expect(exceededLimit(nested(100), { maxDepth: 100 })).toBeUndefined();
  expect(exceededLimit(nested(101), { maxDepth: 100 })).toBe('depth');
});

test('a million levels are detected without recursion', () => {
  expect(exceededLimit(nested(1_000_000), { maxDepth: 100 })).toBe('depth');
});

test('strings and member names are counted in bytes', () => {
  expect(
    exceededLimit({ text: 'é'.repeat(400) }, { maxDepth: 100, maxBytes: 1000 }),
  ).toBeUndefined();
  expect(exceededLimit({ text: 'é'.repeat(500) }, { maxDepth: 100, maxBytes: 1000 })).toBe('bytes');
  expect(exceededLimit({ ['n'.repeat(2000)]: 1 }, { maxDepth: 100, maxBytes: 1000 })).toBe('bytes');
  expect(
    exceededLimit(
      Array.from({ length: 1000 }, () => ({})),
      { maxDepth: 100, maxBytes: 1000 },
    ),
  ).toBe('bytes');
});

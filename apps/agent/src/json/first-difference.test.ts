import { expect, test } from 'vitest';
import { firstDifference } from './first-difference.ts';

test('equal values have no difference, whatever the order of their members', () => {
  expect(firstDifference({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBeUndefined();
});

test.each<[unknown, unknown, object]>([
  [{ a: { b: [1, 2] } }, { a: { b: [1, 3] } }, { path: 'a.b[1]', left: '2', right: '3' }],
  [{ a: [1] }, { a: [1, { x: 1 }] }, { path: 'a[1]', left: undefined, right: '{"x":1}' }],
  [{ a: 1 }, { b: 1 }, { path: 'a', left: '1', right: undefined }],
  [{ a: [] }, { a: {} }, { path: 'a', left: '[]', right: '{}' }],
  ['x', 'y', { path: '', left: '"x"', right: '"y"' }],
])('%j and %j differ in %j', (left, right, difference) => {
  expect(firstDifference(left, right)).toEqual(difference);
});

test('long texts are shown from their first difference', () => {
  const common = 'x'.repeat(1000);
  const found = firstDifference(`${common}left${common}`, `${common}right`);
  expect(found?.left).toMatch(/^…x{24}left.*…$/);
  expect(found?.right).toBe('…xxxxxxxxxxxxxxxxxxxxxxxxright"');
});

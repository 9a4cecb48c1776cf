import { expect, test } from 'vitest';
import { definitionText } from './definition-text.ts';

test('a definition is compared by its parts, whatever the order of its names', () => {
  const left = {
    description: 'a\nb',
    inputSchema: { type: 'object', properties: { b: 1, a: [{ d: 1, c: 2 }] } },
  };
  const right = {
    inputSchema: { properties: { a: [{ c: 2, d: 1 }], b: 1 }, type: 'object' },
    description: 'a\nb',
  };
  expect(definitionText(left, ['description', 'inputSchema'])).toBe(
    definitionText(right, ['description', 'inputSchema']),
  );
  expect(definitionText(left, ['description', 'title'])).toBe('description: a\nb');
});

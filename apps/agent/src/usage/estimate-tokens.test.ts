import { expect, test } from 'vitest';
import { estimateTokens } from './estimate-tokens.ts';

test('four characters of the JSON text count as a token', () => {
  expect(estimateTokens({ text: 'x'.repeat(1999) })).toBe(
    Math.ceil((1999 + '{"text":""}'.length) / 4),
  );
});

const image = 'QUJD'.repeat(1000);

test.each<[string, unknown, number]>([
  ['an image', [image], 1500 + 1],
  ['an image with padding', [`${image}==`], 1500 + 1],
  ['an image as data URL', [`data:image/png;base64,${image}`], 1500 + 1],
  ['the shortest image, wherever it begins', ['y'.repeat(700), 'x'.repeat(2000)], 1500 + 177],
  ['two images between texts', ['a b', image, 'c', image], 3000 + 5],
])('%s counts as a fixed number of tokens', (_title, request, tokens) => {
  expect(estimateTokens(request)).toBe(tokens);
});

test('a long text with spaces is no image', () => {
  const text = 'lorem ipsum '.repeat(1000);
  expect(estimateTokens(text)).toBe((text.length + 2) / 4 + 0.5);
});

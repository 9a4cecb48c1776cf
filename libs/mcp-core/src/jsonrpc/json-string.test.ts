import { expect, test } from 'vitest';
import { toJsonBytes } from './json-string.ts';

const expected = (text: string): Buffer => Buffer.from(JSON.stringify(text));

test('a text has the bytes that JSON.stringify gives it, wherever its escapes are', () => {
  const line = 'the quick brown fox jumps over the lazy dog\n';
  const codes = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code));
  const special = [...codes, '\u2028', '€', '😀', '\ud800', '\udc00'];
  for (const char of special)
    for (let length = 0; length < 9; length += 1) {
      const text = 'x'.repeat(length);
      for (const found of [text + char, char + text, `${line}${text}${char}${text}${line}`])
        expect(toJsonBytes(found)).toEqual(expected(found));
    }
});

test('a text of many escapes, or of escapes at its end, is not cut', () => {
  for (const length of [0, 1, 2, 3, 4, 30, 100, 1000, 10_000])
    for (const char of ['"', '\\', '\n', '\u0001', 'a"', 'aaaa\n', 'aaaa\u0001', 'äaaa'])
      for (const text of [char.repeat(length), 'x'.repeat(length) + char.repeat(length / 10)])
        expect(toJsonBytes(text)).toEqual(expected(text));
});

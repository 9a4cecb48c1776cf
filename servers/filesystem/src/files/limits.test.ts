import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonBytes } from './limits.ts';

const texts = oneof(string({ unit: 'grapheme' }), array(constantFrom('\n', '\r', '"', '\\', '\0', '\u001f', '\u007f', '\u0080', '\u2028', '😀', 'word')).map((parts) => parts.join('')));

describe('jsonBytes', () => {
  test('is the length of the JSON text', () => {
    assert(
      property(texts, (text) => {
        const expected = Buffer.byteLength(JSON.stringify(text));
        expect([jsonBytes(text), jsonBytes(Buffer.from(text))]).toEqual([expected, expected]);
      }),
      { numRuns: 2000 },
    );
  });

  test.each(Array.from({ length: 256 }, (_, code) => code))('counts character %i as JSON does', (code) => {
    const text = `abc${String.fromCharCode(code)}defg`;
    expect(jsonBytes(text)).toBe(Buffer.byteLength(JSON.stringify(text)));
  });
});

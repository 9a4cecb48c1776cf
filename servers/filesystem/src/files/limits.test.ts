import { describe, expect, test } from 'vitest';
import { countText, jsonBytes } from './limits.ts';
import { kindOfLineEnds, lineEndingOf } from './text-encoding.ts';

const pieces = [
  '\n',
  '\r',
  '\t',
  '"',
  '\\',
  '\0',
  '\u001f',
  ' ',
  '\u007f',
  '\u0080',
  'é',
  '\u2028',
  '😀',
  'word',
  'a longer one',
];
const texts = [
  '',
  ...pieces,
  ...pieces.flatMap((first) =>
    pieces.flatMap((second) => [`${first}${second}`, `abc${first}de${second}fghi`]),
  ),
];

describe('jsonBytes', () => {
  test('is the length of a text as JSON, alone and beside each other kind of character', () => {
    const wrong = texts.filter((text) => {
      const expected = Buffer.byteLength(JSON.stringify(text));
      return jsonBytes(text) !== expected || jsonBytes(Buffer.from(text)) !== expected;
    });
    expect(wrong).toEqual([]);
  });

  test('counts each character of one byte as JSON does', () => {
    const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
    expect(characters.map((character) => jsonBytes(character))).toEqual(
      characters.map((character) => Buffer.byteLength(JSON.stringify(character))),
    );
  });
});

test('line ends are counted wherever they are', () => {
  const count = (text: string, found: RegExp): number => [...text.matchAll(found)].length;
  for (const text of texts)
    for (const offset of [0, 1, 2, 3]) {
      const counts = countText(Buffer.from('x'.repeat(offset) + text).subarray(offset));
      expect([text, counts]).toEqual([
        text,
        {
          jsonBytes: jsonBytes(text),
          feeds: count(text, /\n/g),
          pairs: count(text, /\r\n/g),
          returns: count(text, /\r/g),
        },
      ]);
      expect(kindOfLineEnds(counts)).toBe(lineEndingOf(text));
    }
});

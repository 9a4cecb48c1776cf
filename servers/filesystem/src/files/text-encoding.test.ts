import { describe, expect, test } from 'vitest';
import { decodeText, encodeText, lineEndingOf } from './text-encoding.ts';

describe('decodeText and encodeText', () => {
  test.each([
    [
      'UTF-8',
      Buffer.from('héllo\n'),
      { text: 'héllo\n', encoding: 'utf-8', bom: false, eol: 'lf' },
    ],
    [
      'UTF-8 with a mark',
      Buffer.from('\uFEFFhello\r\n'),
      { text: 'hello\r\n', encoding: 'utf-8', bom: true, eol: 'crlf' },
    ],
    [
      'UTF-16LE',
      Buffer.from('fffe68006900', 'hex'),
      { text: 'hi', encoding: 'utf-16le', bom: true, eol: 'none' },
    ],
    [
      'UTF-16BE',
      Buffer.from('feff00680069', 'hex'),
      { text: 'hi', encoding: 'utf-16be', bom: true, eol: 'none' },
    ],
    [
      'one byte for each character',
      Buffer.from('636166e90a', 'hex'),
      { text: 'café\n', encoding: 'latin1', bom: false, eol: 'lf' },
    ],
    [
      'a mark of UTF-8 before what is not',
      Buffer.from('efbbbfe9', 'hex'),
      { text: 'ï»¿é', encoding: 'latin1', bom: false, eol: 'none' },
    ],
    ['nothing', Buffer.alloc(0), { text: '', encoding: 'utf-8', bom: false, eol: 'none' }],
  ])('keep %s', (_name, bytes, expected) => {
    const decoded = decodeText(bytes);
    expect(decoded).toEqual(expected);
    expect(encodeText(decoded?.text ?? '', { encoding: 'utf-8', bom: false, ...decoded })).toEqual(
      bytes,
    );
  });

  test.each([
    ['a NUL', Buffer.from('610062', 'hex')],
    ['an odd number of bytes in UTF-16', Buffer.from('fffe680069', 'hex')],
    ['half a surrogate pair', Buffer.from('fffe00d8', 'hex')],
  ])('refuse %s', (_name, bytes) => {
    expect(decodeText(bytes)).toBeUndefined();
  });

  test('refuse to write characters that the encoding lacks', () => {
    expect(() => encodeText('a€', { encoding: 'latin1', bom: false })).toThrow(
      '"€" cannot be written',
    );
    expect(() => encodeText('\ud800', { encoding: 'utf-8', bom: false })).toThrow('surrogate');
    expect(() => encodeText('\ud800', { encoding: 'utf-16le', bom: true })).toThrow('surrogate');
  });
});

test.each([
  ['', 'none'],
  ['a', 'none'],
  ['a\n', 'lf'],
  ['\r\n', 'crlf'],
  ['a\r\nb\n', 'mixed'],
  ['a\rb', 'cr'],
  ['ab', 'none'],
])('the line ending of %j is %s', (text, expected) => {
  expect(lineEndingOf(text)).toBe(expected);
});

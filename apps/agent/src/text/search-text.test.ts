import { expect, test } from 'vitest';
import { foldText, searchWords } from './search-text.ts';

test.each([
  ['case', 'ÅNGSTRÖM', 'ångström'],
  ['diacritics', 'Café Zoë', 'cafe zoe'],
  ['combined and precomposed letters', 'caf\u0065\u0301', 'caf\u00e9'],
  ['the dotted capital I', 'İstanbul', 'istanbul'],
  ['the final sigma', 'ΟΔΟΣ', 'οδος'],
  ['full-width letters', 'ＡＢＣ１２', 'abc12'],
  ['ligatures', 'ﬁle', 'file'],
  ['Hangul as syllables and as letters', '\uac00', '\u1100\u1161'],
  ['soft hyphens and marks of direction', '\u202ein\u00advoice\u200b', 'invoice'],
  ['spaces, line ends and NUL', ' a\u00a0\n\0\tb ', 'a b'],
])('ignores %s', (_, text, same) => {
  expect(foldText(text)).toBe(foldText(same));
});

test.each([
  ['letters of other scripts', 'д', 'd'],
  ['vowel signs', 'कि', 'क'],
  ['punctuation', 'a-b', 'a b'],
])('distinguishes %s', (_, text, other) => {
  expect(foldText(text)).not.toBe(foldText(other));
});

test('the words of a search are separated by spaces, and each occurs once', () => {
  expect(searchWords('  Order_42 "not OR"  order_42 ')).toEqual(['order_42', '"not', 'or"']);
  expect(searchWords('\0 \u202e\t')).toEqual([]);
});

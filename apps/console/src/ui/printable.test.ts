import { describe, expect, test } from 'vitest';
import { printable } from './printable.ts';

describe('printable', () => {
  test('keeps markup, line breaks, tabs, emoji and right-to-left letters', () => {
    const text = '<b>a</b>\n\tb 👩‍🚀 שלום';
    expect(printable(text)).toBe(text);
  });

  test.each([
    ['colors', '\u001B[31mred\u001B[0m', 'red'],
    ['an 8-bit color', '\u009B1mbold', 'bold'],
    ['the title of a terminal', '\u001B]0;title\u0007text', 'text'],
    [
      'a link of a terminal',
      '\u001B]8;;https://evil.example\u001B\\here\u001B]8;;\u001B\\',
      'here',
    ],
    ['a short sequence', '\u001B(Btext', 'text'],
  ])('removes %s', (_name, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('shows characters that reorder the text by their code', () => {
    expect(printable('invoice\u202Efdp.exe\u2066')).toBe('invoice⟨U+202E⟩fdp.exe⟨U+2066⟩');
  });

  test('shows control characters as pictures', () => {
    expect(printable('a\u0000b\rc\u007Fd\u0085e')).toBe('a␀b␍c␡d⟨U+0085⟩e');
  });

  test('treats Windows line ends as line ends', () => {
    expect(printable('a\r\nb')).toBe('a\nb');
  });
});

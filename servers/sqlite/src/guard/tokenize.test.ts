import { describe, expect, test } from 'vitest';
import { TokenizeError, tokenize } from './tokenize.ts';

function texts(sql: string): string[] {
  return tokenize(sql).map((token) => `${token.kind}:${token.text}`);
}

describe('tokenize', () => {
  test('skips white space, a byte order mark and both kinds of comment', () => {
    expect(texts('\uFEFF /* a ; */ -- b ;\n SELECT/**/1 /* open')).toEqual([
      'word:SELECT',
      'number:1',
    ]);
  });

  test('ends a line comment at a line feed only', () => {
    expect(texts('-- a\rATTACH\nSELECT')).toEqual(['word:SELECT']);
  });

  test('keeps semicolons and comment marks inside quotes together', () => {
    expect(texts(`';--' "a;/*" [b;--] \`c;\``)).toEqual([
      'string:;--',
      'quoted:a;/*',
      'quoted:b;--',
      'quoted:c;',
    ]);
  });

  test('reads doubled quotes as one quote, except in brackets', () => {
    expect(texts(`'it''s' "a""b" \`c\`\`d\` [e]x`)).toEqual([
      `string:it's`,
      'quoted:a"b',
      'quoted:c`d',
      'quoted:e',
      'word:x',
    ]);
  });

  test('reads every form of parameter', () => {
    expect(texts('? ?12 :a @b $c::d #e')).toEqual([
      'variable:?',
      'variable:?12',
      'variable::a',
      'variable:@b',
      'variable:$c::d',
      'variable:#e',
    ]);
  });

  test('keeps letters beyond ASCII in words, dollars too', () => {
    expect(texts('größe a$b')).toEqual(['word:größe', 'word:a$b']);
  });

  test('reads numbers and blob literals without splitting keywords off', () => {
    expect(texts("1.5e3 .5 0xFF x'00'")).toEqual([
      'number:1.5e3',
      'number:.5',
      'number:0xFF',
      'word:x',
      'string:00',
    ]);
  });

  test.each([["SELECT 'a"], ['SELECT "a'], ['SELECT [a'], ['SELECT `a'], ["SELECT 'a''"]])(
    'refuses the open quote in %s',
    (sql) => {
      expect(() => tokenize(sql)).toThrow(TokenizeError);
    },
  );

  test('refuses NUL, where SQLite would stop reading', () => {
    expect(() => tokenize('SELECT 1\0; ATTACH')).toThrow('NUL');
  });

  test.each([
    'SELECT load_extension\v(1)',
    '\vSELECT 1',
    'SELECT 1 \u0001',
    'SELECT {1}',
    'SELECT 1 ]',
    'SELECT ^',
    'SELECT \\',
    'SELECT :',
    'SELECT $',
  ])('refuses a character that begins no token in %j', (sql) => {
    expect(() => tokenize(sql)).toThrow('is not allowed there');
  });

  test('reads every symbol', () => {
    expect(tokenize('-+*/%=<>!|&~,.;()')).toHaveLength(17);
  });

  test('refuses Tcl parameters, whose parentheses may hold anything', () => {
    expect(() => tokenize("SELECT $a(';)")).toThrow('Tcl');
  });

  test('reads a megabyte of quotes or comments', () => {
    expect(tokenize(`SELECT '${"''".repeat(500_000)}'`)).toHaveLength(2);
    expect(tokenize(`${'--\n'.repeat(300_000)}SELECT`)).toHaveLength(1);
  });
});

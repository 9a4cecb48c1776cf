import { threadCpuMs } from '@signalbox/server-kit/testing';
import { describe, expect, test } from 'vitest';
import { compilePatterns } from './glob.ts';

function matches(pattern: string, candidates: readonly string[]): readonly string[] {
  const [matcher] = compilePatterns([pattern]);
  return candidates.filter((candidate) => matcher!(candidate));
}

describe('compilePatterns', () => {
  test.each([
    ['a.ts', ['a.ts', 'x/a.ts', 'x/y/a.ts'], ['a.tsx', 'ba.ts', 'a.ts/b']],
    ['*.ts', ['a.ts', '.ts', '.x.ts'], ['x/a.ts', 'a.tsx']],
    ['**/*.ts', ['a.ts', 'x/a.ts', '.x/.a.ts'], ['a.ts/b']],
    ['x/**', ['x', 'x/a', 'x/y/a'], ['a', 'xx/a', 'y/x/a']],
    ['*/**', ['x/a', 'x/y/a'], ['a']],
    ['x/**/a', ['x/a', 'x/y/a', 'x/y/z/a'], ['x', 'y/a']],
    ['**/x/**/y/**', ['x/y', 'a/x/b/y/c'], ['y/x', 'x']],
    ['**', ['a', 'x/a'], []],
    ['**/**', ['a', 'x/a'], []],
    ['x**y/a', ['xy/a', 'x--y/a'], ['x/y/a']],
    ['?', ['a', '😀', '日'], ['', 'ab', 'a/b']],
    ['a?c', ['abc', 'a😀c'], ['ac', 'abbc', 'a/c']],
    ['[abx-z]', ['a', 'y', 'z'], ['c', '-', 'ab']],
    ['[!a-c]', ['d', '😀'], ['b', '/']],
    ['[^a]', ['b', '^'], ['a']],
    ['[]a]', [']', 'a'], ['[']],
    ['[a-]', ['a', '-'], ['b']],
    ['[a\\-c]', ['a', '-', 'c'], ['b']],
    ['[\\]]', [']'], ['\\']],
    ['[😀-😂]', ['😁'], ['😃', '\uD83D']],
    ['[ab', ['[ab'], ['a']],
    ['[a/b]*', ['[a/b]c'], ['a', 'b']],
    ['{a,b}.ts', ['a.ts', 'b.ts'], ['{a,b}.ts', 'a', 'c.ts']],
    ['{x,y/z}/*', ['x/a', 'y/z/a'], ['y/a']],
    ['a{,.b{c,d}}', ['a', 'a.bc', 'a.bd'], ['a.b', 'x/a']],
    ['{{a,b}', ['{a', '{b'], ['a', '{{a,b}']],
    ['{a}', ['{a}'], ['a']],
    ['{1..3}', ['{1..3}'], ['1', '2']],
    ['[{,}]', ['{', ',', '}'], ['[']],
    ['\\{a,b}', ['{a,b}'], ['a', '\\a']],
    ['\\*', ['*'], ['a', '\\*']],
    ['a\\', ['a\\'], ['a']],
    ['+(a|b)*', ['+(a|b)', '+(a|b)c'], ['a', 'ab']],
    ['!a*', ['!ab'], ['b']],
    ['./a/*', ['a/b'], ['./a/b']],
    ['a\nb*', ['a\nb', 'a\nb\n'], ['a']],
    ['a/', ['a', 'x/a'], []],
  ])('%j matches %j and not %j', (pattern, hits, misses) => {
    expect(matches(pattern, [...hits, ...misses])).toEqual(hits);
  });

  test('gives one matcher for each pattern', () => {
    expect(compilePatterns(['a', '*']).map((matcher) => matcher('b'))).toEqual([false, true]);
    expect(compilePatterns([])).toEqual([]);
  });

  test.each([
    ['/a', 'starts with /'],
    ['{a,b}'.repeat(8), 'expands to too many'],
    ['{a,'.repeat(300) + '}'.repeat(300), 'expands to too many'],
    ['{a,b,c,d,e,f,g,h,i,j,k,l}'.padEnd(1000, 'x'), 'too long'],
  ])('refuses %s', (pattern, message) => {
    expect(() => compilePatterns([pattern])).toThrow(
      expect.objectContaining({
        reason: 'invalid',
        message: expect.stringContaining(message) as string,
      }) as Error,
    );
  });

  test('limits the total length of all patterns', () => {
    const patterns = Array.from({ length: 11 }, () => '*a'.repeat(500));
    expect(() => compilePatterns(patterns.slice(1))).not.toThrow();
    expect(() => compilePatterns(patterns)).toThrow('too long');
  });

  test.each([
    ['many stars', '*a'.repeat(500) + 'b', 'a'.repeat(255)],
    ['many globstars', '**/a/'.repeat(200) + 'b', 'a/'.repeat(2000) + 'a'],
    [
      'stars on every level',
      '**/' + '*a*'.repeat(300) + 'b',
      Array(16).fill('a'.repeat(255)).join('/'),
    ],
    ['classes that stay open', '['.repeat(1000), '['.repeat(255)],
    ['braces that stay open', '{a,'.repeat(330), 'a'],
  ])('compiles and compares %s in less than 250 ms of processor time', (_, pattern, path) => {
    const startedAt = threadCpuMs();
    expect(matches(pattern, [path])).toEqual([]);
    expect(threadCpuMs() - startedAt).toBeLessThan(250);
  });
});

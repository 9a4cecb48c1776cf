import { describe, expect, test } from 'vitest';
import { tokenize } from '../guard/tokenize.ts';
import { ParameterError, bindParameters } from './bind-parameters.ts';

function bind(params: unknown, sql = 'SELECT ?'): unknown[] {
  return bindParameters(params, tokenize(sql));
}

describe('bindParameters', () => {
  test('binds nothing when there are no parameters', () => {
    expect(bind(undefined)).toEqual([]);
  });

  test('binds an array by position with whole numbers as INTEGER and booleans as 0 and 1', () => {
    expect(bind([1, 1.5, 'x', null, true, false])).toEqual([1n, 1.5, 'x', null, 1n, 0n]);
  });

  test('binds blobs and 64-bit integers', () => {
    expect(bind([{ $blob: 'AP8=' }, { $int64: '-9223372036854775808' }])).toEqual([
      Buffer.from([0, 255]),
      -9223372036854775808n,
    ]);
  });

  test('binds an object by name, with or without the prefix', () => {
    expect(bind({ a: 1, ':b': 'x', $c: null }, 'SELECT :a, :b, $c')).toEqual([
      { a: 1n, b: 'x', c: null },
    ]);
  });

  test('binds an array to numbered parameters', () => {
    expect(bind(['x', 'y'], 'SELECT ?2, ?1, ?2')).toEqual([{ 1: 'x', 2: 'y' }]);
  });

  test('does not take a question mark in a string for a parameter', () => {
    expect(bind(['x'], "SELECT '?1', ?")).toEqual(['x']);
  });

  test('keeps a parameter named __proto__ a parameter', () => {
    const [named] = bind(JSON.parse('{"__proto__": 1}'), 'SELECT :__proto__');
    expect(Object.entries(named as object)).toEqual([['__proto__', 1n]]);
  });

  test.each([
    ['text', 'params must be an array or an object'],
    [null, 'params must be an array or an object'],
    [[[1]], 'Parameter 1 must be'],
    [[{}], 'Parameter 1 must be'],
    [{ a: { b: 1 } }, 'Parameter a must be'],
    [[{ $int64: 1 }], '$int64 must be a string of digits'],
    [[{ $int64: '1e3' }], '$int64 must be a string of digits'],
    [[{ $int64: '9223372036854775808' }], '$int64 must fit into 64 bits'],
    [[{ $blob: 'no base64!' }], '$blob must be base64'],
    [[{ $blob: 'AP8' }], '$blob must be base64'],
  ])('refuses %j', (params, message) => {
    expect(() => bind(params)).toThrow(ParameterError);
    expect(() => bind(params)).toThrow(message);
  });

  test.each([
    [
      'more parameters than SQLite takes',
      Array.from({ length: 200_000 }, () => 1),
      'There are 200000 parameters; one statement takes at most 32766',
    ],
    [
      'as many by name',
      Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`p${index}`, 1])),
      'There are 40000 parameters',
    ],
    [
      'a whole number that lost digits',
      [9_007_199_254_740_992],
      'Parameter 1 is beyond ±(2^53 - 1), where JSON numbers lose digits; write {"$int64": "digits"}',
    ],
    ['half of a surrogate pair', ['a\uD800b'], 'Parameter 1 is not Unicode text'],
  ])('refuses %s', (_what, params, message) => {
    expect(() => bind(params)).toThrow(ParameterError);
    expect(() => bind(params)).toThrow(message);
  });

  test('binds numbers beyond 64 bits as REAL', () => {
    expect(bind([1e300])).toEqual([1e300]);
  });

  test('refuses a mix of ? and ?1', () => {
    expect(() => bind([1, 2], 'SELECT ?, ?1')).toThrow('either ? or numbered');
  });
});

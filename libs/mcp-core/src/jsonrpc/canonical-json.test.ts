import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

test('members are ordered by their UTF-16 code units at every depth, numeric names included', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null, '10': 1, '9': 2 })).toBe(
    '{"10":1,"9":2,"a":null,"b":[{"c":2,"d":1}]}',
  );
  // The example of section 3.2.3: an emoji, whose first unit is a surrogate, comes before U+FB33.
  expect(
    canonicalJson({
      '\u20ac': 1,
      '\r': 2,
      '\ufb33': 3,
      '1': 4,
      '\u{1f600}': 5,
      '\u0080': 6,
      '\u00f6': 7,
    }),
  ).toBe('{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}');
});

test('numbers and strings are written as ECMAScript does', () => {
  // The example of section 3.2.2.
  expect(
    canonicalJson({
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000f\u000aA\'B"\\\\"/',
      literals: [null, true, false],
    }),
  ).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

test('different values have different texts, and undefined members are left out', () => {
  const texts = [
    {},
    [],
    { a: {} },
    { a: [] },
    { a: '1' },
    { a: 1 },
    { __proto__x: 1 },
    JSON.parse('{"__proto__":1}'),
  ].map(canonicalJson);
  expect(new Set(texts).size).toBe(texts.length);
  expect(canonicalJson({ a: 1, b: undefined })).toBe(canonicalJson({ a: 1 }));
});

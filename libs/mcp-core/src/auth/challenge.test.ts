import { expect, test } from 'vitest';
import { parseChallenges, tokenChallenge } from './challenge.ts';

test.each([
  ['Bearer', [['bearer', {}]]],
  ['Bearer realm="a, b", scope="x y"', [['bearer', { realm: 'a, b', scope: 'x y' }]]],
  [
    'Bearer error=invalid_token , SCOPE = "x"',
    [['bearer', { error: 'invalid_token', scope: 'x' }]],
  ],
  [
    'Basic realm="say \\"hi\\"", Bearer scope=x',
    [
      ['basic', { realm: 'say "hi"' }],
      ['bearer', { scope: 'x' }],
    ],
  ],
  [
    'Negotiate YWJj==, DPoP algs="ES256", Bearer',
    [
      ['negotiate', {}],
      ['dpop', { algs: 'ES256' }],
      ['bearer', {}],
    ],
  ],
  ['Bearer scope=first, scope=second', [['bearer', { scope: 'first' }]]],
  [', ,Bearer scope="a"', [['bearer', { scope: 'a' }]]],
  ['Bearer scope="never ends', [['bearer', {}]]],
  ['', []],
  ['=', []],
])('%s is parsed', (header, expected) => {
  expect(
    parseChallenges(header).map(({ scheme, parameters }) => [scheme, { ...parameters }]),
  ).toEqual(expected);
});

test('the parameters of DPoP win over those of Bearer, and no header has none', () => {
  expect(tokenChallenge('DPoP scope=d, Bearer scope=b, error=e')).toEqual({
    isDpop: true,
    parameters: { scope: 'd', error: 'e' },
  });
  expect(tokenChallenge('Bearer scope=b')).toEqual({ isDpop: false, parameters: { scope: 'b' } });
  expect(tokenChallenge(undefined)).toEqual({ isDpop: false, parameters: {} });
});

test('a parameter named __proto__ is a parameter', () => {
  expect(Object.keys(tokenChallenge('Bearer __proto__=a').parameters)).toEqual(['__proto__']);
});

test('a long hostile header is parsed in linear time', () => {
  const before = process.threadCpuUsage();
  parseChallenges(`Bearer ${'a='.repeat(500_000)}`);
  parseChallenges(`Bearer x="${'\\'.repeat(1_000_000)}`);
  expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
});

import { describe, expect, test } from 'vitest';
import { SERVER_NAME } from '../config/server-name.ts';
import { wireName } from './wire-name.ts';

test('a plain tool keeps its name', () => {
  expect(wireName('filesystem', 'read_text_file')).toBe('filesystem__read_text_file');
  expect(wireName('a', '_b')).toBe('a___b');
});

test.each([
  ['dots', 'a.b', /^server__a_b_[0-9a-f]{8}$/],
  ['slashes', 'a/b', /^server__a_b_[0-9a-f]{8}$/],
  ['another alphabet', 'поиск', /^server__{6}_[0-9a-f]{8}$/],
  ['no character', '', /^server___[0-9a-f]{8}$/],
  ['the look of a digest', 'report_deadbeef', /^server__report_deadbeef_[0-9a-f]{8}$/],
  ['too many characters', 'x'.repeat(100), /^server__x{47}_[0-9a-f]{8}$/],
])('a tool name with %s gets a digest', (_title, tool, expected) => {
  expect(wireName('server', tool)).toMatch(expected);
});

describe('similar names stay distinct', () => {
  test.each([
    [
      ['s', 'search-a'],
      ['s', 'search_a'],
    ],
    [
      ['s', 'a.b'],
      ['s', 'a_b'],
    ],
    [
      ['s', 'a.b'],
      ['s', 'a/b'],
    ],
    [
      ['s', 'a.b'],
      ['s', wireName('s', 'a.b').slice('s__'.length)],
    ],
    [
      ['a', 'b__c'],
      ['a-b', 'c'],
    ],
    [
      ['s', 'é'],
      ['s', 'è'],
    ],
    [
      ['s', `${'x'.repeat(80)}1`],
      ['s', `${'x'.repeat(80)}2`],
    ],
    [
      ['very-long-server-name-number-0001', 'x'.repeat(60)],
      ['very-long-server-name-number-0002', 'x'.repeat(60)],
    ],
  ] as const)('%j and %j', ([server, tool], [otherServer, otherTool]) => {
    expect(wireName(server, tool)).not.toBe(wireName(otherServer, otherTool));
  });
});

test('200 random sets of names are valid, distinct, separated by server, and independent of the rest of the set', () => {
  const random = generator(20_261_120);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const alphabet = [
    'a',
    'b',
    'A',
    '0',
    '_',
    '-',
    '.',
    '/',
    ' ',
    'é',
    '中',
    '\u{1F600}',
    '__',
    '_1a2b3c4d',
  ];
  const word = (length: number): string =>
    Array.from({ length: Math.floor(random() * length) }, () => pick(alphabet)).join('');
  for (let set = 0; set < 200; set++) {
    const servers = Array.from({ length: 12 }, () => word(33)).filter((name) =>
      SERVER_NAME.test(name),
    );
    const pairs = new Map(
      Array.from(
        { length: 60 },
        () => [pick([...servers, 's', 's-']), word(pick([4, 12, 90]))] as const,
      ).map((pair) => [pair.join('\0'), pair]),
    );
    const names = new Map(
      [...pairs.values()].map(([server, tool]) => [wireName(server, tool), server]),
    );
    expect(names.size).toBe(pairs.size);
    for (const [name, server] of names) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(name.split('__')[0]).toBe(server);
    }
  }
});

test.each(['a', 'A-1', 'a_b', 'x'.repeat(32)])('%j is a valid server name', (name) => {
  expect(SERVER_NAME.test(name)).toBe(true);
});

test.each(['', '_a', '-a', 'a_', 'a__b', 'a b', 'a.b', 'é', 'x'.repeat(33), '__proto__'])(
  '%j is an invalid server name',
  (name) => {
    expect(SERVER_NAME.test(name)).toBe(false);
  },
);

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

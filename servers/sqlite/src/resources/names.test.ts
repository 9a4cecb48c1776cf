import { expect, test } from 'vitest';
import { completeNames } from './complete-names.ts';
import { parseSqliteUri, schemaUri, tableUri } from './table-uri.ts';

test.each(['users', `we'ird "tbl`, 'a/b?c#d,e%', '女装', '{x}', '..', 'a b'])(
  'a URI with the table %j has one path segment and can be read back',
  (table) => {
    const uri = tableUri('main', table);
    expect(uri).toMatch(/^sqlite:\/\/main\/[\w.~%-]+$/);
    expect(parseSqliteUri(uri)).toEqual({ database: 'main', table });
  },
);

test('reads the URI of a schema, and no other URI', () => {
  expect(parseSqliteUri(schemaUri('main'))).toEqual({ database: 'main' });
  for (const uri of [
    'sqlite://',
    'sqlite://main/',
    'sqlite://main/a/b',
    'sqlite://main/%',
    'memo://x',
  ])
    expect(parseSqliteUri(uri)).toBeUndefined();
});

test.each([
  ['', ['orders', 'users', 'Über', '女装连衣裙', 'plays 🎭']],
  ['o', ['orders']],
  ['RS', ['orders', 'users']],
  ['u', ['users']],
  ['u\u0308', ['Über']],
  ['女装连衣', ['女装连衣裙']],
  ['连', ['女装连衣裙']],
  ['🎭'.slice(0, 1), ['orders', 'users', 'Über', '女装连衣裙', 'plays 🎭']],
  ['plays 🎭', ['plays 🎭']],
  ['x', []],
])('completes %j to %j', (typed, expected) => {
  expect(completeNames(typed, ['orders', 'users', 'Über', '女装连衣裙', 'plays 🎭'])).toEqual(
    expected,
  );
});

test('offers names that contain the text only when none begins with it', () => {
  const names = ['visitors', 'orders', 'Oregon'];
  expect(completeNames('or', names)).toEqual(['orders', 'Oregon']);
  expect(completeNames('tor', names)).toEqual(['visitors']);
});

import { expect, test } from 'vitest';
import { closestNames } from './closest-names.ts';

const NAMES = [
  'files__read_file',
  'files__read_files',
  'files__write_file',
  'files__move_file',
  'weather__forecast',
];

test.each([
  ['files__read_fil', ['files__read_file', 'files__read_files', 'files__move_file']],
  ['read_file', ['files__read_file', 'files__read_files']],
  ['FORECAST', ['weather__forecast']],
  ['weather_forecast', ['weather__forecast']],
  ['something_else_entirely', []],
])('%s resembles %j', (name, expected) => {
  expect(closestNames(name, NAMES)).toEqual(expected);
});

test('a name of more than 100 characters resembles none, since models can write names of any length', () => {
  const long = 'n'.repeat(100);
  expect(closestNames(long, [`${long}s`])).toEqual([`${long}s`]);
  expect(closestNames(`${long}s`, [long])).toEqual([]);
});

import { expect, test } from 'vitest';
import { TypeInference } from './infer-types.ts';

test.each([
  [['1', '-5', null, '9223372036854775807'], 'INTEGER'],
  [['1', '2.50', '-1e3'], 'REAL'],
  [['1', '007'], 'TEXT'],
  [['1', '-0.5'], 'REAL'],
  [['9223372036854775808'], 'TEXT'],
  [['1.5', '12345678901234567'], 'TEXT'],
  [['1', ''], 'TEXT'],
  [['+1'], 'TEXT'],
  [[' 1'], 'TEXT'],
  [['0x10'], 'TEXT'],
  [['1e999'], 'TEXT'],
  [[null, null], 'TEXT'],
  [[], 'TEXT'],
])('the text %j has the type %j', (values, type) => {
  expect(new TypeInference(true).infer(values)).toBe(type);
});

test.each([
  [[1n, null], 'INTEGER'],
  [[1n, 2.5], 'REAL'],
  [[2n ** 60n, 2.5], ''],
  [['1', '2'], 'TEXT'],
  [[1n, 'a'], ''],
  [[Buffer.from('a')], 'BLOB'],
  [[Buffer.from('a'), 'a'], ''],
])('the values %s have the type %j', (values, type) => {
  expect(new TypeInference(false).infer(values)).toBe(type);
});

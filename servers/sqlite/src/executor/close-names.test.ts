import { describe, expect, test } from 'vitest';
import { closeNames } from './close-names.ts';

describe('closeNames', () => {
  test('gives the near names, the nearest first', () => {
    expect(closeNames('custmers', ['customs', 'orders', 'customers', 'zebra'])).toEqual([
      'customers',
      'customs',
    ]);
  });

  test('ignores case and finds a part of a name', () => {
    expect(closeNames('SETTINGS', ['users', 'user_settings'])).toEqual(['user_settings']);
  });

  test('lists the existing names when none is similar', () => {
    expect(closeNames('qqqqqqqq', ['a_first', 'b_second'])).toEqual(['a_first', 'b_second']);
  });

  test('gives at most twenty names', () => {
    const names = Array.from({ length: 100 }, (_, index) => `table_${index}`);
    expect(closeNames('table_', names)).toHaveLength(20);
  });
});

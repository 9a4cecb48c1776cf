import { expect, test } from 'vitest';
import { describeLimits, inputLimits } from './input-limits.ts';

test('limits of a schema become limits of the input', () => {
  expect(inputLimits({ minimum: 1, maximum: 9 }, { isInteger: true })).toEqual({
    min: 1,
    max: 9,
    step: 1,
  });
  expect(inputLimits({ minLength: 2, maxLength: 5 }, { isInteger: false })).toEqual({
    minLength: 2,
    maxLength: 5,
    step: 'any',
  });
  expect(inputLimits({ minimum: 0.5 }, { isInteger: true })).toMatchObject({ step: 'any' });
});

test('limits are described', () => {
  expect(describeLimits({ minimum: 1, maximum: 9 })).toBe('1 to 9');
  expect(describeLimits({ minLength: 2 })).toBe('at least 2 characters');
  expect(describeLimits({ maxItems: 3, minItems: 1 })).toBe('1 to 3 entries');
  expect(describeLimits({ minimum: '1' })).toBeUndefined();
});

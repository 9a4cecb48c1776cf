import { describe, expect, test } from 'vitest';
import { choiceOption, integerOption } from './option-values.ts';
import { UsageError } from './usage-error.ts';

describe('integerOption', () => {
  const range = { min: 1, max: 100, default: 7 };

  test('is the default when the option is absent', () => {
    expect(integerOption({}, 'days', range)).toBe(7);
  });

  test.each([
    ['1', 1],
    ['100', 100],
    ['+5', 5],
    ['007', 7],
  ])('reads %j as %d', (text, number) => {
    expect(integerOption({ days: text }, 'days', range)).toBe(number);
  });

  test.each(['0', '101', '-1', '1.5', '1e2', '', ' 5', 'abc', '99999999999999999999'])(
    'refuses %j, naming option, value and range',
    (text) => {
      expect(() => integerOption({ days: text }, 'days', range)).toThrow(
        new UsageError(`--days must be a whole number from 1 to 100, not ${JSON.stringify(text)}`),
      );
    },
  );
});

describe('choiceOption', () => {
  const choice = { choices: ['metric', 'imperial'], default: 'metric' } as const;

  test('is the default when absent and the value when it is a choice', () => {
    expect(choiceOption({}, 'units', choice)).toBe('metric');
    expect(choiceOption({ units: 'imperial' }, 'units', choice)).toBe('imperial');
  });

  test.each(['Metric', '', 'toString'])('refuses %j, naming the choices', (value) => {
    expect(() => choiceOption({ units: value }, 'units', choice)).toThrow(
      `--units must be one of metric, imperial, not "${value}"`,
    );
  });
});

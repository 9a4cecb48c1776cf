import { expect, test } from 'vitest';
import { initialValue } from './initial-value.ts';

test('a form begins with the defaults of its fields', () => {
  const schema = {
    type: 'object',
    properties: {
      unit: { enum: ['m', 'km'], default: 'km' },
      count: { type: 'integer', default: 0 },
      name: { type: 'string' },
      isSure: { type: 'boolean' },
      isLoud: { type: 'boolean' },
    },
    required: ['name', 'isSure'],
  };
  expect(initialValue(schema)).toEqual({ unit: 'km', count: 0, isSure: false });
  expect(initialValue({ type: 'object' })).toEqual({});
});

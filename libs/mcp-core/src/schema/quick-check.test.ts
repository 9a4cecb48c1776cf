import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../jsonrpc/messages.ts';
import { quickCheck } from './quick-check.ts';

const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...rest,
});

describe('ordinary schemas are decided', () => {
  test.each<[JsonObject, unknown, unknown]>([
    [
      object(
        { path: { type: 'string', minLength: 1 } },
        { required: ['path'], additionalProperties: false },
      ),
      { path: 'a' },
      'fits',
    ],
    [
      object({ path: { type: 'string' } }),
      { path: 1 },
      { path: ['path'], text: 'must be of type string' },
    ],
    [
      object({ list: { items: { type: 'integer' } } }),
      { list: [1, 2, 'x'] },
      { path: ['list', 2], text: 'must be of type integer' },
    ],
    [object({}, { required: ['a'] }), {}, { path: [], text: 'must have "a"' }],
    [
      object({}, { additionalProperties: false }),
      { b: 1 },
      { path: [], text: 'must not have "b", which is not known' },
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null, 'fits'],
    [
      { oneOf: [{ type: 'number' }, { minimum: 1 }] },
      2,
      { path: [], text: 'must match exactly one schema in oneOf' },
    ],
    [{ not: { type: 'string' } }, 1, 'fits'],
    [{ $ref: '#/$defs/a~1b', $defs: { 'a/b': { enum: ['x', 1, null] } } }, null, 'fits'],
    [{ maxLength: 2 }, '😀😀', 'fits'],
    [{ maxLength: 2 }, '😀😀😀', { path: [], text: 'must have at most 2 characters' }],
    [{ type: 'string', format: 'uuid' }, '1429989fe8ac4effbc8f57f56486db54', 'fits'],
    [{ uniqueItems: true }, [1, '1'], 'fits'],
    [{ required: ['constructor'] }, {}, { path: [], text: 'must have "constructor"' }],
  ])('%j: %j', (schema, value, verdict) => {
    expect(quickCheck(schema, value)).toEqual(verdict);
  });
});

describe('unsupported keywords leave the value undecided', () => {
  test.each<[JsonObject, unknown]>([
    [{ pattern: '^(a+)+$' }, 'aaa'],
    [{ properties: { a: { pattern: 'x' } } }, { a: 'x' }],
    [{ anyOf: [{ type: 'null' }, { pattern: 'x' }] }, 'x'],
    [{ not: { pattern: 'x' } }, 'x'],
    [{ patternProperties: { x: {} }, additionalProperties: false }, { x: 1 }],
    [{ items: [{ type: 'string' }] }, ['x']],
    [{ $ref: 'https://example.org/schema.json' }, 1],
    [{ $ref: '#/$defs/none' }, 1],
    [{ const: { a: 1 } }, { a: 1 }],
    [{ required: 'a' }, {}],
  ])('%j', (schema, value) => {
    expect(quickCheck(schema, value)).toBe('keyword');
  });

  test('unless another keyword reports a problem', () => {
    expect(quickCheck({ pattern: 'x', type: 'string' }, 1)).toEqual({
      path: [],
      text: 'must be of type string',
    });
  });
});

describe('a check ends after its maximum of steps, whatever the schema is', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `d${String(index)}`,
      {
        anyOf: [
          { $ref: `#/$defs/d${String(index + 1)}` },
          { $ref: `#/$defs/d${String(index + 1)}` },
        ],
      },
    ]),
  );
  test.each<[string, JsonObject, unknown]>([
    [
      'thousands of choices for each entry',
      { items: { anyOf: Array.from({ length: 6000 }, (_, index) => ({ const: index })) } },
      Array.from({ length: 10_000 }, () => 5999),
    ],
    [
      'a long enum for each entry',
      { items: { enum: Array.from({ length: 30_000 }, (_, index) => index) } },
      Array.from({ length: 10_000 }, () => 29_999),
    ],
    ['a reference to itself', { $ref: '#' }, 1],
    ['references that double', { $defs: { ...doubling, d40: false }, $ref: '#/$defs/d0' }, 1],
    ['a long list', { items: { type: 'integer' } }, Array.from({ length: 100_000 }, () => 1)],
  ])('%s', (_title, schema, value) => {
    const before = process.threadCpuUsage();
    expect(quickCheck(schema, value)).toBe('long');
    expect(process.threadCpuUsage(before).user).toBeLessThan(200_000);
  });
});

test('decided values get the verdict of the validator library', () => {
  const scalar = fc.oneof(fc.constantFrom('', 'a', 'bb', '😀', 0, 1, 1.5, -1, true, false, null));
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    ),
  })).value;
  const small = fc.nat(3);
  const schema = fc.letrec((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.boolean(),
      fc.record(
        {
          type: fc.oneof(
            fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null'),
            fc.constant(['string', 'null']),
          ),
          enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
          const: scalar,
          minLength: small,
          maxLength: small,
          minimum: small,
          exclusiveMaximum: small,
          minItems: small,
          maxItems: small,
          minProperties: small,
          uniqueItems: fc.boolean(),
          required: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
          properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), {
            maxKeys: 2,
            noNullPrototype: true,
          }),
          additionalProperties: tie('schema'),
          items: tie('schema'),
          prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          not: tie('schema'),
          pattern: fc.constantFrom('a', '^b'),
          $ref: fc.constantFrom('#/$defs/one', '#/$defs/two'),
        },
        { requiredKeys: [] },
      ),
    ),
  })).schema;
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    validateSchema: false,
    meta: false,
    logger: false,
    inlineRefs: false,
  });
  const evaluate = (whole: JsonObject, instance: unknown): boolean | undefined => {
    try {
      return ajv.compile(whole)(instance);
    } catch (error) {
      // The library generates invalid code for some schemas: "items0 is not defined".
      if (error instanceof ReferenceError) return undefined;
      throw error;
    }
  };
  let decided = 0;
  fc.assert(
    fc.property(schema, value, (part, instance) => {
      const whole = {
        allOf: [part],
        $defs: {
          one: { type: ['string', 'array'] },
          two: { properties: { a: { $ref: '#/$defs/one' } } },
        },
      } as JsonObject;
      const verdict = quickCheck(whole, instance);
      const expected = evaluate(whole, instance);
      if (verdict === 'keyword' || verdict === 'long' || expected === undefined) return;
      decided += 1;
      expect(verdict === 'fits').toBe(expected);
    }),
    { numRuns: 80 },
  );
  expect(decided).toBeGreaterThan(50);
});

import { describe, expect, test } from 'vitest';
import { fitSchema, fitTools } from './tool-schema.ts';
import { toolProblem } from './testing/fake-checks.ts';

function fitted(schema: { [key: string]: unknown }): { readonly [key: string]: unknown } {
  const before = JSON.stringify(schema);
  const result = fitSchema(schema);
  expect(JSON.stringify(schema)).toBe(before);
  if ('problem' in result) throw new Error(result.problem);
  expect(toolProblem([{ name: 'tool', schema: result.fitted }])).toBeUndefined();
  return result.fitted;
}

describe('a description', () => {
  const descriptionOf = (description: string, descriptionCharacters?: number) =>
    fitTools([{ name: 'tool', description, inputSchema: {} }], { descriptionCharacters }).tools[0]
      ?.description;

  test('that exceeds the length limit of the provider ends with an ellipsis, other descriptions are unchanged', () => {
    expect(descriptionOf('x'.repeat(1024), 1024)).toBe('x'.repeat(1024));
    expect(descriptionOf('x'.repeat(1025), 1024)).toBe(`${'x'.repeat(1023)}…`);
    expect(descriptionOf('x'.repeat(5000))).toBe('x'.repeat(5000));
  });

  test('is not truncated within a character', () => {
    expect(descriptionOf(`${'x'.repeat(8)}😀 and more`, 10)).toBe('xxxxxxxx…');
  });
});

describe('a schema is converted for the provider', () => {
  test('an empty schema becomes an object without properties', () => {
    expect(fitted({})).toEqual({ type: 'object', properties: {} });
    expect(fitted({ type: 'object' })).toEqual({ type: 'object', properties: {} });
  });

  test('a valid schema is unchanged', () => {
    const schema = {
      type: 'object',
      properties: {
        city: { type: 'string', enum: ['a'], default: 'a' },
        days: { type: 'integer', minimum: 1 },
      },
      required: ['city'],
      additionalProperties: false,
      description: 'Weather.',
    };
    expect(fitted(schema)).toEqual(schema);
  });

  test('arrays get items, tuples become alternatives', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'array' },
        b: { type: ['array', 'null'] },
        c: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
        d: { type: 'object', properties: { e: { type: 'array' } } },
      },
    };
    expect(fitted(schema)['properties']).toEqual({
      a: { type: 'array', items: {} },
      b: { type: ['array', 'null'], items: {} },
      c: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
      d: { type: 'object', properties: { e: { type: 'array', items: {} } } },
    });
  });

  test('alternatives at the root become optional properties, and the description lists them', () => {
    const schema = {
      type: 'object',
      description: 'Find an issue.',
      properties: { repo: { type: 'string' } },
      required: ['repo'],
      anyOf: [
        { properties: { id: { type: 'integer' } }, required: ['id'] },
        {
          properties: { id: { type: 'string' }, title: { type: 'string' } },
          required: ['id', 'title'],
        },
      ],
    };
    expect(fitted(schema)).toEqual({
      type: 'object',
      description: 'Find an issue. Give one of these: id; id and title.',
      properties: {
        repo: { type: 'string' },
        id: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
        title: { type: 'string' },
      },
      required: ['repo', 'id'],
    });
  });

  test('allOf and references at the root are merged', () => {
    const schema = {
      $ref: '#/$defs/Args',
      $defs: {
        Args: {
          allOf: [
            { $ref: '#/$defs/Base' },
            { type: 'object', properties: { b: { $ref: '#/$defs/Leaf' } }, required: ['b'] },
          ],
        },
        Base: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        Leaf: { type: 'array' },
      },
    };
    expect(fitted(schema)).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string' }, b: { $ref: '#/$defs/Leaf' } },
      required: ['a', 'b'],
      $defs: { Leaf: { type: 'array', items: {} } },
    });
  });

  test('a property named like a member of Object.prototype belongs to its branch only', () => {
    const branch = (name: string) => ({ properties: { [name]: { type: 'string' } } });
    const schema = { anyOf: [branch('constructor'), branch('toString')] };
    expect(fitted(schema)['properties']).toEqual({
      constructor: { type: 'string' },
      toString: { type: 'string' },
    });
  });

  test('an enum with more entries than a JavaScript call can take arguments is rejected as too long', () => {
    expect(
      fitSchema({
        type: 'object',
        properties: { n: { enum: Array.from({ length: 300_000 }, (_, at) => at) } },
      }),
    ).toMatchObject({ problem: expect.stringContaining('longer than') as string });
  });

  test('keywords that providers reject are repaired or dropped', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'x',
      'x-internal': true,
      type: 'object',
      properties: {
        any: { type: 'any' },
        yes: true,
        no: false,
        maybe: { type: 'string', nullable: true },
        far: { $ref: 'https://example.com/schema.json', description: 'Far.' },
        lost: { $ref: '#/$defs/none' },
        extra: { type: 'object', additionalProperties: 'string' },
      },
      if: { properties: { any: { const: 1 } } },
      not: { required: ['any'] },
    };
    expect(fitted(schema)).toEqual({
      type: 'object',
      properties: {
        any: {},
        yes: {},
        maybe: { type: ['string', 'null'] },
        far: { description: 'Far.' },
        lost: {},
        extra: { type: 'object' },
      },
    });
  });

  test('properties that are named like keywords are kept', () => {
    const schema = {
      type: 'object',
      properties: {
        $id: { type: 'string' },
        'x-key': { type: 'string' },
        anyOf: { type: 'array' },
        items: { type: 'string' },
      },
    };
    expect(fitted(schema)['properties']).toEqual({
      $id: { type: 'string' },
      'x-key': { type: 'string' },
      anyOf: { type: 'array', items: {} },
      items: { type: 'string' },
    });
  });

  test('a cycle of references ends', () => {
    const schema = {
      $ref: '#/$defs/A',
      $defs: { A: { allOf: [{ $ref: '#/$defs/A' }], properties: { next: { $ref: '#/$defs/A' } } } },
    };
    expect(fitted(schema)).toMatchObject({
      type: 'object',
      properties: { next: { $ref: '#/$defs/A' } },
    });
  });
});

describe('a tool that cannot be converted is left out with a reason', () => {
  const deep = (levels: number): { [key: string]: unknown } =>
    levels === 0 ? {} : { type: 'object', properties: { next: deep(levels - 1) } };
  const circular: { [key: string]: unknown } = { type: 'object' };
  circular['properties'] = { self: circular };

  test.each([
    [
      'array at the root',
      'a',
      { type: 'array' },
      'its input schema is for "array", not for an object',
    ],
    ['too deep', 'a', deep(50), 'more than 40 levels deep'],
    ['holds itself', 'a', circular, 'more than 40 levels deep'],
    [
      'too long',
      'a',
      { type: 'object', description: 'x'.repeat(100_001) },
      'longer than 100000 characters',
    ],
    ['bad name', 'a.b', { type: 'object' }, 'its name is not 1 to 64 letters'],
  ])('%s', (_, name, inputSchema, reason) => {
    const good = { name: 'good', description: '', inputSchema: { type: 'object', properties: {} } };
    const { tools, warnings } = fitTools([{ name, description: '', inputSchema }, good]);
    expect(tools).toEqual([good]);
    expect(warnings).toEqual([expect.stringContaining(reason)]);
  });
});

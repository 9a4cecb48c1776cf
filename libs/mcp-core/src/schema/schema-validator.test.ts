import { describe, expect, test } from 'vitest';
import { SchemaValidator } from './schema-validator.ts';

async function problems(
  schema: { [key: string]: unknown },
  value: unknown,
): Promise<readonly string[]> {
  return (await new SchemaValidator().compile(schema))(value);
}

describe('SchemaValidator', () => {
  test.each([
    [{ properties: { n: { type: 'integer' } } }, { n: 'x' }, ['"n" must be of type integer.']],
    [
      { properties: { n: { type: ['string', 'null'] } } },
      { n: 1 },
      ['"n" must be of type string or null.'],
    ],
    [{ required: ['a', 'b'] }, {}, ['"a" is required. Add it.', '"b" is required. Add it.']],
    [{ properties: {}, additionalProperties: false }, { z: 1 }, ['"z" is not known. Remove it.']],
    [
      { properties: { unit: { enum: ['c', 'f'] } } },
      { unit: 'k' },
      ['"unit" must be one of "c", "f".'],
    ],
    [{ properties: { v: { const: 1 } } }, { v: 2 }, ['"v" must be 1.']],
    [{ properties: { n: { minimum: 1 } } }, { n: 0 }, ['"n" must be >= 1.']],
    [
      { properties: { 'a/b': { items: { required: ['x~y'] } } } },
      { 'a/b': [{}] },
      ['"x~y" is required in "a/b[0]". Add it.'],
    ],
    [
      { properties: { when: { format: 'date' } } },
      { when: 'soon' },
      ['"when" must match format "date".'],
    ],
    [{ minProperties: 1 }, {}, ['The value must NOT have fewer than 1 properties.']],
    [{}, undefined, ['The value must be of type object.']],
  ])('with %j reports the problem of %j', async (schema, value, expected) => {
    expect(await problems({ type: 'object', ...schema }, value)).toEqual(expected);
  });

  test('supports the keywords of 2020-12', async () => {
    const schema = {
      type: 'object',
      properties: { pair: { prefixItems: [{ type: 'string' }], items: false } },
      unevaluatedProperties: false,
    };
    expect(await problems(schema, { pair: ['a'] })).toEqual([]);
    expect(await problems(schema, { pair: ['a', 1] })).not.toEqual([]);
    expect(await problems(schema, { other: 1 })).toEqual(['"other" is not known. Remove it.']);
  });

  test('reports at most ten problems', async () => {
    expect(
      await problems(
        {
          type: 'object',
          required: Array.from({ length: 50 }, (_, index) => `field${String(index)}`),
        },
        {},
      ),
    ).toHaveLength(10);
  });

  test('reports only the first problem of a value of more than 1000 parts', async () => {
    const schema = { type: 'object', properties: { list: { items: { type: 'string' } } } };
    expect(await problems(schema, { list: Array.from({ length: 900 }, () => 0) })).toHaveLength(10);
    expect(await problems(schema, { list: Array.from({ length: 2_000_000 }, () => 0) })).toEqual([
      '"list[0]" must be of type string.',
    ]);
  });

  test.each(['constructor', 'toString', '__proto__'])(
    'takes %s for a property only where the value has it',
    async (name) => {
      const properties = JSON.parse(`{"${name}":{"type":"string"}}`) as object;
      expect(
        await problems({ type: 'object', properties, additionalProperties: false }, {}),
      ).toEqual([]);
      expect(await problems({ type: 'object', required: [name] }, {})).toEqual([
        `"${name}" is required. Add it.`,
      ]);
      expect(
        await problems(
          { type: 'object', properties: { other: true }, additionalProperties: false },
          JSON.parse(`{"${name}":1}`),
        ),
      ).toEqual([`"${name}" is not known. Remove it.`]);
      expect(await problems({ type: 'object', properties }, JSON.parse(`{"${name}":"x"}`))).toEqual(
        [],
      );
    },
  );

  test('compiles a schema object once', async () => {
    const validator = new SchemaValidator();
    const schema = { type: 'object' };
    expect(await validator.compile(schema)).toBe(await validator.compile(schema));
  });

  test('compiles equal schemas once, and returns compiled ones synchronously', async () => {
    const validator = new SchemaValidator();
    const schema = { type: 'object', required: ['a'] };
    expect(validator.compiled(schema)).toBeUndefined();
    const check = await validator.compile(schema);
    expect(validator.compiled(schema)).toBe(check);
    expect(await validator.compile({ ...schema })).toBe(check);
    expect(await validator.compile({ ...schema, required: ['b'] })).not.toBe(check);
  });

  test('separates schemas with the same $id', async () => {
    const validator = new SchemaValidator();
    const $id = 'https://example.com/args';
    const [text, number] = await Promise.all([
      validator.compile({ $id, type: 'string' }),
      validator.compile({ $id, type: 'number' }),
    ]);
    expect([text('a'), number('a'), text(1), number(1)].map((found) => found.length)).toEqual([
      0, 1, 1, 0,
    ]);
  });

  test('works after many schemas', async () => {
    const validator = new SchemaValidator();
    for (let index = 0; index < 600; index += 1)
      await validator.compile({ type: 'object', required: [`field${String(index)}`] });
    expect((await validator.compile({ required: ['field0'], type: 'object' }))({})).toEqual([
      '"field0" is required. Add it.',
    ]);
  });

  test('separates subschemas with the same $id', async () => {
    const validator = new SchemaValidator();
    const withPart = (type: string): { [key: string]: unknown } => ({
      $defs: { part: { $id: 'https://example.com/part', type } },
      $ref: 'https://example.com/part',
    });
    const [text, number] = await Promise.all([
      validator.compile(withPart('string')),
      validator.compile(withPart('number')),
    ]);
    expect([text('a'), number('a'), text(1), number(1)].map((found) => found.length)).toEqual([
      0, 1, 1, 0,
    ]);
  });

  test.each([undefined, 'https://example.com/tree'])(
    'follows a schema that refers to itself, whose $id is %s',
    async ($id) => {
      const tree = {
        ...($id === undefined ? {} : { $id }),
        type: 'object',
        properties: { children: { type: 'array', items: { $ref: '#' } } },
        required: ['name'],
      };
      expect(
        await problems(tree, { name: 'a', children: [{ name: 'b', children: [{}] }] }),
      ).toEqual(['"name" is required in "children[0].children[0]". Add it.']);
    },
  );

  test.each([
    'http://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-07/schema',
    'https://json-schema.org/draft-07/schema#',
  ])('speaks draft-07 where %s says so', async ($schema) => {
    const pair = {
      type: 'array',
      items: [{ type: 'string' }, { type: 'number' }],
      additionalItems: false,
    };
    expect(await problems({ $schema, ...pair }, ['a', 1])).toEqual([]);
    expect(await problems({ $schema, ...pair }, ['a', 'b'])).toEqual([
      '"[1]" must be of type number.',
    ]);
    expect(await problems({ $schema, ...pair }, ['a', 1, 2])).not.toEqual([]);
  });

  test('accepts a pattern that is only valid without Unicode, a local reference, and the dialect as a value', async () => {
    expect(await problems({ pattern: '^[\\w-\\.]+$' }, 'a-b.c')).toEqual([]);
    const address = { $anchor: 'address', type: 'object', required: ['street'] };
    expect(
      await problems(
        { $defs: { address }, properties: { home: { $ref: '#address' } } },
        { home: {} },
      ),
    ).toEqual(['"street" is required in "home". Add it.']);
    expect(
      await problems(
        { $ref: 'https://json-schema.org/draft/2020-12/schema' },
        { type: 'nonsense' },
      ),
    ).not.toEqual([]);
  });

  test.each([
    [
      { $ref: 'https://example.com/schema.json' },
      'The schema refers to https://example.com/schema.json, which is not in it; nothing is fetched for a schema',
    ],
    [{ properties: { a: { $ref: '#/$defs/none' } } }, 'The schema refers to #/$defs/none'],
    [{ type: 'nonsense' }, 'nonsense'],
    [{ required: 'a' }, 'required value must be'],
    [
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      'Schemas of the dialect "http://json-schema.org/draft-04/schema#" are not supported; use 2020-12',
    ],
    [{ $schema: 7 }, 'Schemas of the dialect 7 are not supported'],
    [{ $async: true }, '$async'],
    [nested(65), 'nested deeper than 64 levels'],
    [{ enum: Array.from({ length: 10_001 }, () => ({})) }, 'more than 10000 parts'],
    [{ description: 'x'.repeat(1024 * 1024) }, 'longer than 1048576 characters'],
  ])('refuses a schema it cannot read whole: %#', async (schema, message) => {
    await expect(new SchemaValidator().compile(schema)).rejects.toThrow(message);
  });
});

function nested(levels: number): { [key: string]: unknown } {
  return levels === 1 ? {} : { not: nested(levels - 1) };
}

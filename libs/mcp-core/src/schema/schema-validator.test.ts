import { describe, expect, test } from 'vitest';
import { SchemaValidator } from './schema-validator.ts';

async function problems(schema: { [key: string]: unknown }, value: unknown): Promise<readonly string[]> {
  return (await new SchemaValidator().compile(schema))(value);
}

describe('SchemaValidator', () => {
  test.each([
    [{ properties: { n: { type: 'integer' } } }, { n: 'x' }, ['"n" must be of type integer.']],
    [{ properties: { n: { type: ['string', 'null'] } } }, { n: 1 }, ['"n" must be of type string or null.']],
    [{ required: ['a', 'b'] }, {}, ['"a" is required. Add it.', '"b" is required. Add it.']],
    [{ properties: {}, additionalProperties: false }, { z: 1 }, ['"z" is not known. Remove it.']],
    [{ properties: { unit: { enum: ['c', 'f'] } } }, { unit: 'k' }, ['"unit" must be one of "c", "f".']],
    [{ properties: { v: { const: 1 } } }, { v: 2 }, ['"v" must be 1.']],
    [{ properties: { n: { minimum: 1 } } }, { n: 0 }, ['"n" must be >= 1.']],
    [{ properties: { 'a/b': { items: { required: ['x~y'] } } } }, { 'a/b': [{}] }, ['"x~y" is required in "a/b[0]". Add it.']],
    [{ properties: { when: { format: 'date' } } }, { when: 'soon' }, ['"when" must match format "date".']],
    [{ minProperties: 1 }, {}, ['The value must NOT have fewer than 1 properties.']],
    [{}, undefined, ['The value must be of type object.']],
  ])('says of %j what is wrong with %j', async (schema, value, expected) => {
    expect(await problems({ type: 'object', ...schema }, value)).toEqual(expected);
  });

  test('knows the keywords of 2020-12', async () => {
    const schema = { type: 'object', properties: { pair: { prefixItems: [{ type: 'string' }], items: false } }, unevaluatedProperties: false };
    expect(await problems(schema, { pair: ['a'] })).toEqual([]);
    expect(await problems(schema, { pair: ['a', 1] })).not.toEqual([]);
    expect(await problems(schema, { other: 1 })).toEqual(['"other" is not known. Remove it.']);
  });

  test('names ten problems at most', async () => {
    expect(await problems({ type: 'object', required: Array.from({ length: 50 }, (_, index) => `field${String(index)}`) }, {})).toHaveLength(10);
  });

  test('compiles a schema object once', async () => {
    const validator = new SchemaValidator();
    const schema = { type: 'object' };
    expect(await validator.compile(schema)).toBe(await validator.compile(schema));
  });

  test.each([
    [{ $ref: 'https://example.com/schema.json' }, "can't resolve reference https://example.com/schema.json"],
    [{ type: 'nonsense' }, 'schema is invalid'],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, 'no schema with key or ref "http://json-schema.org/draft-04/schema#"'],
  ])('refuses a schema it cannot read whole: %j', async (schema, message) => {
    await expect(new SchemaValidator().compile(schema)).rejects.toThrow(message);
  });
});

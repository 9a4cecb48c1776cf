import { describe, expect, test } from 'vitest';
import { SchemaValidator } from './schema-validator.ts';
import { toJsonSchema, type StandardResult, type StandardSchema } from './standard-schema.ts';
import { createReader } from './value-reader.ts';

function standard(
  validate: (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>,
): StandardSchema {
  return {
    '~standard': {
      version: 1,
      vendor: 'hand',
      validate,
      jsonSchema: { input: () => ({ type: 'string' }), output: ({ target }) => ({ target }) },
    },
  };
}

describe('a reader of JSON Schema', () => {
  test('returns the value itself, synchronously when the schema is compiled', async () => {
    const read = createReader(
      { type: 'object', properties: { a: { default: 1 } }, required: ['b'] },
      new SchemaValidator(),
    );
    const value = { b: 1 };
    expect((await read(value)).value).toBe(value);
    expect(read({})).toEqual({ problems: ['"b" is required. Add it.'] });
    expect(value).toEqual({ b: 1 });
  });

  test('rejects every time for an invalid schema', async () => {
    const read = createReader({ type: 'nonsense' }, new SchemaValidator());
    for (let time = 0; time < 2; time += 1)
      await expect((async () => read(1))()).rejects.toThrow('nonsense');
  });
});

describe('a reader of a Standard Schema', () => {
  test('returns the transformed value, synchronously or later', async () => {
    const validator = new SchemaValidator();
    const upper = (value: unknown): StandardResult<unknown> => ({
      value: String(value).toUpperCase(),
    });
    expect(createReader(standard(upper), validator)('a')).toEqual({ value: 'A' });
    expect(
      await createReader(
        standard((value) => Promise.resolve(upper(value))),
        validator,
      )('a'),
    ).toEqual({ value: 'A' });
  });

  test('reports at most ten problems with their paths, in short sentences', () => {
    const issues = [
      { message: 'Invalid input' },
      { message: 'Too small.', path: ['a', 0, { key: 'b' }] },
      { message: 'x'.repeat(1000), path: ['y'.repeat(1000)] },
      ...Array.from({ length: 50 }, () => ({ message: 'more' })),
    ];
    const { problems } = createReader(
      standard(() => ({ issues })),
      new SchemaValidator(),
    )(1) as { problems: readonly string[] };
    expect(problems.slice(0, 2)).toEqual(['Invalid input.', '"a[0].b": Too small.']);
    expect(problems).toHaveLength(10);
    expect(problems.join('').length).toBeLessThan(1000);
  });
});

describe('toJsonSchema', () => {
  test('requests 2020-12', () => {
    expect(
      toJsonSchema(
        standard(() => ({ value: 1 })),
        'output',
      ),
    ).toEqual({ target: 'draft-2020-12' });
  });

  test('gives advice when the library has no JSON Schema', () => {
    const bare: StandardSchema = {
      '~standard': { version: 1, vendor: 'old', validate: () => ({ value: 1 }) },
    };
    expect(() => toJsonSchema(bare, 'input')).toThrow(
      /old schema has no JSON Schema .*use a version of old that has it, wrap the schema with the library's converter, or write JSON Schema/u,
    );
  });
});

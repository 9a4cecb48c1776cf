import { expect, expectTypeOf, test } from 'vitest';
import type { FromSchema } from './json-schema.ts';

function schema<const S>(literal: S): { readonly literal: S; readonly sample?: FromSchema<S> } {
  return { literal };
}

test('the type of a schema is the type of its values', () => {
  const city = schema({
    type: 'object',
    properties: {
      name: { type: 'string' },
      people: { type: ['integer', 'null'] },
      kind: { enum: ['town', 'village'] },
      twin: {
        oneOf: [
          { type: 'string' },
          { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
        ],
      },
      tags: { type: 'array', items: { type: 'string' } },
      rest: { type: 'object' },
      list: { type: 'array' },
      fixed: { const: 1 },
      any: { minLength: 1 },
    },
    required: ['name', 'people'],
  });
  expect(Object.keys(city)).toEqual(['literal']);
  type City = NonNullable<typeof city.sample>;
  expectTypeOf<City['name']>().toEqualTypeOf<string>();
  expectTypeOf<City['people']>().toEqualTypeOf<number | null>();
  expectTypeOf<City['kind']>().toEqualTypeOf<'town' | 'village' | undefined>();
  expectTypeOf<City['twin']>().toEqualTypeOf<
    | string
    | FromSchema<{ type: 'object'; properties: { id: { type: 'number' } }; required: ['id'] }>
    | undefined
  >();
  expectTypeOf<City['tags']>().toEqualTypeOf<readonly string[] | undefined>();
  expectTypeOf<City['rest']>().toEqualTypeOf<{ readonly [key: string]: unknown } | undefined>();
  expectTypeOf<City['list']>().toEqualTypeOf<readonly unknown[] | undefined>();
  expectTypeOf<City['fixed']>().toEqualTypeOf<1 | undefined>();
  expectTypeOf<City['any']>().toEqualTypeOf<unknown>();
  expectTypeOf<FromSchema<{ type: string }>>().toEqualTypeOf<unknown>();
});

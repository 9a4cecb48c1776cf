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

test('the type of a schema follows its references, alternatives and further members', () => {
  const tree = schema({
    type: 'object',
    properties: {
      root: { $ref: '#/$defs/node' },
      map: { type: 'object', additionalProperties: { type: 'number' } },
      open: { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: true },
      closed: {
        type: 'object',
        properties: { a: { type: 'number' } },
        additionalProperties: false,
      },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
      both: {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { type: 'object', properties: { b: { type: 'null' } }, required: ['b'] },
        ],
      },
      either: {
        type: 'object',
        properties: { a: { type: 'string' } },
        anyOf: [{ required: ['a'] }, { minProperties: 2 }],
      },
      never: false,
      unknown: true,
      elsewhere: { $ref: 'https://example.com/schema' },
    },
    required: ['root', 'undescribed'],
    $defs: {
      node: {
        type: 'object',
        properties: {
          value: { type: ['string', 'null'] },
          children: { type: 'array', items: { $ref: '#/$defs/node' } },
        },
        required: ['children'],
      },
    },
  });
  expect(Object.keys(tree)).toEqual(['literal']);
  type Tree = NonNullable<typeof tree.sample>;
  expectTypeOf<Tree['root']['value']>().toEqualTypeOf<string | null | undefined>();
  expectTypeOf<Tree['root']['children'][number]['children'][number]['value']>().toEqualTypeOf<
    string | null | undefined
  >();
  expectTypeOf<Tree['map']>().toEqualTypeOf<{ readonly [name: string]: number } | undefined>();
  expectTypeOf<NonNullable<Tree['open']>['a']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<NonNullable<Tree['open']>['other']>().toEqualTypeOf<unknown>();
  // @ts-expect-error -- a schema without additional properties has no other members
  expectTypeOf<NonNullable<Tree['closed']>['other']>().toEqualTypeOf<unknown>();
  expectTypeOf<Tree['pair']>().toEqualTypeOf<readonly (string | number)[] | undefined>();
  expectTypeOf<NonNullable<Tree['both']>['a']>().toEqualTypeOf<string>();
  expectTypeOf<NonNullable<Tree['both']>['b']>().toEqualTypeOf<null>();
  expectTypeOf<NonNullable<Tree['either']>['a']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Tree['never']>().toEqualTypeOf<undefined>();
  expectTypeOf<Tree['unknown']>().toEqualTypeOf<unknown>();
  expectTypeOf<Tree['elsewhere']>().toEqualTypeOf<unknown>();
  expectTypeOf<Tree['undescribed']>().toEqualTypeOf<unknown>();
});

test('a schema that is not a literal has an unknown type', () => {
  expectTypeOf<FromSchema<{ readonly [keyword: string]: unknown }>>().toEqualTypeOf<unknown>();
  expectTypeOf<
    FromSchema<{ type: 'object'; properties: { a: { type: 'string' } }; required: string[] }>
  >().toEqualTypeOf<{ readonly a?: string }>();
});

import { describe, expect, test } from 'vitest';
import { isWrapped, wrapSchema } from './wrap-structured-content.ts';

describe('isWrapped', () => {
  test.each([
    [{}, undefined, false],
    [[], undefined, true],
    [null, undefined, true],
    [0, undefined, true],
    ['', undefined, true],
    [false, undefined, true],
    [{}, { type: 'object' }, false],
    [{}, { anyOf: [{ type: 'object' }, { type: 'null' }] }, true],
    [null, { anyOf: [{ type: 'object' }, { type: 'null' }] }, true],
  ])('of %j with schema %j is %s', (value, schema, expected) => {
    expect(isWrapped(value, schema)).toBe(expected);
  });
});

describe('wrapSchema', () => {
  test('moves the schema under result and keeps local pointers on their targets', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'array',
      items: { $ref: '#/$defs/node' },
      $defs: {
        node: {
          type: 'object',
          properties: {
            children: { $ref: '#' },
            $ref: { type: 'string' },
            link: { $ref: 'https://example.com/x' },
          },
        },
      },
    };
    expect(wrapSchema(schema)).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      required: ['result'],
      properties: {
        result: {
          type: 'array',
          items: { $ref: '#/properties/result/$defs/node' },
          $defs: {
            node: {
              type: 'object',
              properties: {
                children: { $ref: '#/properties/result' },
                $ref: { type: 'string' },
                link: { $ref: 'https://example.com/x' },
              },
            },
          },
        },
      },
    });
  });

  test('does not change data that looks like a pointer', () => {
    const schema = {
      enum: [{ $ref: '#/a' }],
      default: { $ref: '#' },
      properties: { const: { $ref: '#/$defs/x' } },
    };
    expect(wrapSchema(schema)).toMatchObject({
      properties: {
        result: {
          enum: [{ $ref: '#/a' }],
          default: { $ref: '#' },
          properties: { const: { $ref: '#/properties/result/$defs/x' } },
        },
      },
    });
  });

  test('does not change the pointers of a schema with its own $id', () => {
    const schema = { $id: 'https://example.com/s', $ref: '#/$defs/x' };
    expect(wrapSchema(schema)).toMatchObject({ properties: { result: schema } });
  });
});

import { describe, expect, test } from 'vitest';
import { fieldKind, resolve, type JsonSchema } from './field-kind.ts';

const kindOf = (schema: JsonSchema) => fieldKind(schema, schema);

describe('the input for a schema', () => {
  test.each<[string, JsonSchema, object]>([
    ['a text', { type: 'string' }, { kind: 'text', input: 'text' }],
    ['a long text', { type: 'string', maxLength: 500 }, { kind: 'text', input: 'multiline' }],
    ['a date', { type: 'string', format: 'date' }, { kind: 'text', input: 'date' }],
    ['a time', { type: 'string', format: 'date-time' }, { input: 'datetime-local' }],
    ['an unknown format', { type: 'string', format: 'toString' }, { kind: 'text', input: 'text' }],
    ['a whole number', { type: 'integer' }, { kind: 'number', isInteger: true }],
    ['a text or null', { type: ['string', 'null'] }, { kind: 'text', input: 'text' }],
    ['a number or null', { anyOf: [{ type: 'number' }, { type: 'null' }] }, { kind: 'number' }],
    ['two types', { type: ['string', 'number'] }, { kind: 'json' }],
    ['no type', {}, { kind: 'json' }],
    ['a free object', { type: 'object' }, { kind: 'json' }],
    [
      'a list of fixed values',
      { type: 'array', items: { enum: ['a'] } },
      { kind: 'choices', choices: [{ value: 'a', label: 'a' }] },
    ],
    [
      'a list of titled values',
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }, { const: 'b' }] } },
      { kind: 'choices', choices: [{ label: 'A' }, { label: 'b' }] },
    ],
    ['a list of texts', { items: { type: 'string' } }, { kind: 'list', items: { type: 'string' } }],
  ])('of %s', (_name, schema, kind) => {
    expect(kindOf(schema)).toMatchObject(kind);
  });

  test('of fixed values is a choice with their titles', () => {
    expect(kindOf({ enum: ['a', 1, null] })).toEqual({
      kind: 'choice',
      choices: [
        { value: 'a', label: 'a' },
        { value: 1, label: '1' },
        { value: null, label: 'null' },
      ],
    });
    expect(kindOf({ oneOf: [{ const: 'm', title: 'Metric' }, { const: 'i' }] })).toEqual({
      kind: 'choice',
      choices: [
        { value: 'm', label: 'Metric' },
        { value: 'i', label: 'i' },
      ],
    });
  });

  test('of an object has its properties, and marks the required ones', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: true },
      required: ['a'],
    };
    expect(kindOf(schema)).toEqual({
      kind: 'object',
      properties: [
        { name: 'a', schema: { type: 'string' }, isRequired: true },
        { name: 'b', schema: {}, isRequired: false },
      ],
    });
  });
});

describe('a reference', () => {
  test('is replaced by its target; keywords beside it stay', () => {
    const root = { $defs: { 'a/b': { type: 'integer', title: 'A' } } };
    expect(resolve({ $ref: '#/$defs/a~1b', title: 'B' }, root)).toEqual({
      type: 'integer',
      title: 'B',
    });
  });

  test('to another document, to nothing or to itself is any value', () => {
    const root = { $defs: { loop: { $ref: '#/$defs/loop' } } };
    for (const $ref of ['https://evil.example/s', '#/$defs/none', '#/$defs/loop', '#/constructor'])
      expect(fieldKind({ $ref }, root)).toEqual({ kind: 'json' });
  });

  test('that nests an object in itself ends after some levels', () => {
    const root = {
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    };
    const node = { $ref: '#/$defs/node' };
    expect(fieldKind(node, root, 4).kind).toBe('object');
    expect(fieldKind(node, root, 5).kind).toBe('json');
  });
});

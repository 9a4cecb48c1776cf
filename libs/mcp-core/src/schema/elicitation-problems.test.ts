import { describe, expect, test } from 'vitest';
import { elicitationProblems, withElicitationDefaults } from './elicitation-problems.ts';

const choice = { type: 'string', enum: ['a', 'b'] };
const titled = {
  type: 'string',
  oneOf: [
    { const: 'a', title: 'A' },
    { const: 'b', title: 'B' },
  ],
};
const legacy = { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] };
const several = {
  type: 'array',
  items: { type: 'string', enum: ['a', 'b'] },
  minItems: 1,
  maxItems: 2,
};
const severalTitled = { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } };

function problems(field: { [key: string]: unknown }, value: unknown): readonly string[] {
  return elicitationProblems({ type: 'object', properties: { x: field } }, { x: value });
}

describe('elicitationProblems', () => {
  test.each([
    [{ type: 'string' }, 'any'],
    [{ type: 'string', minLength: 1, maxLength: 1 }, '👍'],
    [{ type: 'string', format: 'email' }, 'jo.doe+tag@example.org'],
    [{ type: 'string', format: 'uri' }, 'https://example.org/a?b#c'],
    [{ type: 'string', format: 'uri' }, 'urn:isbn:0451450523'],
    [{ type: 'string', format: 'date' }, '2024-02-29'],
    [{ type: 'string', format: 'date-time' }, '2024-02-29T23:59:60.5+14:00'],
    [{ type: 'string', format: 'nobody-knows' }, '?'],
    [{ type: 'string', pattern: '^x$' }, 'y'],
    [{ type: 'integer', minimum: 0, maximum: 2 }, 2],
    [{ type: 'number' }, -0.5],
    [{ type: 'boolean' }, false],
    [choice, 'a'],
    [titled, 'b'],
    [legacy, 'b'],
    [several, ['a', 'b']],
    [severalTitled, []],
  ])('%j takes %j', (field, value) => {
    expect(problems(field, value)).toEqual([]);
  });

  test.each([
    [{ type: 'string' }, 1, '"x" must be of type string.'],
    [{ type: 'string' }, null, '"x" must be of type string.'],
    [{ type: 'string', minLength: 2 }, '👍', '"x" must have at least 2 characters.'],
    [{ type: 'string', maxLength: 2 }, 'abc', '"x" must have at most 2 characters.'],
    [{ type: 'string', format: 'email' }, 'jo@', '"x" must match format "email".'],
    [{ type: 'string', format: 'email' }, 'jo doe@example.org', '"x" must match format "email".'],
    [{ type: 'string', format: 'uri' }, 'example.org', '"x" must match format "uri".'],
    [{ type: 'string', format: 'uri' }, 'https://', '"x" must match format "uri".'],
    [{ type: 'string', format: 'date' }, '2023-02-29', '"x" must match format "date".'],
    [{ type: 'string', format: 'date' }, '2023-13-01', '"x" must match format "date".'],
    [
      { type: 'string', format: 'date-time' },
      '2024-02-29T24:00:00Z',
      '"x" must match format "date-time".',
    ],
    [
      { type: 'string', format: 'date-time' },
      '2024-02-29T10:00:00',
      '"x" must match format "date-time".',
    ],
    [{ type: 'integer' }, 1.5, '"x" must be of type integer.'],
    [{ type: 'integer' }, '1', '"x" must be of type integer.'],
    [{ type: 'number', minimum: 1 }, 0, '"x" must be >= 1.'],
    [{ type: 'number', maximum: 1 }, 2, '"x" must be <= 1.'],
    [{ type: 'number' }, NaN, '"x" must be of type number.'],
    [{ type: 'boolean' }, 'true', '"x" must be true or false.'],
    [choice, 'c', '"x" must be one of "a", "b".'],
    [titled, 'A', '"x" must be one of "a", "b".'],
    [legacy, 'A', '"x" must be one of "a", "b".'],
    [several, 'a', '"x" must be of type array.'],
    [several, [], '"x" must have at least 1 entries.'],
    [several, ['a', 'b', 'a'], '"x" must have at most 2 entries.'],
    [several, ['a', 'c'], '"x" has an entry that must be one of "a", "b".'],
    [several, ['a', 1], '"x" has an entry that must be of type string.'],
    [severalTitled, ['b'], '"x" has an entry that must be one of "a".'],
  ])('%j does not take %j', (field, value, problem) => {
    expect(problems(field, value)).toEqual([problem]);
  });

  test('reports missing fields and accepts undeclared ones', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['a', 'toString'],
    };
    expect(elicitationProblems(schema, { b: 'x', extra: 1 })).toEqual([
      '"a" is required.',
      '"toString" is required.',
    ]);
    expect(elicitationProblems(schema)).toEqual(['"a" is required.', '"toString" is required.']);
    expect(elicitationProblems({ type: 'object' }, undefined)).toEqual([]);
    expect(elicitationProblems({ type: 'object' }, [])).toEqual(['The content must be an object.']);
  });
});

describe('withElicitationDefaults', () => {
  test('adds missing fields', () => {
    const properties = {
      name: { default: 'John' },
      verified: { default: false },
      tags: { default: ['a'] },
      other: { type: 'string' },
    };
    expect(withElicitationDefaults({ properties }, { name: '', extra: 1 })).toEqual({
      name: '',
      verified: false,
      tags: ['a'],
      extra: 1,
    });
    expect(withElicitationDefaults({}, undefined)).toEqual({});
  });
});

test('a field may be called __proto__', () => {
  const schema = {
    type: 'object',
    properties: JSON.parse('{"__proto__":{"type":"string","default":"x"}}') as object,
  };
  expect(Object.entries(withElicitationDefaults(schema))).toEqual([['__proto__', 'x']]);
});

import { describe, expect, test } from 'vitest';
import { checkableSchema, contentProblems } from './elicitation-content.ts';
import { joinProblems } from './field-problem.ts';

const schema = (properties: { readonly [name: string]: unknown }): { [key: string]: unknown } => ({ type: 'object', properties });

describe('the fields of the specification are checked', () => {
  test.each([
    [{ type: 'string', maxLength: 2 }, 'abc', 'content.f: must NOT have more than 2 characters'],
    [{ type: 'string', format: 'date' }, '2026-13-01', 'content.f: must match format "date"'],
    [{ type: 'string', format: 'uri' }, 'no uri', 'content.f: must match format "uri"'],
    [{ type: 'number', minimum: 1, maximum: 5 }, 9, 'content.f: must be <= 5'],
    [{ type: 'boolean' }, 'true', 'content.f: must be boolean'],
    [{ type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, 'b', 'content.f: must be equal to constant; content.f: must match exactly one schema in oneOf'],
    [{ type: 'array', items: { type: 'string', enum: ['x', 'y'] }, maxItems: 1 }, ['z'], 'content.f.0: must be one of "x", "y"'],
  ])('%j refuses %j', (field, value, problem) => {
    expect(joinProblems(contentProblems(schema({ f: field }), { f: value }))).toBe(problem);
  });

  test('values that fit have no problem', () => {
    const fields = schema({ mail: { type: 'string', format: 'email' }, tags: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }, n: { type: 'integer', default: 3 } });
    expect(contentProblems(fields, { mail: 'ada@example.org', tags: ['a'], n: 4 })).toEqual([]);
    expect(contentProblems(fields, {})).toEqual([]);
  });
});

test('a regular expression or a reference of a server is never evaluated', () => {
  const hostile = schema({ f: { type: 'string', pattern: '^(a+)+$', $ref: 'https://example.org/x' } });
  expect(checkableSchema(hostile)).toBeUndefined();
  expect(contentProblems(hostile, { f: `${'a'.repeat(50)}!` })).toEqual([]);
});

test.each([
  [{}, 'it is no object schema with properties'],
  [{ type: 'object', properties: { f: { type: 'strange' } } }, 'schema is invalid'],
  [{ type: 'object', properties: {}, required: 'f' }, 'schema is invalid'],
])('%j cannot be checked', (bad, reason) => {
  expect(checkableSchema(bad)).toContain(reason);
});

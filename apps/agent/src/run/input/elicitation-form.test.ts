import { ProtocolError, type JsonSchema } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import { fillForm, formRequest, readForm } from './elicitation-form.ts';
import { joinProblems } from './field-problem.ts';

const schema = (
  properties: { readonly [name: string]: unknown },
  more: object = {},
): JsonSchema => ({ type: 'object', properties, ...more });
const problemsOf = (field: unknown, value: unknown): string =>
  joinProblems(fillForm(readForm(schema({ f: field })), { f: value }).problems);

describe('a field of each kind of the specification is read with its titles and choices', () => {
  test.each([
    [
      { type: 'string', title: 'Name', description: 'In full', minLength: 1, maxLength: 9 },
      { type: 'string', title: 'Name', description: 'In full', minLength: 1, maxLength: 9 },
    ],
    [
      { type: 'string', format: 'email', default: 'ada@example.org' },
      { type: 'string', format: 'email', default: 'ada@example.org' },
    ],
    [
      { type: 'integer', minimum: 1, maximum: 5, default: 3 },
      { type: 'integer', minimum: 1, maximum: 5, default: 3 },
    ],
    [
      { type: 'number', default: 0 },
      { type: 'number', default: 0 },
    ],
    [
      { type: 'boolean', default: false },
      { type: 'boolean', default: false },
    ],
    [
      { type: 'string', enum: ['a', 'b'] },
      {
        type: 'string',
        choices: [
          { value: 'a', title: 'a' },
          { value: 'b', title: 'b' },
        ],
      },
    ],
    [
      { type: 'string', enum: ['a'], enumNames: ['Ant'] },
      { type: 'string', choices: [{ value: 'a', title: 'Ant' }] },
    ],
    [
      { type: 'string', oneOf: [{ const: 'hero-1', title: 'Superman' }], default: 'hero-1' },
      { type: 'string', choices: [{ value: 'hero-1', title: 'Superman' }], default: 'hero-1' },
    ],
    [
      { type: 'array', items: { type: 'string', enum: ['x'] }, minItems: 1, maxItems: 2 },
      { type: 'array', choices: [{ value: 'x', title: 'x' }], minItems: 1, maxItems: 2 },
    ],
    [
      { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] }, default: ['x'] },
      { type: 'array', choices: [{ value: 'x', title: 'X' }], default: ['x'] },
    ],
    [
      {
        anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }],
        title: 'Maybe',
        default: null,
      },
      { type: 'string', maxLength: 3, title: 'Maybe' },
    ],
    [{ type: 'string', default: 7 }, { type: 'string' }],
  ])('%j', (given, field) => {
    expect(readForm(schema({ f: given }))).toEqual([{ name: 'f', required: false, ...field }]);
  });

  test('a schema rebuilt from a form is the same form', () => {
    const given = schema(
      {
        hero: {
          type: 'string',
          oneOf: [{ const: 'hero-1', title: 'Superman' }],
          default: 'hero-1',
        },
        tags: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } },
        words: { type: 'array', items: { type: 'string', enum: ['x'] } },
        size: { type: 'string', enum: ['S', 'M'] },
        age: { type: 'integer', minimum: 0 },
      },
      { required: ['age'] },
    );
    expect(formRequest('Who?', given)).toEqual({ message: 'Who?', requested_schema: given });
  });
});

describe('a value is checked', () => {
  test.each([
    [{ type: 'string', maxLength: 2 }, 'abc', 'content.f: must have at most 2 characters'],
    [{ type: 'string', maxLength: 2 }, '😀😀😀', 'content.f: must have at most 2 characters'],
    [{ type: 'string', minLength: 2 }, '😀', 'content.f: must have at least 2 characters'],
    [{ type: 'string' }, 7, 'content.f: must be a string'],
    [
      { type: 'string', format: 'date' },
      '2026-13-01',
      'content.f: must be a date, such as 2026-07-28',
    ],
    [
      { type: 'string', format: 'date-time' },
      '2026-07-28',
      'content.f: must be a date and time with a time zone, such as 2026-07-28T12:00:00Z',
    ],
    [
      { type: 'string', format: 'uri' },
      'no uri',
      'content.f: must be a URI, such as https://example.org/',
    ],
    [{ type: 'string', format: 'email' }, 'x', 'content.f: must be an e-mail address'],
    [{ type: 'number', minimum: 1, maximum: 5 }, 9, 'content.f: must be 5 or less'],
    [{ type: 'number', minimum: 1 }, 0, 'content.f: must be 1 or more'],
    [{ type: 'integer' }, 1.5, 'content.f: must be a whole number'],
    [{ type: 'integer' }, '7', 'content.f: must be a number'],
    [{ type: 'boolean' }, 'true', 'content.f: must be true or false'],
    [{ type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, 'b', 'content.f: must be one of "a"'],
    [
      { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, maxItems: 1 },
      ['z'],
      'content.f: has an entry that must be one of "x", "y"',
    ],
    [
      { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, maxItems: 1 },
      ['x', 'y'],
      'content.f: must have at most 1 entries',
    ],
    [
      { type: 'array', items: { type: 'string' }, minItems: 1 },
      [],
      'content.f: must have at least 1 entries',
    ],
  ])('%j refuses %j', (field, value, problem) => {
    expect(problemsOf(field, value)).toBe(problem);
  });

  test.each([
    [{ type: 'string', format: 'email' }, 'ada@example.org'],
    [{ type: 'string', format: 'uri' }, 'urn:isbn:0451450523'],
    [{ type: 'string', format: 'date-time' }, '2026-07-28T12:00:00+02:00'],
    [{ type: 'string', format: 'colour' }, 'any text: the format is not known'],
    [{ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }, ['a']],
    [{ type: 'integer', enum: [1, 2] }, 2],
  ])('%j accepts %j', (field, value) => {
    expect(problemsOf(field, value)).toBe('');
  });

  test('only the invalid field is named', () => {
    const fields = readForm(
      schema(
        {
          name: { type: 'string' },
          age: { type: 'integer' },
          size: { type: 'string', enum: ['S'] },
        },
        { required: ['name', 'age'] },
      ),
    );
    expect(fillForm(fields, { name: 'Ada', age: 'old', size: 'S' }).problems).toEqual([
      { path: ['content', 'age'], message: 'must be a number' },
    ]);
    expect(fillForm(fields, { name: 'Ada', zip: 1 }).problems.map(({ path }) => path)).toEqual([
      ['content', 'zip'],
      ['content', 'age'],
    ]);
  });
});

test('regular expressions and references of servers are never evaluated', () => {
  const hostile = schema({
    f: { type: 'string', pattern: '^(a+)+$', $ref: 'https://example.org/x' },
  });
  expect(formRequest('Who?', hostile)).toMatchObject({
    requested_schema: { properties: { f: { type: 'string' } } },
  });
  expect(fillForm(readForm(hostile), { f: `${'a'.repeat(50)}!` }).problems).toEqual([]);
});

describe('defaults', () => {
  const fields = readForm(
    schema(
      {
        name: { type: 'string', default: 'Ada' },
        age: { type: 'integer', default: 36 },
        note: { type: 'string' },
        ok: { type: 'boolean', default: false },
      },
      { required: ['name'] },
    ),
  );

  test('fill the fields that a response omits', () => {
    expect(fillForm(fields, {})).toEqual({
      content: { name: 'Ada', age: 36, ok: false },
      problems: [],
    });
    expect(fillForm(fields, { name: 'Bob', ok: true })).toEqual({
      content: { name: 'Bob', age: 36, ok: true },
      problems: [],
    });
  });

  test('do not fill a field that is null, which leaves it empty', () => {
    expect(fillForm(fields, { age: null })).toEqual({
      content: { name: 'Ada', ok: false },
      problems: [],
    });
    expect(joinProblems(fillForm(fields, { name: null }).problems)).toBe(
      'content.name: is required',
    );
  });
});

describe('an invalid form is refused with its problem', () => {
  const field = { type: 'string' };
  const many = (count: number): { readonly [name: string]: unknown } =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, field]));
  const words = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `w${index}`);

  test.each<[string, unknown, string]>([
    [
      'a schema without properties',
      { type: 'object' },
      'it is not an object schema with properties',
    ],
    ['101 fields', schema(many(101)), 'it has 101 fields, and at most 100 are allowed'],
    [
      '101 choices',
      schema({ f: { type: 'string', enum: words(101) } }),
      'the field "f" has 101 choices, and at most 100 are allowed',
    ],
    [
      '101 choices in a list',
      schema({
        f: {
          type: 'array',
          items: { anyOf: words(101).map((word) => ({ const: word, title: word })) },
        },
      }),
      'the field "f" has 101 choices',
    ],
    ['no choices', schema({ f: { type: 'string', enum: [] } }), 'has choices that are not a list'],
    [
      'an object as a choice',
      schema({ f: { type: 'string', enum: [{}] } }),
      'has a choice that is not a string or number',
    ],
    [
      'a long form',
      schema({ f: { type: 'string', description: 'd'.repeat(65_536) } }),
      'bytes, and at most 65536 are allowed',
    ],
    [
      'an object in a form',
      schema({ f: { type: 'object', properties: {} } }),
      'the field "f" needs the type string, number, integer, boolean, or array with choices',
    ],
    [
      'a list of objects',
      schema({ f: { type: 'array', items: { type: 'object' } } }),
      'the field "f" is a list of something other than texts',
    ],
    ['a strange type', schema({ f: { type: 'strange' } }), 'the field "f" needs the type'],
    ['a field that is a text', schema({ f: 'string' }), 'the field "f" is not an object'],
    [
      'a required field that is not there',
      schema({ f: field }, { required: ['g'] }),
      'its required names a field that is not in properties',
    ],
    [
      'required as a text',
      schema({ f: field }, { required: 'f' }),
      'its required is not a list of names',
    ],
  ])('%s', (_what, given, reason) => {
    expect(() => formRequest('Who?', given as JsonSchema)).toThrow(ProtocolError);
    expect(() => formRequest('Who?', given as JsonSchema)).toThrow(reason);
  });

  test('a message of more than 8 KiB', () => {
    expect(() => formRequest('é'.repeat(4097), schema({ f: field }))).toThrow(
      'message has more than 8192 bytes',
    );
    expect(() => formRequest('é'.repeat(4096), schema({ f: field }))).not.toThrow();
  });

  test('a form of 100,000 fields, before any field is read', () => {
    const untouchable = {
      get type(): never {
        throw new Error('a field was looked at');
      },
    };
    const fields = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`f${index}`, untouchable]),
    );
    expect(() => formRequest('Who?', schema(fields))).toThrow('it has 100000 fields');
  });
});

import type { JsonSchema } from '@signalbox/mcp-core';
import { expect, test } from 'vitest';
import { evaluateJob } from './evaluate-job.ts';
import { isOrdinarySchema } from './ordinary-schema.ts';

const KEYWORDS =
  '$comment $schema additionalProperties allOf anyOf const default deprecated description enum examples exclusiveMaximum exclusiveMinimum format items maxItems maxLength maxProperties maximum minItems minLength minProperties minimum oneOf properties readOnly required title type uniqueItems writeOnly';

const OPERANDS: readonly unknown[] = [
  null,
  true,
  false,
  -1,
  0,
  1.5,
  3,
  '',
  'object',
  'text',
  'http://json-schema.org/draft-07/schema#',
  [],
  [null],
  ['string'],
  ['a', 'a'],
  ['a', 'b', 1],
  [{}],
  [{ type: 'none' }],
  [[]],
  {},
  { type: 'string' },
  { type: 'none' },
  { a: { type: 'string' } },
  { a: { minLength: -1 } },
  { a: 1 },
  JSON.parse('{"__proto__":{"type":"string"}}'),
  { a: { $schema: 'https://json-schema.org/draft/2020-12/schema' } },
];

test('every schema that counts as ordinary compiles', async () => {
  const schemas = KEYWORDS.split(' ')
    .flatMap((keyword) => OPERANDS.map((operand): JsonSchema => ({ [keyword]: operand })))
    .filter(isOrdinarySchema);
  expect(schemas.length).toBeGreaterThan(60);
  const unusable = [];
  for (const schema of schemas) {
    const { unusable: reason } = await evaluateJob({
      kind: 'compile',
      schema: JSON.stringify(schema),
    });
    if (reason !== undefined) unusable.push({ schema, reason });
  }
  expect(unusable).toEqual([]);
});

test('the schema of an ordinary tool counts as ordinary', () => {
  const schema: JsonSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1, maxLength: 4096, description: 'Where.' },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      order: { enum: ['name', 'size', null] },
      edits: {
        type: 'array',
        items: { type: 'object', properties: { text: { type: ['string', 'null'] } } },
        minItems: 1,
      },
      at: { anyOf: [{ type: 'string', format: 'date' }, { const: 'now' }] },
    },
    required: ['path'],
    additionalProperties: false,
  };
  expect(isOrdinarySchema(schema)).toBe(true);
});

test.each<[string, JsonSchema]>([
  ['a pattern', { properties: { a: { pattern: '^(x+)+$' } } }],
  ['a reference', { $ref: '#/$defs/a', $defs: { a: {} } }],
  ['an unknown keyword', { 'x-order': 1 }],
  ['a keyword that is the name of an inherited member', { constructor: {} }],
  ['an unknown dialect', { $schema: 'https://example.com/schema' }],
  [
    'many parts',
    {
      properties: Object.fromEntries(
        Array.from({ length: 1001 }, (_, index) => [`a${String(index)}`, { type: 'string' }]),
      ),
    },
  ],
])('a schema with %s does not count as ordinary', (_title, schema) => {
  expect(isOrdinarySchema(schema)).toBe(false);
});

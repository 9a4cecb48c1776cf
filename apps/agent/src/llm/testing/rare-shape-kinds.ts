/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
import { object, plus, deep, type Kind } from './shape-kind.ts';

/** Shapes of tool schemas, second part. */
export const RARE_KINDS: readonly Kind[] = [
  {
    kind: 'nullable',
    schema: (subject) => plus(subject, { value: { type: 'string', nullable: true } }),
    sample: { value: null },
  },
  {
    kind: 'nullable_enum',
    schema: (subject) =>
      plus(subject, { order: { type: 'string', enum: ['asc', 'desc'], nullable: true } }),
    sample: { order: null },
  },
  {
    kind: 'exclusive_flag',
    schema: (subject) =>
      plus(subject, {
        share: {
          type: 'number',
          minimum: 0,
          exclusiveMinimum: true,
          maximum: 1,
          exclusiveMaximum: false,
        },
      }),
    sample: { share: 0.5 },
  },
  {
    kind: 'required_flag',
    schema: (subject) => plus(subject, { value: { type: 'string', required: true } }),
    sample: { value: 'x' },
  },
  {
    kind: 'required_twice',
    schema: (subject) => object(subject.properties, { required: [subject.text, subject.text, 7] }),
  },
  {
    kind: 'enum_empty',
    schema: (subject) => plus(subject, { value: { type: 'string', enum: [] } }),
    sample: { value: 'x' },
  },
  {
    kind: 'enum_repeated',
    schema: (subject) => plus(subject, { value: { enum: ['a', 'a', 1, null] } }),
    sample: { value: 'a' },
  },
  {
    kind: 'pattern_ahead',
    schema: (subject) =>
      plus(subject, {
        slug: { type: 'string', pattern: '^(?!-)[a-z-]+$' },
        word: { type: 'string', pattern: '\\p{L}+' },
        broken: { type: 'string', pattern: '([' },
      }),
    sample: { slug: 'a-b', word: 'é', broken: 'x' },
  },
  {
    kind: 'limits_as_text',
    schema: (subject) =>
      plus(subject, {
        value: { type: 'string', minLength: '1', maxLength: -1 },
        count: { type: 'integer', multipleOf: 0, minimum: '0' },
      }),
    sample: { value: 'x', count: 3 },
  },
  {
    kind: 'odd_texts',
    schema: (subject) =>
      plus(subject, {
        value: {
          type: 'string',
          description: ['two', 'lines'],
          title: null,
          format: 7,
          default: { any: 'thing' },
          examples: 'one',
        },
      }),
    sample: { value: 'x' },
  },
  {
    kind: 'ids_and_comments',
    schema: (subject) =>
      plus(
        subject,
        { id: { type: 'string', $id: 'y', $comment: 'c' } },
        {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $id: 'https://example.com/x',
          id: 'x',
          'x-order': 1,
        },
      ),
    sample: { id: '1' },
  },
  {
    kind: 'ref_to_property',
    schema: (subject) => plus(subject, { again: { $ref: `#/properties/${subject.text}` } }),
    sample: { again: 'some text' },
  },
  {
    kind: 'ref_with_escapes',
    schema: (subject) =>
      plus(
        subject,
        { page: { $ref: '#/$defs/Page%5Bint%5D' }, path: { $ref: '#/$defs/a~1b' } },
        { $defs: { 'Page[int]': { type: 'integer' }, 'a/b': { type: 'array' } } },
      ),
    sample: { page: 1, path: [] },
  },
  {
    kind: 'ref_outside',
    schema: (subject) =>
      plus(subject, { geo: { $ref: 'https://example.com/geo.json', description: 'A place.' } }),
    sample: { geo: { x: 1 } },
  },
  {
    kind: 'ref_to_nothing',
    schema: (subject) =>
      plus(subject, {
        lost: { $ref: '#/components/schemas/Lost' },
        gone: { $ref: '#/$defs/Gone' },
      }),
    sample: { lost: 1, gone: 2 },
  },
  {
    kind: 'ref_to_itself',
    schema: (subject) => plus(subject, { loop: { $ref: '#/properties/loop' } }),
    sample: { loop: 1 },
  },
  {
    kind: 'tree',
    schema: (subject) =>
      plus(
        subject,
        { filter: { $ref: '#/$defs/Filter' } },
        {
          $defs: {
            Filter: object({
              and: { type: 'array', items: { $ref: '#/$defs/Filter' } },
              field: { type: 'string' },
            }),
          },
        },
      ),
    sample: { filter: { and: [{ field: 'x' }] } },
  },
  {
    kind: 'tree_of_the_root',
    schema: (subject) => plus(subject, { after: { $ref: '#' } }),
    sample: { after: {} },
  },
  {
    kind: 'pattern_properties',
    schema: (subject) =>
      plus(subject, {
        headers: {
          type: 'object',
          patternProperties: { '^x-': { type: 'array' } },
          additionalProperties: false,
        },
      }),
    sample: { headers: { 'x-a': [] } },
  },
  {
    kind: 'unevaluated',
    schema: (subject) => plus(subject, {}, { unevaluatedProperties: false, minProperties: 0 }),
  },
  {
    kind: 'optional_odata_name',
    schema: (subject) =>
      plus(subject, { $filter: { type: 'string' }, '@odata.type': { type: 'string' } }),
  },
  {
    kind: 'required_odata_name',
    schema: (subject) => plus(subject, { $filter: { type: 'string' } }, { required: ['$filter'] }),
    sample: { $filter: 'x' },
    dropped: { api: 'messages', reason: 'takes no argument with the name "$filter"' },
  },
  {
    kind: 'root_array',
    schema: ({ properties }) => ({ type: 'array', items: object(properties) }),
    dropped: { reason: 'is for "array", not for an object' },
  },
  {
    kind: 'root_text',
    schema: () => ({ type: 'string' }),
    dropped: { reason: 'is for "string", not for an object' },
  },
  {
    kind: 'too_deep',
    schema: (subject) => plus(subject, { next: deep(45) }),
    dropped: { reason: 'more than 40 levels deep' },
  },
  {
    kind: 'too_long',
    schema: ({ properties }) => object(properties, { description: 'x'.repeat(100_001) }),
    dropped: { reason: 'longer than 100000 characters' },
  },
];

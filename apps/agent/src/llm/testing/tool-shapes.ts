/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';

/** A synthetic tool with an input schema that APIs refuse or that must be converted. */
export interface ToolShape {
  readonly name: string;
  readonly schema: JsonSchema;
  /** Arguments that match the schema. */
  readonly sample: JsonObject;
  /** Reason why the tool cannot be offered, to any model or to those of one API. */
  readonly dropped?: { readonly reason: string; readonly api?: 'messages' };
}

/** Common arguments of the shapes. */
interface Subject {
  readonly properties: { readonly [name: string]: JsonSchema };
  readonly sample: JsonObject;
  /** Name of a text argument. */
  readonly text: string;
}

interface Kind {
  readonly kind: string;
  readonly schema: (subject: Subject) => JsonSchema;
  /** Additional arguments of the shape. */
  readonly sample?: JsonObject;
  readonly dropped?: ToolShape['dropped'];
}

const SUBJECT: Subject = {
  text: 'path',
  properties: {
    path: { type: 'string', description: 'owner/name', minLength: 1 },
    state: { type: 'string', enum: ['open', 'closed', 'all'] },
    labels: { type: 'array', items: { type: 'string' } },
    start: { type: 'string', format: 'date-time' },
    minutes: { type: 'integer', minimum: 5, maximum: 480 },
    limit: { type: 'number', default: 100 },
    dryRun: { type: 'boolean' },
    params: { type: 'object', additionalProperties: { type: ['string', 'number', 'null'] } },
    edits: {
      type: 'array',
      items: {
        type: 'object',
        properties: { from: { type: 'string' }, to: { type: 'string' } },
        required: ['from', 'to'],
      },
    },
  },
  sample: {
    path: 'a/b',
    state: 'open',
    labels: ['bug'],
    start: '2030-01-01T09:00:00Z',
    minutes: 15,
    limit: 5,
    dryRun: true,
    params: { a: null },
    edits: [{ from: 'x', to: 'y' }],
  },
};

const object = (properties: JsonObject, rest: JsonObject = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...rest,
});
const plus = ({ properties }: Subject, more: JsonObject, rest: JsonObject = {}): JsonSchema =>
  object({ ...properties, ...more }, rest);
const deep = (levels: number): JsonSchema =>
  levels === 0 ? { type: 'string' } : object({ next: deep(levels - 1) });

const KINDS: readonly Kind[] = [
  {
    kind: 'plain',
    schema: ({ properties, text }) =>
      object(properties, { required: [text], additionalProperties: false }),
  },
  {
    kind: 'root_any_of_required',
    schema: ({ properties, text }) =>
      object(properties, { anyOf: [{ required: [text] }, { required: Object.keys(properties) }] }),
  },
  {
    kind: 'root_one_of_branches',
    schema: ({ properties, text }) => ({
      type: 'object',
      oneOf: [
        object({ [text]: properties[text] }, { required: [text] }),
        object({ ...properties, kind: { const: 'all' } }, { required: ['kind'] }),
      ],
    }),
    sample: { kind: 'all' },
  },
  {
    kind: 'root_union_no_type',
    schema: ({ properties }) => ({
      anyOf: [
        object({ action: { const: 'create' }, ...properties }, { required: ['action'] }),
        object(
          { action: { const: 'delete' }, id: { type: 'string' } },
          { required: ['action', 'id'] },
        ),
      ],
    }),
    sample: { action: 'create' },
  },
  {
    kind: 'root_union_with_text',
    schema: ({ properties }) => ({
      type: ['object', 'string'],
      anyOf: [object(properties), { type: 'string' }],
    }),
  },
  {
    kind: 'root_all_of',
    schema: ({ properties, text }) => ({
      allOf: [object(properties), object({ note: { type: 'string' } }), { required: [text] }],
    }),
    sample: { note: 'x' },
  },
  {
    kind: 'root_ref_defs',
    schema: ({ properties }) => ({
      $ref: '#/$defs/Args',
      $defs: { Args: object(properties, { title: 'Args' }) },
    }),
  },
  {
    kind: 'root_ref_definitions',
    schema: ({ properties }) => ({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $ref: '#/definitions/args',
      definitions: { args: object(properties, { additionalProperties: false }) },
    }),
  },
  {
    kind: 'root_if_then',
    schema: ({ properties, text }) =>
      object(properties, {
        if: { properties: { [text]: { const: 'x' } } },
        then: { required: [text] },
        else: { required: [] },
      }),
  },
  {
    kind: 'root_not',
    schema: ({ properties }) => object(properties, { not: { required: ['never', 'both'] } }),
  },
  {
    kind: 'root_dependencies',
    schema: ({ properties, text }) =>
      object(properties, { dependencies: { [text]: [] }, dependentRequired: { [text]: [] } }),
  },
  {
    kind: 'root_nullable',
    schema: ({ properties }) => ({ ...object(properties), type: ['object', 'null'] }),
  },
  { kind: 'no_type', schema: ({ properties }) => ({ properties }) },
  { kind: 'no_properties', schema: () => ({ type: 'object' }) },
  { kind: 'null_properties', schema: () => ({ type: 'object', properties: null, required: null }) },
  { kind: 'nothing', schema: () => ({}) },
  { kind: 'any_arguments', schema: () => ({ type: 'object', additionalProperties: true }) },
  {
    kind: 'array_no_items',
    schema: (subject) => plus(subject, { ids: { type: 'array', description: 'Ids.' } }),
    sample: { ids: [1] },
  },
  {
    kind: 'array_or_null',
    schema: (subject) => plus(subject, { ids: { type: ['array', 'null'] } }),
    sample: { ids: null },
  },
  {
    kind: 'array_in_array',
    schema: (subject) => plus(subject, { rows: { type: 'array', items: { type: 'array' } } }),
    sample: { rows: [[1]] },
  },
  {
    kind: 'array_any_items',
    schema: (subject) => plus(subject, { rows: { type: 'array', items: true } }),
    sample: { rows: [{}] },
  },
  {
    kind: 'tuple_draft_7',
    schema: (subject) =>
      plus(subject, {
        range: {
          type: 'array',
          items: [{ type: 'number' }, { type: 'string' }],
          additionalItems: false,
          minItems: 2,
        },
      }),
    sample: { range: [1, 'x'] },
  },
  {
    kind: 'tuple_empty',
    schema: (subject) => plus(subject, { none: { type: 'array', items: [] } }),
    sample: { none: [] },
  },
  {
    kind: 'tuple_2020',
    schema: (subject) =>
      plus(subject, {
        range: {
          type: 'array',
          prefixItems: [{ type: 'number' }, { type: 'number' }],
          items: false,
        },
      }),
    sample: { range: [1, 2] },
  },
  {
    kind: 'additional_text',
    schema: (subject) =>
      plus(
        subject,
        { env: { type: 'object', additionalProperties: 'string' } },
        { additionalProperties: 'false' },
      ),
    sample: { env: { a: 'b' } },
  },
  {
    kind: 'type_any',
    schema: (subject) => plus(subject, { value: { type: 'any' } }),
    sample: { value: 1 },
  },
  {
    kind: 'type_of_another_language',
    schema: (subject) =>
      plus(subject, {
        when: { type: 'date' },
        share: { type: 'float' },
        either: { type: ['str', 'int'] },
        joined: { type: 'string | number' },
      }),
    sample: { when: '2030-01-01', share: 0.5, either: 1, joined: 2 },
  },
  {
    kind: 'type_repeated',
    schema: (subject) => plus(subject, { value: { type: ['string', 'string', 'null'] } }),
    sample: { value: null },
  },
  {
    kind: 'type_null',
    schema: (subject) =>
      plus(subject, { cursor: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null } }),
    sample: { cursor: null },
  },
  {
    kind: 'true_property',
    schema: (subject) => plus(subject, { value: true, other: {} }),
    sample: { value: [1] },
  },
  { kind: 'false_property', schema: (subject) => plus(subject, { never: false }) },
  {
    kind: 'optional_by_never',
    schema: (subject) => plus(subject, { value: { anyOf: [{ not: {} }, { type: 'string' }] } }),
    sample: { value: 'x' },
  },
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

/** Tools, one for each kind of shape. */
export const TOOL_SHAPES: readonly ToolShape[] = KINDS.map(
  ({ kind, schema, sample = {}, dropped }) => ({
    name: `made__${kind}`,
    schema: schema(SUBJECT),
    sample: { ...SUBJECT.sample, ...sample },
    ...(dropped === undefined ? {} : { dropped }),
  }),
);

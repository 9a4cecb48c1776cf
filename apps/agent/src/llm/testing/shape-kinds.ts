/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
import { object, plus, type Kind } from './shape-kind.ts';

/** Shapes of tool schemas, first part. */
export const KINDS: readonly Kind[] = [
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
];

import { expect, test } from 'vitest';
import { fieldKind } from '../ui/schema-form/field-kind.ts';
import { initialValue } from '../ui/schema-form/initial-value.ts';
import { contentOf, schemaOfFields, type FormField } from './form-fields.ts';

const choices = [
  { value: 'a', title: 'First' },
  { value: 'b', title: 'Second' },
];
const fields: readonly FormField[] = [
  { name: 'name', type: 'string', required: true, min_length: 1 },
  { name: 'when', type: 'string', format: 'date-time', required: false },
  { name: 'age', type: 'integer', required: false, minimum: 0, default: 30 },
  { name: 'size', type: 'string', required: false, choices, default: 'b' },
  { name: 'tags', type: 'array', required: false, choices },
  { name: 'words', type: 'array', required: false },
  { name: 'isSure', type: 'boolean', required: true },
];

test('every type of a field has its input', () => {
  const schema = schemaOfFields(fields);
  const kind = fieldKind(schema, schema);
  const inputs = kind.kind === 'object' ? kind.properties : [];
  expect(inputs.map((each) => [each.name, fieldKind(each.schema, schema).kind])).toEqual([
    ['name', 'text'],
    ['when', 'text'],
    ['age', 'number'],
    ['size', 'choice'],
    ['tags', 'choices'],
    ['words', 'list'],
    ['isSure', 'boolean'],
  ]);
});

test('a field that the person emptied is null if it has a default, and left out otherwise', () => {
  const begun = initialValue(schemaOfFields(fields));
  expect(begun).toEqual({ age: 30, size: 'b', isSure: false });
  expect(contentOf(fields, { ...begun, name: 'Ada', age: undefined })).toEqual({
    name: 'Ada',
    age: null,
    size: 'b',
    isSure: false,
  });
});

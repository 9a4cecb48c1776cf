import type { components } from '@signalbox/client';
import type { JsonSchema } from '../ui/schema-form/field-kind.ts';
import type { FormValue } from '../ui/schema-form/form-value.ts';

/** A field of an elicitation form. */
export type FormField = components['schemas']['FormField'];

/** Returns a schema of an object with the fields. */
export function schemaOfFields(fields: readonly FormField[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function schemaOf(field: FormField): JsonSchema {
  const choices = field.choices?.map(({ value, title }) => ({ const: value, title }));
  const isList = field.type === 'array';
  return withoutUndefined({
    title: field.title,
    description: field.description,
    type: field.type,
    oneOf: isList ? undefined : choices,
    items: isList ? (choices === undefined ? { type: 'string' } : { oneOf: choices }) : undefined,
    default: field.default,
    format: field.format,
    minLength: field.min_length,
    maxLength: field.max_length,
    minimum: field.minimum,
    maximum: field.maximum,
    minItems: field.min_items,
    maxItems: field.max_items,
  });
}

/**
 * Returns the content of an accepted form. A field that the person emptied although it has a default is null, because a field that is
 * left out takes its default.
 */
export function contentOf(
  fields: readonly FormField[],
  value: FormValue,
): { [name: string]: unknown } {
  return Object.fromEntries(
    fields.flatMap(({ name, default: preset, required }) => {
      if (value[name] !== undefined) return [[name, value[name]]];
      return preset !== undefined && !required ? [[name, null]] : [];
    }),
  );
}

function withoutUndefined(object: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

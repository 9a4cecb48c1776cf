import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';
import { isPlainObject } from '../plain-object.ts';
import { contentProblems } from '../run/elicitation-content.ts';

/** A value that a field of a form may have, with the text that stands for it. */
export interface Choice {
  readonly value: string;
  readonly title: string;
}

/** A field of an elicitation form, as a person fills it in. */
export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly type: 'text' | 'number' | 'boolean' | 'choice' | 'choices';
  /** Empty unless the type is `choice` or `choices`. */
  readonly choices: readonly Choice[];
  readonly isRequired: boolean;
  /** Undefined where there is none. */
  readonly default: unknown;
  readonly schema: JsonSchema;
}

/** Returns the fields of the schema of a form, in its order. */
export function formFields({ properties, required }: JsonObject): readonly FormField[] {
  if (!isPlainObject(properties)) return [];
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, value]) => {
    const schema = isPlainObject(value) ? value : {};
    const items = isPlainObject(schema['items']) ? schema['items'] : undefined;
    const choices = choicesOf(items ?? schema);
    return {
      name,
      title: textOf(schema['title']) ?? name,
      description: textOf(schema['description']),
      type: typeOf(schema, choices.length > 0),
      choices,
      isRequired: names.includes(name),
      default: schema['default'],
      schema,
    };
  });
}

/** Returns the problem of a field's value, or undefined. */
export function fieldValueProblem({ name, schema }: FormField, value: unknown): string | undefined {
  return contentProblems({ type: 'object', properties: { [name]: schema } }, { [name]: value })[0]?.message;
}

function typeOf({ type }: JsonObject, hasChoices: boolean): FormField['type'] {
  if (type === 'array') return 'choices';
  if (type === 'boolean') return 'boolean';
  if (type === 'number' || type === 'integer') return 'number';
  return hasChoices ? 'choice' : 'text';
}

/** Titled choices are `oneOf` or `anyOf` with `const` and `title`, or `enum` with `enumNames`. */
function choicesOf(schema: JsonObject): readonly Choice[] {
  const options: unknown = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(options)) {
    return options.filter(isPlainObject).map((option) => ({ value: String(option['const']), title: textOf(option['title']) ?? String(option['const']) }));
  }
  const names: readonly unknown[] = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
  return Array.isArray(schema['enum']) ? schema['enum'].map((value, index) => ({ value: String(value), title: textOf(names[index]) ?? String(value) })) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A JSON Schema, as tools, prompts and forms declare it. Unknown keywords are ignored. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A property of an object. */
export interface Property {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** A value that can be chosen, with its text. */
export interface SchemaChoice {
  readonly value: unknown;
  readonly label: string;
}

/** The input for a schema. `choices` is a list of fixed values, `json` a text field for any JSON value. */
export type FieldKind =
  | { readonly kind: 'text'; readonly input: TextInput }
  | { readonly kind: 'number'; readonly isInteger: boolean }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly choices: readonly SchemaChoice[] }
  | { readonly kind: 'choices'; readonly choices: readonly SchemaChoice[] }
  | { readonly kind: 'object'; readonly properties: readonly Property[] }
  | { readonly kind: 'list'; readonly items: JsonSchema }
  | { readonly kind: 'json' };

/** Type of the input of a text. */
export type TextInput = 'text' | 'multiline' | 'date' | 'datetime-local' | 'email' | 'url';

/** Levels of objects and lists that get inputs of their own; deeper values are edited as JSON. */
const MAX_LEVELS = 5;
/** References that are followed from one schema to the next. */
const MAX_REFERENCES = 8;
/** Lengths from which a text gets several lines. */
const MULTILINE_LENGTH = 200;

const FORMATS: { readonly [format: string]: TextInput } = {
  date: 'date',
  'date-time': 'datetime-local',
  email: 'email',
  uri: 'url',
};

/** Returns the input for a schema. @param root - The schema that local references point into. @param level - Objects and lists above it. */
export function fieldKind(schema: JsonSchema, root: JsonSchema, level = 0): FieldKind {
  const resolved = resolve(schema, root);
  const choices = choicesOf(resolved);
  if (choices !== undefined) return { kind: 'choice', choices };
  switch (typeOf(resolved)) {
    case 'string':
      return { kind: 'text', input: textInput(resolved) };
    case 'integer':
      return { kind: 'number', isInteger: true };
    case 'number':
      return { kind: 'number', isInteger: false };
    case 'boolean':
      return { kind: 'boolean' };
    case 'object':
      return isRecord(resolved['properties']) && level < MAX_LEVELS
        ? { kind: 'object', properties: propertiesOf(resolved) }
        : { kind: 'json' };
    case 'array':
      return listKind(resolved, root, level);
    default:
      return { kind: 'json' };
  }
}

function listKind({ items }: JsonSchema, root: JsonSchema, level: number): FieldKind {
  if (!isRecord(items) || level >= MAX_LEVELS) return { kind: 'json' };
  const choices = choicesOf(resolve(items, root));
  return choices === undefined ? { kind: 'list', items } : { kind: 'choices', choices };
}

/**
 * Returns the schema that a local reference stands for. An alternative to null is the schema without null, and a schema that cannot
 * be resolved is the empty one.
 */
export function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema;
  for (let followed = 0; followed < MAX_REFERENCES; followed += 1) {
    const reference = current['$ref'];
    const alternatives = listOf(current['anyOf'] ?? current['oneOf']).filter(isRecord);
    const solid = alternatives.filter((each) => each['type'] !== 'null');
    const [only] = solid;
    if (typeof reference === 'string') {
      const { $ref: _reference, ...siblings } = current;
      current = { ...pointed(root, reference), ...siblings };
    } else if (only !== undefined && solid.length === 1) {
      const { anyOf: _anyOf, oneOf: _oneOf, ...siblings } = current;
      current = { ...only, ...siblings };
    } else return current;
  }
  return {};
}

function pointed(root: JsonSchema, reference: string): JsonSchema {
  if (!reference.startsWith('#')) return {};
  let place: unknown = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    place = isRecord(place) && Object.hasOwn(place, name) ? place[name] : undefined;
  }
  return isRecord(place) ? place : {};
}

function typeOf(schema: JsonSchema): unknown {
  const { type } = schema;
  if (Array.isArray(type)) {
    const solid = type.filter((each) => each !== 'null');
    return solid.length === 1 ? solid[0] : undefined;
  }
  if (type !== undefined) return type;
  if (isRecord(schema['properties'])) return 'object';
  return isRecord(schema['items']) ? 'array' : undefined;
}

function choicesOf(schema: JsonSchema): readonly SchemaChoice[] | undefined {
  const values = schema['enum'];
  if (Array.isArray(values) && values.length > 0)
    return values.map((value: unknown) => ({ value, label: labelOf(value) }));
  const variants = listOf(schema['oneOf'] ?? schema['anyOf']);
  if (variants.length === 0) return undefined;
  const choices = variants.flatMap((variant) =>
    isRecord(variant) && 'const' in variant
      ? [{ value: variant['const'], label: titleOf(variant) ?? labelOf(variant['const']) }]
      : [],
  );
  return choices.length === variants.length ? choices : undefined;
}

function labelOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function textInput(schema: JsonSchema): TextInput {
  const { format, maxLength } = schema;
  if (typeof format === 'string' && Object.hasOwn(FORMATS, format))
    return FORMATS[format] ?? 'text';
  return typeof maxLength === 'number' && maxLength >= MULTILINE_LENGTH ? 'multiline' : 'text';
}

function propertiesOf(schema: JsonSchema): readonly Property[] {
  const { properties } = schema;
  if (!isRecord(properties)) return [];
  const required = new Set(listOf(schema['required']));
  return Object.entries(properties).map(([name, own]) => ({
    name,
    schema: isRecord(own) ? own : {},
    isRequired: required.has(name),
  }));
}

/** Returns the title of a schema. */
export function titleOf(schema: JsonSchema): string | undefined {
  return typeof schema['title'] === 'string' ? schema['title'] : undefined;
}

/** Whether a value is an object. */
export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

import { hasFormat } from '@signalbox/mcp-core';
import { isPlainObject } from '../../json/plain-object.ts';

export type FieldType = 'string' | 'number' | 'integer' | 'boolean' | 'array';
export type FieldValue = string | number | boolean | readonly string[];

/** An allowed value of a field, with the text that people read for it. */
export interface Choice {
  readonly value: string | number;
  readonly title: string;
}

/** A field of a form, whichever protocol revision it was written for. */
export interface FormField {
  readonly name: string;
  /** `array`: several strings, from `choices` when there are any. */
  readonly type: FieldType;
  readonly title?: string;
  readonly description?: string;
  readonly required: boolean;
  /** Value of a field that the response leaves out. It is valid for the field. */
  readonly default?: FieldValue;
  readonly choices?: readonly Choice[];
  readonly format?: string;
  /** Lengths are code points. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/**
 * A form that cannot be shown to a person. The message names the field, for the author of the
 * server.
 */
export class FormError extends Error {}

/** Maximum number of choices of one field. */
export const MAX_CHOICES = 100;

const TYPES: readonly unknown[] = [
  'string',
  'number',
  'integer',
  'boolean',
  'array',
] satisfies FieldType[];

/**
 * Reads one property of a requested schema. Keywords that no revision allows in a form field
 * (`pattern`, `$ref` and others) are dropped.
 * @throws FormError
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema
 */
export function readField(name: string, given: unknown, isRequired: boolean): FormField {
  const where = `the field ${JSON.stringify(shortened(name))}`;
  if (!isPlainObject(given)) throw new FormError(`${where} is not an object`);
  const property = withoutNull(given);
  const type = typeOf(property);
  if (type === undefined)
    throw new FormError(
      `${where} needs the type string, number, integer, boolean, or array with choices`,
    );
  const source = type === 'array' ? itemsOf(property, where) : property;
  const choices = choicesOf(source, where);
  const texts = pick(property, { title: isText, description: isText });
  const limits = {
    ...(type === 'string'
      ? pick(property, { format: isText, minLength: isCount, maxLength: isCount })
      : {}),
    ...(type === 'number' || type === 'integer'
      ? pick(property, { minimum: isNumber, maximum: isNumber })
      : {}),
    ...(type === 'array' ? pick(property, { minItems: isCount, maxItems: isCount }) : {}),
  };
  const field: FormField = {
    name,
    type,
    ...texts,
    required: isRequired,
    ...limits,
    ...(choices === undefined ? {} : { choices }),
  };
  const initial = property['default'];
  return initial === undefined || valueProblem(field, initial) !== undefined
    ? field
    : { ...field, default: initial as FieldValue };
}

/**
 * Returns the problem of a field's value as the end of a sentence that begins with the field's
 * name; undefined for a valid value.
 */
export function valueProblem(field: FormField, value: unknown): string | undefined {
  switch (field.type) {
    case 'string':
      return textProblem(field, value);
    case 'number':
    case 'integer':
      return numberProblem(field, value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'array':
      return listProblem(field, value);
  }
}

function textProblem(field: FormField, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  const { minLength, maxLength, format } = field;
  const length = minLength === undefined && maxLength === undefined ? 0 : codePoints(value);
  if (minLength !== undefined && length < minLength)
    return `must have at least ${minLength} characters`;
  if (maxLength !== undefined && length > maxLength)
    return `must have at most ${maxLength} characters`;
  const problem = choiceProblem(field, value);
  if (problem !== undefined) return problem;
  const name = format === undefined ? undefined : FORMAT_NAMES.get(format);
  return name === undefined || hasFormat(value, format) ? undefined : `must be ${name}`;
}

function numberProblem(field: FormField, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  if (field.type === 'integer' && !Number.isInteger(value)) return 'must be a whole number';
  if (field.minimum !== undefined && value < field.minimum)
    return `must be ${field.minimum} or more`;
  if (field.maximum !== undefined && value > field.maximum)
    return `must be ${field.maximum} or less`;
  return choiceProblem(field, value);
}

function listProblem(field: FormField, value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list';
  const { minItems, maxItems } = field;
  if (value.length > MAX_CHOICES) return `must have at most ${MAX_CHOICES} entries`;
  if (minItems !== undefined && value.length < minItems)
    return `must have at least ${minItems} entries`;
  if (maxItems !== undefined && value.length > maxItems)
    return `must have at most ${maxItems} entries`;
  const wrong = value
    .map((entry: unknown) =>
      typeof entry === 'string' ? choiceProblem(field, entry) : 'must be a string',
    )
    .find((problem) => problem !== undefined);
  return wrong === undefined ? undefined : `has an entry that ${wrong}`;
}

function choiceProblem({ choices }: FormField, value: string | number): string | undefined {
  if (choices === undefined || choices.some((choice) => choice.value === value)) return undefined;
  return `must be one of ${shortened(choices.map((choice) => JSON.stringify(choice.value)).join(', '), 500)}`;
}

/**
 * Reads the choices: `enum` with or without `enumNames`, and `oneOf` or `anyOf` with a `const` and
 * a `title` each.
 */
function choicesOf(
  source: { readonly [keyword: string]: unknown },
  where: string,
): readonly Choice[] | undefined {
  const { enum: values, enumNames: names, oneOf, anyOf } = source;
  const titled = oneOf ?? anyOf;
  const single = source['const'];
  const given = values ?? titled ?? (single === undefined ? undefined : [single]);
  if (given === undefined) return undefined;
  if (!Array.isArray(given) || given.length === 0)
    throw new FormError(`${where} has choices that are not a list`);
  if (given.length > MAX_CHOICES)
    throw new FormError(
      `${where} has ${given.length} choices, and at most ${MAX_CHOICES} are allowed`,
    );
  return given.map((entry: unknown, position) => {
    const isTitled = values === undefined && isPlainObject(entry);
    const value = isTitled ? entry['const'] : entry;
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new FormError(`${where} has a choice that is not a string or number`);
    const title = isTitled
      ? entry['title']
      : Array.isArray(names)
        ? (names[position] as unknown)
        : undefined;
    return { value, title: typeof title === 'string' ? title : String(value) };
  });
}

function itemsOf(
  property: { readonly [keyword: string]: unknown },
  where: string,
): { readonly [keyword: string]: unknown } {
  const { items } = property;
  const isUsable =
    isPlainObject(items) && (items['type'] === 'string' || items['type'] === undefined);
  if (!isUsable || (items['type'] === undefined && choicesOf(items, where) === undefined))
    throw new FormError(`${where} is a list of something other than texts`);
  return items;
}

function typeOf(property: { readonly [keyword: string]: unknown }): FieldType | undefined {
  const { type } = property;
  if (TYPES.includes(type)) return type as FieldType;
  return type === undefined && (Array.isArray(property['enum']) || Array.isArray(property['oneOf']))
    ? 'string'
    : undefined;
}

/** Unwraps an optional field that some SDKs write as `anyOf` of its schema and `{type: "null"}`. */
function withoutNull(property: { readonly [keyword: string]: unknown }): {
  readonly [keyword: string]: unknown;
} {
  const { anyOf, ...others } = property;
  if (others['type'] !== undefined || !Array.isArray(anyOf) || anyOf.length > MAX_CHOICES)
    return property;
  const [only, ...more] = (anyOf as readonly unknown[]).filter(
    (entry) => !(isPlainObject(entry) && entry['type'] === 'null'),
  );
  return more.length === 0 && isPlainObject(only) && only['const'] === undefined
    ? { ...only, ...others }
    : property;
}

type Checks = { readonly [K in keyof FormField]?: (value: unknown) => boolean };

function pick<C extends Checks>(
  property: { readonly [keyword: string]: unknown },
  checks: C,
): Pick<Partial<FormField>, keyof C & keyof FormField> {
  const kept = Object.entries(checks).filter(([keyword, check]) => check(property[keyword]));
  // Each kept value passed the check of its member.
  return Object.fromEntries(kept.map(([keyword]) => [keyword, property[keyword]])) as Pick<
    Partial<FormField>,
    keyof C & keyof FormField
  >;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0;

/** Descriptions of the formats that the specification names; other formats are not checked. */
const FORMAT_NAMES: ReadonlyMap<string, string> = new Map([
  ['email', 'an e-mail address'],
  ['uri', 'a URI, such as https://example.org/'],
  ['date', 'a date, such as 2026-07-28'],
  ['date-time', 'a date and time with a time zone, such as 2026-07-28T12:00:00Z'],
]);

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function shortened(text: string, characters = 100): string {
  return text.length <= characters ? text : `${text.slice(0, characters)}…`;
}

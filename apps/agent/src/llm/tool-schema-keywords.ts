import type { JsonObject } from '@signalbox/mcp-core';
import { isPlainObject } from '../json/plain-object.ts';

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const NOT_FOR_MODELS = new Set([
  '$schema',
  '$id',
  'id',
  '$comment',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$vocabulary',
  '$recursiveRef',
  '$recursiveAnchor',
  'nullable',
  'additionalItems',
]);
const TEXTS = new Set([
  'title',
  'description',
  'format',
  '$ref',
  'contentEncoding',
  'contentMediaType',
]);
const NUMBERS = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);
const COUNTS = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
]);
const FLAGS = new Set(['uniqueItems', 'deprecated', 'readOnly', 'writeOnly']);

/**
 * Returns the value of a keyword without subschemas in a form that every provider accepts;
 * undefined to omit the keyword.
 */
export function keywordValue(key: string, value: unknown): unknown {
  if (NOT_FOR_MODELS.has(key) || key.startsWith('x-')) return undefined;
  if (TEXTS.has(key)) return typeof value === 'string' ? value : undefined;
  if (NUMBERS.has(key)) return typeof value === 'number' ? value : undefined;
  if (COUNTS.has(key)) return Number.isInteger(value) && Number(value) >= 0 ? value : undefined;
  if (FLAGS.has(key)) return typeof value === 'boolean' ? value : undefined;
  switch (key) {
    case 'type':
      return typesIn(value);
    case 'required':
      return names(value);
    case 'enum':
      return Array.isArray(value) && value.length > 0
        ? [...new Map(value.map((item) => [JSON.stringify(item), item as unknown])).values()]
        : undefined;
    case 'examples':
      return Array.isArray(value) ? value : undefined;
    case 'multipleOf':
      return typeof value === 'number' && value > 0 ? value : undefined;
    case 'pattern':
      return typeof value === 'string' && isPlainPattern(value) ? value : undefined;
    case 'dependentRequired':
      return isPlainObject(value)
        ? Object.fromEntries(
            Object.entries(value).flatMap(([name, others]) =>
              names(others) === undefined ? [] : [[name, names(others)]],
            ),
          )
        : undefined;
    default:
      return value;
  }
}

/** Converts the limits of draft-04, where an exclusive limit is a flag. */
export function withNumericLimits(node: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = node;
  return {
    ...rest,
    ...(exclusiveMinimum === true && typeof minimum === 'number'
      ? { exclusiveMinimum: minimum }
      : { minimum, exclusiveMinimum }),
    ...(exclusiveMaximum === true && typeof maximum === 'number'
      ? { exclusiveMaximum: maximum }
      : { maximum, exclusiveMaximum }),
  };
}

/** Returns valid JSON types; unknown types such as `any` or `date` become unconstrained. */
function typesIn(value: unknown): unknown {
  if (typeof value === 'string') return TYPES.has(value) ? value : undefined;
  if (!Array.isArray(value) || value.some((type) => !TYPES.has(String(type)))) return undefined;
  const types = [...new Set(value as readonly string[])]; // checked
  return types.length < 2 ? types[0] : types;
}

function names(value: unknown): readonly string[] | undefined {
  return Array.isArray(value)
    ? [...new Set(value.filter((name) => typeof name === 'string'))]
    : undefined;
}

/** Whether the pattern works in the regular expression engines of all providers. */
function isPlainPattern(source: string): boolean {
  if (/\\p\{|\(\?<[a-z]|\(\?[<!=]|\\u|\\c/i.test(source)) return false;
  try {
    return new RegExp(source, 'u').source !== '';
  } catch {
    return false;
  }
}

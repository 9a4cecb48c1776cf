import type { JsonSchema } from '@signalbox/mcp-core';

/** Larger schemas are compiled before they are used: that may take longer than the check of a value may. */
const MAX_STEPS = 1000;

const TYPES: ReadonlySet<unknown> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]);

const DIALECTS: ReadonlySet<unknown> = new Set([
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft-07/schema#',
]);

/** Rules for the operands of the keywords that need no compilation to know that they are valid. */
const KEYWORDS: { readonly [keyword: string]: (operand: unknown, walk: Walk) => boolean } = {
  $comment: isText,
  $schema: (operand, { depth }) => depth === 0 && DIALECTS.has(operand),
  additionalProperties: isSchema,
  allOf: areSchemas,
  anyOf: areSchemas,
  const: isScalar,
  default: () => true,
  deprecated: isBoolean,
  description: isText,
  enum: (operand, walk) => isList(operand, walk, isScalar),
  examples: Array.isArray,
  exclusiveMaximum: Number.isFinite,
  exclusiveMinimum: Number.isFinite,
  format: isText,
  items: isSchema,
  maxItems: isCount,
  maxLength: isCount,
  maxProperties: isCount,
  maximum: Number.isFinite,
  minItems: isCount,
  minLength: isCount,
  minProperties: isCount,
  minimum: Number.isFinite,
  oneOf: areSchemas,
  properties: (operand, walk) =>
    isObject(operand) &&
    !Object.hasOwn(operand, '__proto__') &&
    Object.values(operand).every((schema) => isSchema(schema, walk)),
  readOnly: isBoolean,
  required: (operand, walk) =>
    Array.isArray(operand) && (operand.length === 0 || isList(operand, walk, isText)),
  title: isText,
  type: (operand, walk) => isType(operand) || isList(operand, walk, isType),
  uniqueItems: isBoolean,
  writeOnly: isBoolean,
};

interface Walk {
  readonly depth: number;
  readonly budget: { steps: number };
}

/**
 * Whether a schema certainly compiles: it is short, has only keywords whose operands are easy to judge, and every operand is valid.
 * A schema for which this is false may compile as well.
 */
export function isOrdinarySchema(schema: JsonSchema): boolean {
  return isSchema(schema, { depth: 0, budget: { steps: MAX_STEPS } });
}

function isSchema(schema: unknown, { depth, budget }: Walk): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isObject(schema)) return false;
  const nested = { depth: depth + 1, budget };
  return Object.entries(schema).every(([keyword, operand]) => {
    budget.steps -= 1;
    return (
      budget.steps >= 0 &&
      Object.hasOwn(KEYWORDS, keyword) &&
      KEYWORDS[keyword]?.(operand, keyword === '$schema' ? { depth, budget } : nested) === true
    );
  });
}

function areSchemas(operand: unknown, walk: Walk): boolean {
  return (
    Array.isArray(operand) && operand.length > 0 && operand.every((each) => isSchema(each, walk))
  );
}

/** Whether the operand is a list of different entries, at least one. */
function isList(operand: unknown, { budget }: Walk, isEntry: (entry: unknown) => boolean): boolean {
  if (!Array.isArray(operand) || operand.length === 0) return false;
  budget.steps -= operand.length;
  return budget.steps >= 0 && operand.every(isEntry) && new Set(operand).size === operand.length;
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function isType(value: unknown): boolean {
  return TYPES.has(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';
import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describeArgumentErrors } from './argument-errors.ts';
import type { BoundedEvaluation } from './bounded-evaluation.ts';

/** The text for the model when the arguments do not fit the schema; undefined when they do. Throws when the schema cannot be evaluated. */
export type ArgumentValidator = (args: JsonObject) => string | undefined;

/** A tool's schema cannot be used; the message says why. */
export class UnusableSchemaError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UnusableSchemaError';
  }
}

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 64;
const COMPILE_LIMIT_MS = 1000;
export const VALIDATE_LIMIT_MS = 500;

/**
 * Compiles a schema that a server wrote: at most 256 KiB, 64 levels deep, referring to nothing outside itself, evaluated within a time limit. The
 * dialect is 2020-12, or draft-07 where `$schema` names it or an older one.
 * @throws UnusableSchemaError
 */
export function compileArgumentValidator(schema: JsonSchema, evaluate: BoundedEvaluation): ArgumentValidator {
  const validate = compileSchema(schema, evaluate);
  // The bound costs more than most evaluations.
  const evaluateArguments = isQuick(schema) ? unbounded : evaluate;
  const check = (args: JsonObject): string | undefined => {
    try {
      return evaluateArguments(VALIDATE_LIMIT_MS, () => (validate(args) ? undefined : describeArgumentErrors(validate.errors ?? [], args)));
    } catch (error) {
      throw new UnusableSchemaError(`its input schema cannot be evaluated: ${messageOf(error)}`, { cause: error });
    }
  };
  // A schema that refers to itself without end compiles and fails when it is used.
  check({});
  return check;
}

export interface CompiledSchema {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null;
}

/**
 * Compiles a schema for objects under the same limits; what is returned is to be called within a time limit.
 * @throws UnusableSchemaError
 */
export function compileSchema(schema: JsonSchema, evaluate: BoundedEvaluation, options: { /** Default: only the first. */ readonly allErrors?: boolean } = {}): CompiledSchema {
  assertSize(schema);
  return compile(schema, evaluate, options);
}

function assertSize(schema: JsonSchema): void {
  let level: readonly unknown[] = [schema];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new UnusableSchemaError(`its input schema is nested deeper than ${MAX_DEPTH} levels`);
    level = level.flatMap((value): unknown[] => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_BYTES) throw new UnusableSchemaError(`its input schema is larger than ${MAX_BYTES / 1024} KiB`);
}

/** Keywords whose evaluation may take longer than the schema and the arguments are long. */
const SLOW_KEYWORDS = new Set(['$ref', '$dynamicRef', '$recursiveRef', 'pattern', 'patternProperties', 'format', 'uniqueItems']);

/** Whether each part of the arguments is compared with each part of the schema once at most. A property that has the name of a slow keyword is no keyword, but `patternProperties` counts as one. */
function isQuick(schema: object): boolean {
  return Object.entries(schema).every(([key, value]: [string, unknown]) => {
    if (typeof value !== 'object' || value === null) return !SLOW_KEYWORDS.has(key);
    return key !== 'patternProperties' && isQuick(value);
  });
}

const unbounded: BoundedEvaluation = (_limitMs, work) => work();

function compile(schema: JsonSchema, evaluate: BoundedEvaluation, { allErrors = false }: { readonly allErrors?: boolean }): CompiledSchema {
  // `$async` would make the validator return a promise, which is always truthy.
  const { $schema: dialect, $async: _, ...rest } = schema;
  if (rest['type'] !== undefined && rest['type'] !== 'object') throw new UnusableSchemaError('its input schema does not describe an object');
  try {
    // One instance a tool: schemas of different tools may carry the same $id, and an interrupted instance is unusable.
    return evaluate(COMPILE_LIMIT_MS, () => {
      const ajv = typeof dialect === 'string' && /draft-0[3-7]/.test(dialect) ? new Ajv({ ...AJV_OPTIONS, allErrors }) : new Ajv2020({ ...AJV_OPTIONS, allErrors });
      formats.default(ajv, { mode: 'fast' });
      return ajv.compile(rest);
    });
  } catch (error) {
    throw new UnusableSchemaError(`its input schema does not compile: ${messageOf(error)}`, { cause: error });
  }
}

const AJV_OPTIONS = {
  strict: false,
  verbose: true,
  validateSchema: false,
  meta: false,
  // A large schema would be copied to each of its references.
  inlineRefs: false,
  logger: false,
  code: { regExp: Object.assign(lenientRegExp, { code: 'new RegExp' }) },
} as const;

/** JSON Schema asks for Unicode patterns, but many servers write patterns that are only valid without. */
function lenientRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}

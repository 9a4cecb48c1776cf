import { shorten } from '../protocol/errors.ts';
import type { JsonSchema } from '../protocol/tools.ts';
import type { SchemaCheck, SchemaValidator } from './schema-validator.ts';
import {
  isStandardSchema,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from './standard-schema.ts';

/** The value that a schema produced, or its problems, one sentence each. */
export type Reading =
  | { readonly value: unknown; readonly problems?: undefined }
  | { readonly problems: readonly string[]; readonly value?: undefined };

/**
 * Reads values against one schema, synchronously if possible. Rejects or throws with an Error when
 * the schema is unusable.
 */
export type ValueReader = (value: unknown) => Reading | Promise<Reading>;

const MAX_PROBLEMS = 10;

/**
 * Creates a reader. JSON Schema returns the value unchanged; a Standard Schema may transform it.
 */
export function createReader(
  schema: JsonSchema | StandardSchema,
  validator: SchemaValidator,
): ValueReader {
  if (isStandardSchema(schema)) return standardReader(schema);
  let check: SchemaCheck | undefined;
  return (value) => {
    check ??= validator.compiled(schema);
    return check === undefined
      ? validator.compile(schema).then((compiled) => toReading(value, compiled(value)))
      : toReading(value, check(value));
  };
}

function toReading(value: unknown, problems: readonly string[]): Reading {
  return problems.length === 0 ? { value } : { problems };
}

function standardReader({ '~standard': { validate } }: StandardSchema): ValueReader {
  return (value) => {
    const result = validate(value);
    return result instanceof Promise ? result.then(fromStandard) : fromStandard(result);
  };
}

function fromStandard(result: StandardResult<unknown>): Reading {
  return result.issues === undefined
    ? result
    : { problems: result.issues.slice(0, MAX_PROBLEMS).map(describe) };
}

function describe({ path = [], message }: StandardIssue): string {
  const sentence = shorten(message.endsWith('.') ? message : `${message}.`);
  return path.length === 0 ? sentence : `"${shorten(textOf(path))}": ${sentence}`;
}

function textOf(path: NonNullable<StandardIssue['path']>): string {
  return path
    .map((step) => (typeof step === 'object' ? step.key : step))
    .reduce<string>(
      (text, key) =>
        typeof key === 'number'
          ? `${text}[${String(key)}]`
          : text === ''
            ? String(key)
            : `${text}.${String(key)}`,
      '',
    );
}

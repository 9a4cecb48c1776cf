import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';
import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describeArgumentErrors, schemaProblems } from './argument-errors.ts';
import type { SchemaJob, SchemaReply } from './schema-job.ts';

interface CompiledSchema {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null;
}

interface Validators {
  /** Stops at the first problem. */
  readonly first: CompiledSchema;
  /** Finds every problem; of a long value there may be more than memory holds. */
  readonly all: () => CompiledSchema;
}

/** Schemas that are remembered. */
const MAX_COMPILED = 100;
/** Longer schemas and values are told the first problem only. */
const MAX_ALL_PROBLEMS_LENGTH = 32 * 1024;
const compiled = new Map<string, Validators>();

/** Evaluates a schema with the validator library, in whatever time that takes: to be called where it can be ended. */
export function evaluateJob(job: SchemaJob): SchemaReply {
  let validators: Validators;
  try {
    validators = validatorsOf(job.schema);
  } catch (error) {
    return { unusable: `does not compile: ${messageOf(error)}` };
  }
  try {
    return { problems: problemsOf(job, validators) };
  } catch (error) {
    return { unusable: `cannot be evaluated: ${messageOf(error)}` };
  }
}

function problemsOf(job: SchemaJob, { first, all }: Validators): readonly string[] {
  if (job.kind === 'compile') {
    // A schema that refers to itself without end compiles and fails when it is used.
    first({});
    return [];
  }
  const value: unknown = JSON.parse(job.value);
  if (first(value)) return [];
  // The arguments of a call are an object.
  if (job.kind === 'arguments')
    return [describeArgumentErrors(first.errors ?? [], value as JsonObject)];
  if (job.schema.length + job.value.length > MAX_ALL_PROBLEMS_LENGTH)
    return schemaProblems(first.errors ?? [], job.root);
  const validate = all();
  validate(value);
  return schemaProblems(validate.errors ?? [], job.root);
}

function validatorsOf(text: string): Validators {
  const known = compiled.get(text) ?? compileText(text);
  compiled.delete(text);
  compiled.set(text, known);
  const [oldest] = compiled.keys();
  if (compiled.size > MAX_COMPILED && oldest !== undefined) compiled.delete(oldest);
  return known;
}

function compileText(text: string): Validators {
  // The schema of a tool or of an answer, whose type was checked.
  const schema = JSON.parse(text) as JsonSchema;
  let all: CompiledSchema | undefined;
  return { first: compile(schema, false), all: () => (all ??= compile(schema, true)) };
}

function compile(schema: JsonSchema, allErrors: boolean): CompiledSchema {
  // `$async` would make the validator return a promise, which is always truthy.
  const { $schema: dialect, $async: _, ...rest } = schema;
  // One instance for each: schemas of different tools may carry the same $id.
  const ajv =
    typeof dialect === 'string' && /draft-0[3-7]/.test(dialect)
      ? new Ajv({ ...OPTIONS, allErrors })
      : new Ajv2020({ ...OPTIONS, allErrors });
  return ajv.compile(rest);
}

const OPTIONS = {
  strict: false,
  verbose: true,
  validateSchema: false,
  // An annotation, in every dialect: https://json-schema.org/draft/2020-12/json-schema-validation#section-7.2.1
  validateFormats: false,
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

import type { JsonSchema } from '@signalbox/mcp-core';
import { compileSchema, type CompiledSchema } from '@signalbox/mcp-core/schema';
import { describeArgumentErrors, schemaProblems } from './argument-errors.ts';
import { messageOf } from '../text/error-text.ts';
import type { SchemaJob, SchemaReply } from './schema-job.ts';

/** Maximum number of compiled schemas that are kept. */
const MAX_COMPILED = 100;
/** Only the first problem is reported for a schema and value that are longer together. */
const MAX_ALL_PROBLEMS_LENGTH = 32 * 1024;
const MAX_ERROR_LENGTH = 300;
const compiled = new Map<string, CompiledSchema>();

/** Compiles and evaluates a schema without a time limit. To be called in a thread that can be terminated. */
export async function evaluateJob(job: SchemaJob): Promise<SchemaReply> {
  let schema: CompiledSchema;
  try {
    schema = await compiledSchema(job.schema);
  } catch (error) {
    return { unusable: `does not compile: ${reasonOf(error)}` };
  }
  try {
    return { problems: problemsOf(job, schema) };
  } catch (error) {
    return { unusable: `cannot be evaluated: ${reasonOf(error)}` };
  }
}

function problemsOf(job: SchemaJob, { validate, validateAll }: CompiledSchema): readonly string[] {
  if (job.kind === 'compile') {
    // A schema with an endless reference to itself compiles and fails when it is used.
    validate({});
    return [];
  }
  const value: unknown = JSON.parse(job.value);
  if (validate(value)) return [];
  if (job.kind === 'arguments') return [describeArgumentErrors(validate.errors ?? [], value)];
  if (job.schema.length + job.value.length > MAX_ALL_PROBLEMS_LENGTH)
    return schemaProblems(validate.errors ?? [], job.root);
  const all = validateAll();
  all(value);
  return schemaProblems(all.errors ?? [], job.root);
}

async function compiledSchema(text: string): Promise<CompiledSchema> {
  const known =
    compiled.get(text) ??
    (await compileSchema(inSupportedDialect(JSON.parse(text) as JsonSchema), { verbose: true }));
  compiled.delete(text);
  compiled.set(text, known);
  const [oldest] = compiled.keys();
  if (compiled.size > MAX_COMPILED && oldest !== undefined) compiled.delete(oldest);
  return known;
}

/** Reads draft-03 to draft-06 as draft-07 and unknown dialects as 2020-12, and drops `$async`, which is in no dialect. */
function inSupportedDialect(schema: JsonSchema): JsonSchema {
  const { $schema, $async: _, ...rest } = schema;
  return typeof $schema === 'string' && /draft-0[3-7]/.test($schema)
    ? { $schema: 'http://json-schema.org/draft-07/schema#', ...rest }
    : rest;
}

function reasonOf(error: unknown): string {
  return messageOf(error).slice(0, MAX_ERROR_LENGTH);
}

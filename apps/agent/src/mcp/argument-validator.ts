import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';
import { SchemaError, type SchemaChecks } from './schema-checks.ts';

/**
 * The text for the model when the arguments do not fit the schema; undefined when they do. At once for ordinary arguments. Throws, or rejects with,
 * UnusableSchemaError when the schema cannot be evaluated.
 */
export type ArgumentValidator = (
  args: JsonObject,
) => string | undefined | Promise<string | undefined>;

/** A tool's schema cannot be used; the message says why. */
export class UnusableSchemaError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UnusableSchemaError';
  }
}

export interface CompiledArguments {
  readonly validate: ArgumentValidator;
  /** What compiling cost, in milliseconds of the thread that does it. */
  readonly ms: number;
}

/**
 * Makes the validator of a schema that a server wrote, under the limits of `SchemaChecks`.
 * @throws UnusableSchemaError
 */
export async function compileArgumentValidator(
  server: string,
  schema: JsonSchema,
  checks: SchemaChecks,
): Promise<CompiledArguments> {
  if (schema['type'] !== undefined && schema['type'] !== 'object')
    throw new UnusableSchemaError('its input schema does not describe an object');
  try {
    const ms = await checks.assertUsable(server, schema);
    return { ms, validate: (args) => validate(args, { server, schema, checks }) };
  } catch (error) {
    throw unusable(error);
  }
}

interface Validation {
  readonly server: string;
  readonly schema: JsonSchema;
  readonly checks: SchemaChecks;
}

function validate(
  args: JsonObject,
  { server, schema, checks }: Validation,
): string | undefined | Promise<string | undefined> {
  const problem = checks.argumentProblem(server, schema, args);
  if (!(problem instanceof Promise)) return problem;
  return problem.catch((error: unknown) => {
    throw unusable(error);
  });
}

function unusable(error: unknown): unknown {
  return error instanceof SchemaError
    ? new UnusableSchemaError(`its input schema ${error.message}`, { cause: error })
    : error;
}

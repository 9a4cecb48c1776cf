import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';
import { SchemaError, type SchemaChecks } from './schema-checks.ts';

/**
 * Returns the error text for the model, or undefined for valid arguments. Synchronous for ordinary
 * arguments. Throws, or rejects with, UnusableSchemaError when the schema cannot be evaluated.
 */
export type ArgumentValidator = (
  args: JsonObject,
) => string | undefined | Promise<string | undefined>;

/** Thrown for a tool's schema that cannot be used. */
export class UnusableSchemaError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UnusableSchemaError';
  }
}

export interface CompiledArguments {
  readonly validate: ArgumentValidator;
  /** Milliseconds the worker thread took to compile the schema. */
  readonly ms: number;
}

/** Creates the validator of a server's schema within the limits of `SchemaChecks`. @throws UnusableSchemaError */
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

import type { JsonSchema } from '../protocol/tools.ts';

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * A schema of a validation library, with its JSON Schema: zod from 4.2, arktype from 2.1.28, valibot through `toStandardJsonSchema`, and others. Schemas
 * whose library has no JSON Schema fit the type, because the types of some libraries do not tell, and are refused when a server is created.
 * @see https://standardschema.dev/json-schema
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Never set; carries the types. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => JsonSchema;
      readonly output: (options: { readonly target: 'draft-2020-12' }) => JsonSchema;
    };
  };
}

/** What the schema takes. */
export type InputOf<Schema extends StandardSchema> = NonNullable<
  Schema['~standard']['types']
>['input'];
/** What the schema makes of it: parsed, transformed, with defaults. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<
  Schema['~standard']['types']
>['output'];

export function isStandardSchema(schema: JsonSchema | StandardSchema): schema is StandardSchema {
  return '~standard' in schema;
}

/** The JSON Schema of what the schema takes (`input`) or makes (`output`). @throws Error when its library cannot say it. */
export function toJsonSchema(schema: StandardSchema, side: 'input' | 'output'): JsonSchema {
  const { vendor, jsonSchema } = schema['~standard'];
  if (jsonSchema === undefined) {
    throw new Error(
      `This ${vendor} schema has no JSON Schema (~standard.jsonSchema): use a version of ${vendor} that has it, wrap the schema with the library's converter, or write JSON Schema`,
    );
  }
  return jsonSchema[side]({ target: 'draft-2020-12' });
}

import type { FromSchema } from '../protocol/json-schema.ts';
import type { JsonSchema } from '../protocol/tools.ts';

/** The result of a validation by a Standard Schema. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** A problem that a Standard Schema found in a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * A schema of a validation library that can be converted to JSON Schema: zod from 4.2, arktype from
 * 2.1.28, valibot through `toStandardJsonSchema`, and others. Libraries without JSON Schema may
 * match the type; their schemas are rejected when a server is created.
 * @see https://standardschema.dev/json-schema
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    /** Validates a value. Returns the parsed value, or the issues. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Never set; carries the types. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      /** Returns the JSON Schema of the values that `validate` accepts. */
      readonly input: (options: { readonly target: 'draft-2020-12' }) => JsonSchema;
      /** Returns the JSON Schema of the values that `validate` returns. */
      readonly output: (options: { readonly target: 'draft-2020-12' }) => JsonSchema;
    };
  };
}

/** Input type of a schema. */
export type InputOf<Schema extends StandardSchema> = NonNullable<
  Schema['~standard']['types']
>['input'];
/** Output type of a schema: parsed, transformed, with defaults. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<
  Schema['~standard']['types']
>['output'];

/** The type of the values that a schema produces. */
export type SchemaOutput<Schema extends JsonSchema | StandardSchema> = Schema extends StandardSchema
  ? OutputOf<Schema>
  : FromSchema<Schema>;

export function isStandardSchema(schema: JsonSchema | StandardSchema): schema is StandardSchema {
  return '~standard' in schema;
}

/**
 * Converts the input or output side of a schema to JSON Schema.
 * @throws Error when the library cannot.
 */
export function toJsonSchema(schema: StandardSchema, side: 'input' | 'output'): JsonSchema {
  const { vendor, jsonSchema } = schema['~standard'];
  if (jsonSchema === undefined) {
    throw new Error(
      `This ${vendor} schema has no JSON Schema (~standard.jsonSchema): use a version of ${vendor} that has it, wrap the schema with the library's converter, or write JSON Schema`,
    );
  }
  return jsonSchema[side]({ target: 'draft-2020-12' });
}

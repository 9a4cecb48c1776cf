import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../protocol/tools.ts';
import { dialectOf, type Dialect } from './dialect.ts';

const OPTIONS: Options = {
  strict: false,
  // Otherwise inherited members, such as `constructor`, count as properties.
  ownProperties: true,
  // Compiling checks every keyword as well; the meta-schema would cost the first call 30 ms.
  validateSchema: false,
  // Otherwise a large schema is copied to each of its references.
  inlineRefs: false,
  logger: false,
  code: { regExp: Object.assign(lenientRegExp, { code: 'new RegExp' }) },
};

type Library = new (options: Options) => Ajv | Ajv2020;

/** Imports the default export, the only name that bundlers keep for split modules. */
const LIBRARIES: { readonly [dialect in Dialect]: () => Promise<Library> } = {
  '2020-12': async () => (await import('ajv/dist/2020.js')).default.Ajv2020,
  'draft-07': async () => (await import('ajv')).default.Ajv,
};

/** A violation of a schema, as the validator library describes it. */
export type SchemaViolation = ErrorObject;

/** Options of `compileSchema`. */
export interface CompileOptions {
  /** Whether `format` is asserted. Default: false, an annotation. */
  readonly assertsFormats?: boolean | undefined;
  /** Whether a violation holds the violated schema and the value. Default: false. */
  readonly verbose?: boolean | undefined;
}

/** The validators of one schema. */
export interface CompiledSchema {
  /** Stops at the first problem. */
  readonly validate: ValidateFunction;
  /**
   * Reports all problems; for a long value they may exceed the memory. Compiled on first use.
   * @throws Error as `compileSchema`.
   */
  readonly validateAll: () => ValidateFunction;
}

/**
 * Compiles a schema with the validator library, which is loaded by the first schema. Each schema
 * has its own library instance, so schemas cannot refer to each other. `format` is asserted, or an
 * annotation.
 * @throws Error when the schema is invalid, has an unresolved reference, or declares a dialect
 * other than 2020-12 and draft-07.
 */
export async function compileSchema(
  source: JsonSchema,
  { assertsFormats = false, verbose = false }: CompileOptions = {},
): Promise<CompiledSchema> {
  const { $schema: _, ...schema } = source;
  // The validator of an asynchronous schema returns a promise, which would count as success.
  if (schema.$async !== undefined)
    throw new Error('The schema has the keyword $async, which no dialect has');
  const [Validator, addFormats] = await Promise.all([
    LIBRARIES[dialectOf(source)](),
    assertsFormats ? loadFormats() : undefined,
  ]);
  const compile = (options: Options): ValidateFunction => {
    const library = new Validator({
      ...OPTIONS,
      ...options,
      verbose,
      validateFormats: assertsFormats,
    });
    return (addFormats?.(library) ?? library).compile(schema);
  };
  const compileWith = (meta: boolean): CompiledSchema => {
    let all: ValidateFunction | undefined;
    return {
      validate: compile({ meta }),
      validateAll: () => (all ??= compile({ meta, allErrors: true })),
    };
  };
  try {
    return compileWith(false);
  } catch (error) {
    if (missingReference(error)?.startsWith('https://json-schema.org/') === true)
      return compileWith(true);
    throw explain(error);
  }
}

async function loadFormats(): Promise<(library: Ajv | Ajv2020) => Ajv | Ajv2020> {
  const { default: formats } = await import('ajv-formats');
  return (library) => formats.default(library);
}

/**
 * Compiles a pattern in Unicode mode as JSON Schema requires, or without when it is only valid so.
 */
function lenientRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

function explain(error: unknown): unknown {
  const reference = missingReference(error);
  return reference === undefined
    ? error
    : new Error(
        `The schema refers to ${reference}, which is not in it; nothing is fetched for a schema`,
        { cause: error },
      );
}

function missingReference(error: unknown): string | undefined {
  return error instanceof Error && 'missingRef' in error ? String(error.missingRef) : undefined;
}

import type { Ajv } from 'ajv';
import type { Ajv2020, Options, ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../protocol/tools.ts';

/** A part of ajv that every dialect has. */
export type DialectLibrary = Pick<Ajv2020, 'compile' | 'removeSchema'>;

/** A library keeps the code of what it compiled, also of what was removed; after this many schemas a new one takes over. */
const MAX_COMPILED = 500;

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  addUsedSchema: false,
  // Compiling checks every keyword as well; the meta-schema would cost the first call 30 ms.
  validateSchema: false,
  // A large schema would be copied to each of its references.
  inlineRefs: false,
  logger: false,
  code: { regExp: Object.assign(lenientRegExp, { code: 'new RegExp' }) },
};

/** By `$schema`, without its fragment and protocol. */
const DIALECTS: { readonly [dialect: string]: (options: Options) => Promise<DialectLibrary> } = {
  '//json-schema.org/draft/2020-12/schema': async (options) => withFormats(new (await import('ajv/dist/2020.js')).Ajv2020(options)),
  '//json-schema.org/draft-07/schema': async (options) => withFormats(new (await import('ajv')).Ajv(options)),
};
const DEFAULT_DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Compiles with the validator library, which the first schema of a dialect loads. */
export class SchemaLibrary {
  readonly #libraries = new Map<string, { readonly library: Promise<DialectLibrary>; compiled: number }>();

  /** @throws Error when the schema is invalid, refers to what is not in it, or is of another dialect than 2020-12 and draft-07. */
  async compile({ $schema = DEFAULT_DIALECT, ...schema }: JsonSchema): Promise<ValidateFunction> {
    // A validator of an asynchronous schema returns a promise, which passes for success.
    if (schema.$async !== undefined) throw new Error('The schema has the keyword $async, which no dialect has');
    const library = await this.#library($schema);
    try {
      return library.compile(schema);
    } catch (error) {
      throw error instanceof Error && 'missingRef' in error ? unresolved(String(error.missingRef), error) : error;
    } finally {
      library.removeSchema(schema);
    }
  }

  #library($schema: unknown): Promise<DialectLibrary> {
    const dialect = String($schema).replace(/^https?:/u, '').replace(/#$/u, '');
    const load = Object.hasOwn(DIALECTS, dialect) ? DIALECTS[dialect] : undefined;
    if (load === undefined) throw new Error(`Schemas of the dialect ${JSON.stringify($schema)} are not supported; use 2020-12 (${DEFAULT_DIALECT}) or draft-07`);
    const known = this.#libraries.get(dialect);
    const current = known === undefined || known.compiled >= MAX_COMPILED ? { library: load(OPTIONS), compiled: 0 } : known;
    current.compiled += 1;
    this.#libraries.set(dialect, current);
    return current.library;
  }
}

async function withFormats<Library extends Ajv2020 | Ajv>(library: Library): Promise<Library> {
  const { default: formats } = await import('ajv-formats');
  formats.default(library);
  return library;
}

/** JSON Schema asks for Unicode patterns, but many are only valid without. */
function lenientRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

function unresolved(reference: string, cause: Error): Error {
  return new Error(`The schema refers to ${reference}, which is not in it; nothing is fetched for a schema`, { cause });
}

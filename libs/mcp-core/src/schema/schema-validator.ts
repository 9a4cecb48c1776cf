import type { ErrorObject } from 'ajv';
import { nodeCrypto } from '../jsonrpc/node-crypto.ts';
import type { JsonSchema } from '../protocol/tools.ts';
import { shorten } from '../protocol/errors.ts';
import { compileSchema, type CompiledSchema } from './compile-schema.ts';
import { boundedSchemaText } from './schema-limits.ts';

/** Lists the problems of a value, one sentence each; empty when it conforms. */
export type SchemaCheck = (value: unknown) => readonly string[];

const MAX_PROBLEMS = 10;
/**
 * Members and entries of a value up to which all its problems are reported; for a larger value only
 * the first is.
 */
const MAX_PARTS = 1000;
/** Default number of compiled schemas that are cached for equal schemas. */
const MAX_EQUAL = 500;
const NO_PROBLEMS: readonly string[] = [];

export interface SchemaValidatorOptions {
  /** Whether `format` is asserted instead of an annotation. Default: true. */
  readonly assertsFormats?: boolean;
  /** Number of compiled schemas cached for equal schemas. Default: 500. */
  readonly maxSchemas?: number;
}

/**
 * Validates against JSON Schema 2020-12, or draft-07 when `$schema` declares it. Loads the
 * validator library on first use. Compiles each schema object once, and caches the most recently
 * used schemas for equal ones. Never resolves network `$ref`s. Bounds the depth, parts and length
 * of schemas.
 */
export class SchemaValidator {
  readonly #assertsFormats: boolean;
  readonly #maxSchemas: number;
  readonly #ready = new WeakMap<JsonSchema, SchemaCheck>();
  readonly #compiling = new WeakMap<JsonSchema, Promise<SchemaCheck>>();
  readonly #equal = new Map<string, Promise<SchemaCheck>>();

  constructor({ assertsFormats = true, maxSchemas = MAX_EQUAL }: SchemaValidatorOptions = {}) {
    this.#assertsFormats = assertsFormats;
    this.#maxSchemas = maxSchemas;
  }

  /** Returns the check of a schema that is already compiled. */
  compiled(schema: JsonSchema): SchemaCheck | undefined {
    return this.#ready.get(schema);
  }

  /**
   * Compiles a schema. Rejects with an Error when it is invalid, out of bounds or of another
   * dialect.
   */
  compile(schema: JsonSchema): Promise<SchemaCheck> {
    const known = this.#compiling.get(schema);
    if (known !== undefined) return known;
    const check = this.#compile(schema);
    this.#compiling.set(schema, check);
    return check;
  }

  async #compile(schema: JsonSchema): Promise<SchemaCheck> {
    const digest = nodeCrypto()
      .createHash('sha256')
      .update(boundedSchemaText(schema))
      .digest('base64');
    const equal =
      this.#equal.get(digest) ??
      compileSchema(schema, { assertsFormats: this.#assertsFormats }).then(toCheck);
    this.#equal.delete(digest);
    this.#equal.set(digest, equal);
    const [oldest] = this.#equal.keys();
    if (this.#equal.size > this.#maxSchemas && oldest !== undefined) this.#equal.delete(oldest);
    const check = await equal;
    this.#ready.set(schema, check);
    return check;
  }
}

function toCheck({ validate, validateAll }: CompiledSchema): SchemaCheck {
  return (value) => {
    if (validate(value)) return NO_PROBLEMS;
    if (isLong(value)) return (validate.errors ?? []).map(describe);
    const all = validateAll();
    all(value);
    return (all.errors ?? []).slice(0, MAX_PROBLEMS).map(describe);
  };
}

/** Whether the value has too many parts for reporting all its problems. */
function isLong(value: unknown): boolean {
  const queue = [value];
  for (const part of queue) {
    if (typeof part !== 'object' || part === null) continue;
    const parts = Object.values(part);
    if (queue.length + parts.length > MAX_PARTS) return true;
    queue.push(...(parts as unknown[]));
  }
  return false;
}

function describe(error: ErrorObject): string {
  const { keyword, instancePath, params } = error as ErrorObject & {
    readonly params: { readonly [name: string]: unknown };
  };
  const field = shorten(fieldName(instancePath));
  const within = field === '' ? '' : ` in "${field}"`;
  const subject = field === '' ? 'The value' : `"${field}"`;
  switch (keyword) {
    case 'required':
      return `"${shorten(String(params.missingProperty))}" is required${within}. Add it.`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `"${shorten(String(params.additionalProperty ?? params.unevaluatedProperty))}" is not known${within}. Remove it.`;
    case 'type':
      return `${subject} must be of type ${[params.type].flat().join(' or ')}.`;
    case 'enum':
      return `${subject} must be one of ${(params.allowedValues as readonly unknown[]).map((value) => JSON.stringify(value)).join(', ')}.`;
    case 'const':
      return `${subject} must be ${JSON.stringify(params.allowedValue)}.`;
    default:
      return `${subject} ${error.message ?? 'is invalid'}.`;
  }
}

/** Converts `/edits/0/old~1text` to `edits[0].old/text`. */
function fieldName(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (path, part) =>
        /^\d+$/u.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`,
      '',
    );
}

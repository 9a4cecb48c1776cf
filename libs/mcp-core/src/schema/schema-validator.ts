import type { ErrorObject } from 'ajv';
import { nodeCrypto } from '../jsonrpc/node-crypto.ts';
import type { JsonSchema } from '../protocol/tools.ts';
import { shorten } from '../protocol/errors.ts';
import { compileSchema, type CompiledSchema } from './compile-schema.ts';
import { boundedSchemaText } from './schema-limits.ts';

/** What is wrong with a value, one sentence each; empty when it conforms. */
export type SchemaCheck = (value: unknown) => readonly string[];

const MAX_PROBLEMS = 10;
/** Members and entries of a value whose problems are all looked for; a longer one is told the first. */
const MAX_PARTS = 1000;
/** Default number of checks that are kept for schemas equal to theirs. */
const MAX_EQUAL = 500;
const NO_PROBLEMS: readonly string[] = [];

export interface SchemaValidatorOptions {
  /** Whether `format` is asserted; default true. Else it is an annotation. */
  readonly assertsFormats?: boolean;
  /** Compiled schemas that are remembered for equal ones; default 500. */
  readonly maxSchemas?: number;
}

/**
 * Validates against JSON Schema 2020-12, or draft-07 where `$schema` says so. The validator library is loaded by the first use. A schema object is compiled
 * once, and so are equal ones, of which those used last are remembered. Network `$ref`s are never followed. Schemas are bounded in depth, parts and length.
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

  /** The check of a schema that was compiled before, without waiting. */
  compiled(schema: JsonSchema): SchemaCheck | undefined {
    return this.#ready.get(schema);
  }

  /** Rejects with an Error when the schema is invalid, out of bounds or of another dialect. */
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
      this.#equal.get(digest) ?? compileSchema(schema, this.#assertsFormats).then(toCheck);
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

/** Whether the value has so many parts that its problems are not all looked for. */
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
  const place = shorten(fieldName(instancePath));
  const within = place === '' ? '' : ` in "${place}"`;
  const subject = place === '' ? 'The value' : `"${place}"`;
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

/** `/edits/0/old~1text` reads `edits[0].old/text`. */
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

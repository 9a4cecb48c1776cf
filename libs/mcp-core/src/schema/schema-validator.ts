import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../protocol/tools.ts';
import { shorten } from '../protocol/shorten.ts';

/** What is wrong with a value, one sentence each; empty when it conforms. */
export type SchemaCheck = (value: unknown) => readonly string[];

const MAX_PROBLEMS = 10;

/**
 * Validates against JSON Schema 2020-12, formats included. The validator library is loaded by the first use, and each schema object is compiled once.
 * Network `$ref`s are never followed.
 */
export class SchemaValidator {
  readonly #checks = new WeakMap<JsonSchema, Promise<SchemaCheck>>();
  #library: Promise<Ajv2020> | undefined;

  /** @throws Error when the schema itself is invalid or of another dialect. */
  compile(schema: JsonSchema): Promise<SchemaCheck> {
    const check = this.#checks.get(schema) ?? this.#compile(schema);
    this.#checks.set(schema, check);
    return check;
  }

  async #compile(schema: JsonSchema): Promise<SchemaCheck> {
    this.#library ??= loadLibrary();
    const validate: ValidateFunction = (await this.#library).compile(schema);
    return (value) => {
      if (validate(value)) return [];
      return (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(describe);
    };
  }
}

async function loadLibrary(): Promise<Ajv2020> {
  const [{ Ajv2020: Validator }, { default: formats }] = await Promise.all([import('ajv/dist/2020.js'), import('ajv-formats')]);
  const validator = new Validator({ strict: false, allErrors: true, addUsedSchema: false, logger: false });
  formats.default(validator);
  return validator;
}

function describe(error: ErrorObject): string {
  const { keyword, instancePath, params } = error as ErrorObject & { readonly params: { readonly [name: string]: unknown } };
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
    .reduce((path, part) => (/^\d+$/u.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '');
}

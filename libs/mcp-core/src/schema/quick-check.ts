import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { JsonSchema } from '../protocol/tools.ts';
import { shorten } from '../protocol/errors.ts';
import {
  checkCount,
  checkRange,
  checkRequired,
  checkType,
  countCodePoints,
  isScalar,
} from './quick-keywords.ts';
import { type QuickVerdict, unless, within } from './quick-verdict.ts';

/**
 * Keywords that are left to a validator library. All other unknown keywords are annotations,
 * including `format`.
 */
const OPEN_KEYWORDS: ReadonlySet<string> = new Set([
  'pattern',
  'patternProperties',
  'propertyNames',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
  'additionalItems',
  'contains',
  'multipleOf',
  'nullable',
  'discriminator',
  'if',
  '$id',
  'id',
  '$async',
  '$anchor',
  '$dynamicRef',
  '$recursiveRef',
]);
const DEFAULT_MAX_STEPS = 20_000;
const MAX_DEPTH = 200;

/**
 * Checks a value against a schema of 2020-12 or draft-07 without compiling it. Takes one step per
 * keyword and per visited part of the value, at most `maxSteps` (default: 20,000, about a
 * millisecond), whatever the schema is.
 */
export function quickCheck(
  schema: JsonSchema,
  value: unknown,
  maxSteps = DEFAULT_MAX_STEPS,
): QuickVerdict {
  return new QuickCheck(schema, maxSteps).check(schema, value, 0);
}

class QuickCheck {
  readonly #root: JsonSchema;
  #stepsLeft: number;

  constructor(root: JsonSchema, maxSteps: number) {
    this.#root = root;
    this.#stepsLeft = maxSteps;
  }

  check(schema: unknown, value: unknown, depth: number): QuickVerdict {
    if (schema === true) return 'fits';
    if (schema === false) return { path: [], text: 'must be absent' };
    if (!isJsonObject(schema)) return 'keyword';
    if (depth > MAX_DEPTH) return 'long';
    let open: 'keyword' | 'long' | undefined;
    for (const keyword in schema) {
      this.#stepsLeft -= 1;
      if (this.#stepsLeft < 0) return 'long';
      const verdict = this.#checkKeyword(keyword, { schema, value, depth });
      if (typeof verdict === 'object') return verdict;
      if (verdict === 'long') return verdict;
      if (verdict === 'keyword') open = verdict;
    }
    return open ?? 'fits';
  }

  #checkKeyword(keyword: string, position: Position): QuickVerdict {
    const { schema, value, depth } = position;
    const operand = schema[keyword];
    switch (keyword) {
      case 'type':
        return checkType(operand, value);
      case 'enum':
        return this.#checkEnum(operand, value);
      case 'const':
        return isScalar(value) || isScalar(operand)
          ? unless(operand === value, () => `must be ${JSON.stringify(operand)}`)
          : 'keyword';
      case 'minLength':
      case 'maxLength':
        return typeof value === 'string' ? this.#checkLength(keyword, operand, value) : 'fits';
      case 'minimum':
      case 'maximum':
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        return typeof value === 'number' ? checkRange(keyword, operand, value) : 'fits';
      case 'properties':
        return isJsonObject(value) ? this.#checkProperties(operand, value, depth) : 'fits';
      case 'required':
        return isJsonObject(value) ? checkRequired(operand, value) : 'fits';
      case 'additionalProperties':
        return isJsonObject(value) ? this.#checkAdditional(schema, value, depth) : 'fits';
      case 'minProperties':
      case 'maxProperties':
        return isJsonObject(value)
          ? checkCount(keyword, operand, Object.keys(value).length)
          : 'fits';
      case 'items':
        return Array.isArray(value) ? this.#checkItems(schema, value, depth) : 'fits';
      case 'prefixItems':
        return Array.isArray(value) ? this.#checkPrefix(operand, value, depth) : 'fits';
      case 'minItems':
      case 'maxItems':
        return Array.isArray(value) ? checkCount(keyword, operand, value.length) : 'fits';
      case 'uniqueItems':
        return operand === true && Array.isArray(value) && value.length > 1
          ? this.#checkUnique(value)
          : 'fits';
      case '$ref':
        return this.#checkReference(operand, value, depth);
      case 'allOf':
        return Array.isArray(operand) ? this.#checkAll(operand, value, depth) : 'keyword';
      case 'anyOf':
        return Array.isArray(operand) ? this.#checkAny(operand, value, depth) : 'keyword';
      case 'oneOf':
        return Array.isArray(operand) ? this.#checkOne(operand, value, depth) : 'keyword';
      case 'not':
        return this.#checkNot(operand, value, depth);
      default:
        // The root's own `$id` does not affect references within the schema.
        return OPEN_KEYWORDS.has(keyword) && !(depth === 0 && keyword === '$id')
          ? 'keyword'
          : 'fits';
    }
  }

  #checkEnum(operand: unknown, value: unknown): QuickVerdict {
    if (!Array.isArray(operand) || !isScalar(value)) return 'keyword';
    this.#stepsLeft -= operand.length;
    return unless(
      operand.includes(value),
      () =>
        `must be one of ${shorten(
          operand
            .slice(0, 20)
            .map((each) => JSON.stringify(each))
            .join(', '),
        )}`,
    );
  }

  /** Checks a length in code points. */
  #checkLength(keyword: 'minLength' | 'maxLength', operand: unknown, value: string): QuickVerdict {
    if (typeof operand !== 'number') return 'keyword';
    const isMinimum = keyword === 'minLength';
    // A code point has one code unit or two.
    const isClear = isMinimum
      ? value.length < operand || value.length >= 2 * operand
      : value.length <= operand || value.length > 2 * operand;
    if (!isClear) this.#stepsLeft -= value.length / 16;
    const length = isClear ? value.length : countCodePoints(value);
    return unless(
      isMinimum ? length >= operand : length <= operand,
      () => `must have at ${isMinimum ? 'least' : 'most'} ${String(operand)} characters`,
    );
  }

  #checkProperties(operand: unknown, value: JsonObject, depth: number): QuickVerdict {
    if (!isJsonObject(operand)) return 'keyword';
    let open: QuickVerdict = 'fits';
    for (const name in operand) {
      if (!Object.hasOwn(value, name)) continue;
      const verdict = within(name, this.check(operand[name], value[name], depth + 1));
      if (typeof verdict === 'object' || verdict === 'long') return verdict;
      if (verdict === 'keyword') open = verdict;
    }
    return open;
  }

  #checkAdditional(
    { properties, patternProperties, additionalProperties }: JsonObject,
    value: JsonObject,
    depth: number,
  ): QuickVerdict {
    if (additionalProperties === true) return 'fits';
    if (patternProperties !== undefined) return 'keyword';
    const known = isJsonObject(properties) ? properties : {};
    let open: QuickVerdict = 'fits';
    for (const name of Object.keys(value)) {
      this.#stepsLeft -= 1;
      if (Object.hasOwn(known, name)) continue;
      if (additionalProperties === false)
        return { path: [], text: `must not have "${shorten(name)}", which is not known` };
      const verdict = within(name, this.check(additionalProperties, value[name], depth + 1));
      if (typeof verdict === 'object' || verdict === 'long') return verdict;
      if (verdict === 'keyword') open = verdict;
    }
    return open;
  }

  #checkItems(
    { items, prefixItems }: JsonObject,
    value: readonly unknown[],
    depth: number,
  ): QuickVerdict {
    // A list of schemas is draft-07 syntax.
    if (Array.isArray(items)) return 'keyword';
    return this.#checkEach(value, Array.isArray(prefixItems) ? prefixItems.length : 0, (item) =>
      this.check(items, item, depth + 1),
    );
  }

  #checkPrefix(operand: unknown, value: readonly unknown[], depth: number): QuickVerdict {
    if (!Array.isArray(operand)) return 'keyword';
    return this.#checkEach(value.slice(0, operand.length), 0, (item, index) =>
      this.check(operand[index], item, depth + 1),
    );
  }

  #checkEach(
    value: readonly unknown[],
    start: number,
    check: (item: unknown, index: number) => QuickVerdict,
  ): QuickVerdict {
    let open: QuickVerdict = 'fits';
    for (let index = start; index < value.length; index += 1) {
      this.#stepsLeft -= 1;
      if (this.#stepsLeft < 0) return 'long';
      const verdict = within(index, check(value[index], index));
      if (typeof verdict === 'object' || verdict === 'long') return verdict;
      if (verdict === 'keyword') open = verdict;
    }
    return open;
  }

  #checkUnique(value: readonly unknown[]): QuickVerdict {
    this.#stepsLeft -= value.length;
    if (!value.every(isScalar)) return 'keyword';
    return unless(new Set(value).size === value.length, () => 'must not have the same entry twice');
  }

  #checkReference(reference: unknown, value: unknown, depth: number): QuickVerdict {
    const target =
      typeof reference === 'string' ? resolvePointer(this.#root, reference) : undefined;
    return target === undefined ? 'keyword' : this.check(target, value, depth + 1);
  }

  #checkAll(schemas: readonly unknown[], value: unknown, depth: number): QuickVerdict {
    let open: QuickVerdict = 'fits';
    for (const schema of schemas) {
      const verdict = this.check(schema, value, depth + 1);
      if (typeof verdict === 'object' || verdict === 'long') return verdict;
      if (verdict === 'keyword') open = verdict;
    }
    return open;
  }

  #checkAny(schemas: readonly unknown[], value: unknown, depth: number): QuickVerdict {
    let isOpen = false;
    for (const schema of schemas) {
      const verdict = this.check(schema, value, depth + 1);
      if (verdict === 'fits' || verdict === 'long') return verdict;
      if (verdict === 'keyword') isOpen = true;
    }
    return isOpen ? 'keyword' : { path: [], text: 'must match a schema in anyOf' };
  }

  #checkOne(schemas: readonly unknown[], value: unknown, depth: number): QuickVerdict {
    let fitting = 0;
    for (const schema of schemas) {
      const verdict = this.check(schema, value, depth + 1);
      if (verdict === 'long' || verdict === 'keyword') return verdict;
      if (verdict === 'fits') fitting += 1;
    }
    return unless(fitting === 1, () => 'must match exactly one schema in oneOf');
  }

  #checkNot(operand: unknown, value: unknown, depth: number): QuickVerdict {
    const verdict = this.check(operand, value, depth + 1);
    if (typeof verdict === 'object') return 'fits';
    return verdict === 'fits' ? { path: [], text: 'must not match the schema in not' } : verdict;
  }
}

/** The subschema, value and depth of a check. */
interface Position {
  readonly schema: JsonObject;
  readonly value: unknown;
  readonly depth: number;
}

/** Returns the subschema that a local reference points to, or `undefined`. */
function resolvePointer(root: JsonSchema, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/') || reference.includes('%')) return undefined;
  let target: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name))
      return undefined;
    target = (target as JsonObject)[name];
    // A schema with its own identifier is another document.
    if (
      isJsonObject(target) &&
      (target.$id !== undefined || target.id !== undefined) &&
      name !== 'properties'
    )
      return undefined;
  }
  return target;
}

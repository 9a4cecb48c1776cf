import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import { shorten } from '../protocol/errors.ts';
import { type QuickVerdict, unless } from './quick-verdict.ts';

/** Checks `type`. */
export function checkType(operand: unknown, value: unknown): QuickVerdict {
  const types = Array.isArray(operand) ? (operand as readonly unknown[]) : [operand];
  if (!types.every((type) => typeof type === 'string' && TYPES.has(type))) return 'keyword';
  return unless(
    types.some((type) => isOfType(type, value)),
    () => `must be of type ${types.join(' or ')}`,
  );
}

const TYPES: ReadonlySet<string> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]);

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

const RANGES = {
  minimum: { symbol: '>=', holds: (value: number, bound: number) => value >= bound },
  maximum: { symbol: '<=', holds: (value: number, bound: number) => value <= bound },
  exclusiveMinimum: { symbol: '>', holds: (value: number, bound: number) => value > bound },
  exclusiveMaximum: { symbol: '<', holds: (value: number, bound: number) => value < bound },
} as const;

/** Checks a bound on a number. */
export function checkRange(
  keyword: keyof typeof RANGES,
  operand: unknown,
  value: number,
): QuickVerdict {
  if (typeof operand !== 'number') return 'keyword';
  const { symbol, holds } = RANGES[keyword];
  return unless(holds(value, operand), () => `must be ${symbol} ${String(operand)}`);
}

/** Checks a bound on the number of members or entries. */
export function checkCount(keyword: string, operand: unknown, count: number): QuickVerdict {
  if (typeof operand !== 'number') return 'keyword';
  const isMinimum = keyword.startsWith('min');
  return unless(
    isMinimum ? count >= operand : count <= operand,
    () =>
      `must have at ${isMinimum ? 'least' : 'most'} ${String(operand)} ${keyword.endsWith('Items') ? 'entries' : 'members'}`,
  );
}

/** Checks `required`. */
export function checkRequired(operand: unknown, value: JsonObject): QuickVerdict {
  if (!Array.isArray(operand)) return 'keyword';
  for (const name of operand as readonly unknown[]) {
    if (typeof name !== 'string') return 'keyword';
    if (!Object.hasOwn(value, name)) return { path: [], text: `must have "${shorten(name)}"` };
  }
  return 'fits';
}

/** Whether the value is neither an object nor a list. */
export function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** Returns the length of a text in code points. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const isPair =
      code >= 0xd800 && code <= 0xdbff && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
    if (isPair) index += 1;
    count += 1;
  }
  return count;
}

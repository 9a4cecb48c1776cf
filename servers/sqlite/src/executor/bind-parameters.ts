import type { Token } from '../guard/tokenize.ts';

/** The given parameters do not fit; the message says how to write them. */
export class ParameterError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ParameterError';
  }
}

type SqlValue = null | string | number | bigint | Uint8Array;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/**
 * The arguments for better-sqlite3's statement methods: an array fills `?` and `?1`, an object fills `:name`, `@name` and `$name`.
 * Whole numbers are bound as INTEGER, booleans as 0 and 1, `{"$blob": base64}` as BLOB, `{"$int64": digits}` as INTEGER.
 *
 * @throws ParameterError
 */
export function bindParameters(params: unknown, tokens: readonly Token[]): unknown[] {
  if (params === undefined) return [];
  if (Array.isArray(params)) return bindPositions(params, tokens);
  if (typeof params !== 'object' || params === null) throw new ParameterError('params must be an array or an object.');
  const named = Object.entries(params).map(([name, value]) => [name.replace(/^[:@$]/, ''), toSqlValue(value, name)]);
  return [Object.fromEntries(named)];
}

function bindPositions(params: readonly unknown[], tokens: readonly Token[]): unknown[] {
  const values = params.map((value, index) => toSqlValue(value, String(index + 1)));
  const variables = tokens.filter((token) => token.kind === 'variable').map((token) => token.text);
  const numbered = variables.filter((variable) => /^\?\d/.test(variable));
  if (numbered.length === 0) return values;
  if (numbered.length < variables.length) throw new ParameterError('Use either ? or numbered parameters such as ?1, not both in one query.');
  return [Object.fromEntries(values.map((value, index) => [String(index + 1), value]))];
}

function toSqlValue(value: unknown, name: string): SqlValue {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'object') {
    if ('$int64' in value) return toInteger(value.$int64, name);
    if ('$blob' in value) return toBlob(value.$blob, name);
  }
  throw new ParameterError(`Parameter ${name} must be null, a string, a number, a boolean, {"$int64": "digits"} or {"$blob": "base64"}.`);
}

function toInteger(digits: unknown, name: string): bigint {
  if (typeof digits !== 'string' || !/^-?\d{1,19}$/.test(digits)) throw new ParameterError(`Parameter ${name}: $int64 must be a string of digits.`);
  const integer = BigInt(digits);
  if (integer < INT64_MIN || integer > INT64_MAX) throw new ParameterError(`Parameter ${name}: $int64 must fit into 64 bits.`);
  return integer;
}

function toBlob(base64: unknown, name: string): Uint8Array {
  if (typeof base64 !== 'string' || base64.length % 4 !== 0 || !BASE64.test(base64)) throw new ParameterError(`Parameter ${name}: $blob must be base64.`);
  return Buffer.from(base64, 'base64');
}

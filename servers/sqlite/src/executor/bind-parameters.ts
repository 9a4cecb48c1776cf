import type { Token } from '../guard/tokenize.ts';

/** Reports parameters that do not fit the statement; the message says how to write them. */
export class ParameterError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ParameterError';
  }
}

type SqlValue = null | string | number | bigint | Uint8Array;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** SQLite's own limit of parameters in one statement. @see https://www.sqlite.org/limits.html#max_variable_number */
const MAX_PARAMETERS = 32_766;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/**
 * Converts parameters to arguments for the statement methods of better-sqlite3: an array fills `?`
 * and `?1`, an object fills `:name`, `@name` and `$name`. Binds whole numbers up to ±(2^53 - 1) as
 * INTEGER, booleans as 0 and 1, `{"$blob": base64}` as BLOB, `{"$int64": digits}` as INTEGER.
 * @throws ParameterError
 */
export function bindParameters(params: unknown, tokens: readonly Token[]): unknown[] {
  if (params === undefined) return [];
  if (typeof params !== 'object' || params === null)
    throw new ParameterError('params must be an array or an object.');
  const count = Array.isArray(params) ? params.length : Object.keys(params).length;
  if (count > MAX_PARAMETERS)
    throw new ParameterError(
      `There are ${count} parameters; one statement takes at most ${MAX_PARAMETERS}.`,
    );
  if (Array.isArray(params)) return bindPositions(params, tokens);
  const named = Object.entries(params).map(([name, value]) => [
    name.replace(/^[:@$]/, ''),
    toSqlValue(value, `Parameter ${name}`),
  ]);
  return [Object.fromEntries(named)];
}

function bindPositions(params: readonly unknown[], tokens: readonly Token[]): unknown[] {
  const values = params.map((value, index) => toSqlValue(value, `Parameter ${index + 1}`));
  const variables = tokens.filter((token) => token.kind === 'variable').map((token) => token.text);
  const numbered = variables.filter((variable) => /^\?\d/.test(variable));
  if (numbered.length === 0) return values;
  if (numbered.length < variables.length)
    throw new ParameterError(
      'Use either ? or numbered parameters such as ?1, not both in one query.',
    );
  return [Object.fromEntries(values.map((value, index) => [String(index + 1), value]))];
}

/**
 * Converts a JSON value to a value of SQLite; `label` names it in errors.
 * @throws ParameterError
 */
export function toSqlValue(value: unknown, label: string): SqlValue {
  if (value === null) return value;
  if (typeof value === 'string') return toText(value, label);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') return toNumber(value, label);
  if (typeof value === 'object') {
    if ('$int64' in value) return toInteger(value.$int64, label);
    if ('$blob' in value) return toBlob(value.$blob, label);
  }
  throw new ParameterError(
    `${label} must be null, a string, a number, a boolean, {"$int64": "digits"} or {"$blob": "base64"}.`,
  );
}

/** Rejects half of a surrogate pair, which SQLite would store as U+FFFD. */
function toText(text: string, label: string): string {
  if (!text.isWellFormed())
    throw new ParameterError(`${label} is not Unicode text: it holds half of a surrogate pair.`);
  return text;
}

/** Rejects a whole number beyond ±2^53, whose JSON text may have had more digits. */
function toNumber(value: number, label: string): number | bigint {
  if (Number.isSafeInteger(value)) return BigInt(value);
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63)
    throw new ParameterError(
      `${label} is beyond ±(2^53 - 1), where JSON numbers lose digits; write {"$int64": "digits"}.`,
    );
  return value;
}

function toInteger(digits: unknown, label: string): bigint {
  if (typeof digits !== 'string' || !/^-?\d{1,19}$/.test(digits))
    throw new ParameterError(`${label}: $int64 must be a string of digits.`);
  const integer = BigInt(digits);
  if (integer < INT64_MIN || integer > INT64_MAX)
    throw new ParameterError(`${label}: $int64 must fit into 64 bits.`);
  return integer;
}

function toBlob(base64: unknown, label: string): Uint8Array {
  if (typeof base64 !== 'string' || base64.length % 4 !== 0 || !BASE64.test(base64))
    throw new ParameterError(`${label}: $blob must be base64.`);
  return Buffer.from(base64, 'base64');
}

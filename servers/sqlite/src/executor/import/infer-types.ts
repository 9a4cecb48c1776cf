/** Type of a column of a new table. `''`: any value is stored as it is. */
export type InferredType = 'INTEGER' | 'REAL' | 'TEXT' | 'BLOB' | '';

const CANDIDATES = ['INTEGER', 'REAL', 'TEXT', 'BLOB'] as const;
const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;
const REAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
/** Decimal digits that a double always keeps. */
const MAX_REAL_DIGITS = 15;
const INT64_MAX = 2n ** 63n - 1n;

/**
 * Decides on the types of columns. `isText`: every value is text, so that text which looks like a number
 * counts as the number, if the number keeps all of it: `007` stays text. `emptyIsNull`: an empty text
 * among such numbers counts as NULL.
 */
export class TypeInference {
  readonly #isText: boolean;
  readonly #emptyIsNull: boolean;

  constructor(isText: boolean, emptyIsNull = false) {
    this.#isText = isText;
    this.#emptyIsNull = isText && emptyIsNull;
  }

  /** Returns the first type that fits every value, and TEXT without any value. */
  infer(values: readonly unknown[]): InferredType {
    if (values.every((value) => value === null || (this.#emptyIsNull && value === '')))
      return 'TEXT';
    return CANDIDATES.find((type) => values.every((value) => this.#permits(value, type))) ?? '';
  }

  #permits(value: unknown, type: InferredType): boolean {
    const isNumeric = type === 'INTEGER' || type === 'REAL';
    return (this.#emptyIsNull && isNumeric && value === '') || this.fits(value, type);
  }

  /** Whether a column of this type keeps the value, a value of SQLite. NULL fits every type. */
  fits(value: unknown, type: InferredType): boolean {
    if (value === null) return true;
    const numericText = this.#isText && typeof value === 'string' ? value : undefined;
    switch (type) {
      case 'INTEGER':
        return typeof value === 'bigint' || (numericText !== undefined && isInteger(numericText));
      case 'REAL':
        return (
          typeof value === 'number' ||
          (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) ||
          (numericText !== undefined && isReal(numericText))
        );
      case 'TEXT':
        return typeof value === 'string';
      case 'BLOB':
        return value instanceof Uint8Array;
      case '':
        return true;
    }
  }
}

function isInteger(text: string): boolean {
  if (!INTEGER.test(text)) return false;
  if (text.length < 19) return true;
  const integer = BigInt(text);
  return integer <= INT64_MAX && integer >= -INT64_MAX - 1n;
}

function isReal(text: string): boolean {
  if (!REAL.test(text)) return false;
  const [mantissa = ''] = text.split(/[eE]/, 1);
  const digits = mantissa.replaceAll(/\D/g, '').length;
  return digits <= MAX_REAL_DIGITS && Number.isFinite(Number(text));
}

import { RefusedQueryError } from '../guard/statement-tokens.ts';
import {
  MAX_NUMBER_BYTES,
  memberBytes,
  memberBytesBound,
  resultBytes,
  textBytesBound,
} from './compact-json.ts';
import { cutText, encodeCell, MAX_UNIT_BYTES } from './encode-cell.ts';
import type { ColumnType, QueryResult } from './protocol.ts';

export interface ResultLimits {
  readonly maxRows: number;
  readonly maxCellBytes: number;
  readonly maxResultBytes: number;
}

/** Bytes for the other fields of a result and its JSON-RPC envelope. */
export const ENVELOPE_BYTES = 4096;
const MAX_COLUMN_NAME_BYTES = 128;
const MIN_CELL_BYTES = 16;
/** Bytes of `{"name":…,"type":"integer"},` around the name of a column, as structured content and as text. */
const COLUMN_BYTES = 2 * 28 + 8;
/**
 * Bytes of `{"$int64":…}` around a large integer, once as structured content and once, escaped, as
 * text.
 */
const MARK_BYTES = 24;

/**
 * Collects the rows of one statement as JSON, within the limits. Keeps at least one row, if any, and
 * cuts its cells until it fits. Counts bytes exactly only when an upper bound of them does not fit.
 */
export class RowCollector {
  readonly #names: readonly string[];
  readonly #types: (ColumnType | undefined)[];
  /** Types of the row at hand. */
  readonly #rowTypes: (ColumnType | undefined)[];
  /** Whether these differ from the types of the columns so far, or one is `int64`. */
  #hasOtherTypes = false;
  /** Upper bound of the bytes of the row at hand, without the marks of its large integers. */
  #rowBound = 0;
  /** Bytes of the marks that the large integers of the row at hand may get. */
  #rowMarks = 0;
  readonly #limits: ResultLimits;
  readonly #rows: (readonly unknown[])[] = [];
  readonly #largeIntegers: { readonly row: unknown[]; readonly column: number }[] = [];
  /** Bytes that the header, if it was counted, the rows before `#counted` and all marks left. */
  #bytesLeft: number;
  #isHeaderCounted = false;
  /** Number of the rows that were counted exactly. */
  #counted = 0;
  /** Upper bound of the bytes of the other rows, and of the header until it was counted. */
  #bound: number;
  #truncated = false;

  /** @throws RefusedQueryError when the names alone exceed the limit. */
  constructor(columns: readonly { readonly name: string }[], limits: ResultLimits) {
    const names = columns.map((column) => cutText(column.name, MAX_COLUMN_NAME_BYTES));
    this.#names = names;
    this.#types = names.map(() => undefined);
    this.#rowTypes = names.map(() => undefined);
    this.#limits = limits;
    this.#bytesLeft = limits.maxResultBytes - ENVELOPE_BYTES;
    this.#bound = names.reduce((sum, name) => sum + COLUMN_BYTES + memberBytesBound(name), 4);
    if (this.#bound > this.#bytesLeft) this.#countExactly();
    if (this.#bytesLeft < 0)
      throw new RefusedQueryError(
        `The names of ${names.length} columns alone pass the result limit of ${limits.maxResultBytes} bytes; select fewer.`,
      );
  }

  /**
   * Adds a row if it fits, and returns whether it did. After the first `false` no further row fits.
   * Takes over the row, whose values become JSON.
   */
  add(row: unknown[]): boolean {
    if (this.#rows.length >= this.#limits.maxRows || !this.#fits(row)) {
      this.#truncated = true;
      return false;
    }
    return true;
  }

  result(): Omit<QueryResult, 'elapsedMs'> {
    const columns = this.#names.map((name, index) => {
      const type = this.#types[index];
      return type === undefined ? { name } : { name, type };
    });
    this.#markIntegers();
    return { columns, rows: this.#rows, rowCount: this.#rows.length, truncated: this.#truncated };
  }

  /**
   * Marks large integers in columns of several types, where their digits could be text, in the form
   * of parameters.
   */
  #markIntegers(): void {
    for (const { row, column } of this.#largeIntegers) {
      if (this.#types[column] === 'mixed') row[column] = { $int64: row[column] };
    }
  }

  #fits(row: unknown[]): boolean {
    const first = this.#rows.length === 0 ? [...row] : undefined;
    this.#encode(row, this.#limits.maxCellBytes);
    if (this.#bound + this.#rowBound + this.#rowMarks <= this.#bytesLeft) {
      this.#bound += this.#rowBound;
      this.#keep(row);
      return true;
    }
    this.#countExactly();
    return this.#keepExact(row) || (first !== undefined && this.#keepCut(first));
  }

  /** Keeps a first row with shorter cells, if the shortest fit. */
  #keepCut(row: readonly unknown[]): boolean {
    let { maxCellBytes } = this.#limits;
    while (maxCellBytes > MIN_CELL_BYTES) {
      maxCellBytes = Math.max(MIN_CELL_BYTES, Math.floor(maxCellBytes / 2));
      const cells = [...row];
      this.#encode(cells, maxCellBytes);
      if (this.#keepExact(cells)) return true;
    }
    return false;
  }

  #keepExact(cells: unknown[]): boolean {
    const bytes = rowBytes(cells);
    if (bytes + this.#rowMarks > this.#bytesLeft) return false;
    this.#bytesLeft -= bytes;
    this.#counted += 1;
    this.#keep(cells);
    return true;
  }

  #keep(cells: unknown[]): void {
    if (this.#hasOtherTypes) this.#mergeTypes(cells);
    this.#bytesLeft -= this.#rowMarks;
    this.#rows.push(cells);
  }

  #mergeTypes(cells: unknown[]): void {
    for (const [index, type] of this.#rowTypes.entries()) {
      this.#types[index] = mergeTypes(this.#types[index], type);
      if (type === 'int64') this.#largeIntegers.push({ row: cells, column: index });
    }
  }

  /** Replaces the upper bound of the bytes so far by their exact number. */
  #countExactly(): void {
    if (!this.#isHeaderCounted)
      this.#bytesLeft -= resultBytes(this.#names.map((name) => ({ name, type: 'integer' })));
    this.#isHeaderCounted = true;
    for (; this.#counted < this.#rows.length; this.#counted += 1)
      this.#bytesLeft -= rowBytes(this.#rows[this.#counted] ?? []);
    this.#bound = 0;
  }

  /** Converts the values of a row to JSON, and sets their types and the bytes of the row. */
  #encode(row: unknown[], maxCellBytes: number): void {
    const types = this.#rowTypes;
    const known = this.#types;
    let bound = separatorBytes(row.length);
    let marks = 0;
    let hasOtherTypes = false;
    for (let index = 0; index < row.length; index++) {
      const value = row[index];
      // Most values need no conversion, or become a number.
      if (typeof value === 'string' && value.length * MAX_UNIT_BYTES <= maxCellBytes) {
        types[index] = 'text';
        hasOtherTypes ||= known[index] !== 'text';
        bound += textBytesBound(value);
        continue;
      }
      if (typeof value === 'number' && Number.isFinite(value)) {
        types[index] = 'real';
        hasOtherTypes ||= known[index] !== 'real';
        bound += MAX_NUMBER_BYTES;
        continue;
      }
      if (typeof value === 'bigint') {
        const number = Number(value);
        if (Number.isSafeInteger(number)) {
          row[index] = number;
          types[index] = 'integer';
          hasOtherTypes ||= known[index] !== 'integer';
          bound += MAX_NUMBER_BYTES;
          continue;
        }
      }
      const { json, type } = encodeCell(value, maxCellBytes);
      row[index] = json;
      types[index] = type;
      hasOtherTypes ||= known[index] !== type || type === 'int64';
      bound += memberBytesBound(json);
      if (type === 'int64') marks += MARK_BYTES;
    }
    this.#rowBound = bound;
    this.#rowMarks = marks;
    this.#hasOtherTypes = hasOtherTypes;
  }
}

/** Returns the bytes of a row in the result, without marks of large integers. */
function rowBytes(cells: readonly unknown[]): number {
  return cells.reduce<number>((sum, cell) => sum + memberBytes(cell), separatorBytes(cells.length));
}

/** Returns the bytes of the brackets, the commas and the quotes of the text, and of a comma after the row. */
function separatorBytes(length: number): number {
  return 2 * (length + 1) + 4;
}

function mergeTypes(
  known: ColumnType | undefined,
  seen: ColumnType | undefined,
): ColumnType | undefined {
  if (known === undefined || seen === undefined || known === seen) return known ?? seen;
  const isWhole = [known, seen].every((type) => type === 'integer' || type === 'int64');
  return isWhole ? 'int64' : 'mixed';
}

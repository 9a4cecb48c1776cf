import { RefusedQueryError } from '../guard/statement-tokens.ts';
import { memberBytes, resultBytes } from './compact-json.ts';
import { cutText, encodeCell } from './encode-cell.ts';
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
/**
 * Bytes of `{"$int64":…}` around a large integer, once as structured content and once, escaped, as
 * text.
 */
const MARK_BYTES = 24;

/**
 * Collects the rows of one statement as JSON, within the limits. Keeps at least one row, if any, and
 * cuts its cells until it fits.
 */
export class RowCollector {
  readonly #names: readonly string[];
  readonly #types: (ColumnType | undefined)[];
  /** Types of the row at hand. */
  readonly #rowTypes: (ColumnType | undefined)[] = [];
  readonly #limits: ResultLimits;
  readonly #rows: (readonly unknown[])[] = [];
  readonly #largeIntegers: { readonly row: unknown[]; readonly column: number }[] = [];
  #bytesLeft: number;
  #truncated = false;

  /** @throws RefusedQueryError when the names alone exceed the limit. */
  constructor(columns: readonly { readonly name: string }[], limits: ResultLimits) {
    const names = columns.map((column) => cutText(column.name, MAX_COLUMN_NAME_BYTES));
    this.#names = names;
    this.#types = names.map(() => undefined);
    this.#limits = limits;
    const headerBytes = resultBytes(names.map((name) => ({ name, type: 'integer' })));
    this.#bytesLeft = limits.maxResultBytes - ENVELOPE_BYTES - headerBytes;
    if (this.#bytesLeft < 0)
      throw new RefusedQueryError(
        `The names of ${names.length} columns alone pass the result limit of ${limits.maxResultBytes} bytes; select fewer.`,
      );
  }

  /**
   * Adds a row if it fits, and returns whether it did. After the first `false` no further row fits.
   */
  add(row: readonly unknown[]): boolean {
    const cells = this.#rows.length < this.#limits.maxRows ? this.#fit(row) : undefined;
    if (cells === undefined) {
      this.#truncated = true;
      return false;
    }
    for (let index = 0; index < cells.length; index++) {
      const type = this.#rowTypes[index];
      if (type !== this.#types[index]) this.#types[index] = mergeTypes(this.#types[index], type);
      if (type === 'int64') this.#largeIntegers.push({ row: cells, column: index });
    }
    this.#rows.push(cells);
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

  /** Returns the cells of a row, and sets their types. */
  #fit(row: readonly unknown[]): unknown[] | undefined {
    let maxCellBytes = this.#limits.maxCellBytes;
    for (;;) {
      const cells: unknown[] = [];
      // Brackets, commas and the quotes of the text, and a comma after the row.
      let bytes = 2 * (row.length + 1) + 4;
      for (let index = 0; index < row.length; index++) {
        const { json, type } = encodeCell(row[index], maxCellBytes);
        cells.push(json);
        this.#rowTypes[index] = type;
        bytes += memberBytes(json) + (type === 'int64' ? MARK_BYTES : 0);
      }
      if (bytes <= this.#bytesLeft) {
        this.#bytesLeft -= bytes;
        return cells;
      }
      if (this.#rows.length > 0 || maxCellBytes <= MIN_CELL_BYTES) return undefined;
      maxCellBytes = Math.max(MIN_CELL_BYTES, Math.floor(maxCellBytes / 2));
    }
  }
}

function mergeTypes(
  known: ColumnType | undefined,
  seen: ColumnType | undefined,
): ColumnType | undefined {
  if (known === undefined || seen === undefined || known === seen) return known ?? seen;
  const isWhole = [known, seen].every((type) => type === 'integer' || type === 'int64');
  return isWhole ? 'int64' : 'mixed';
}

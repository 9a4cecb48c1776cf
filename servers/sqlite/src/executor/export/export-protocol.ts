import type { RowFormatOptions } from './row-format.ts';

export interface ExportRowsInput extends RowFormatOptions {
  readonly query: string;
  /** Parameters by position or by name, as the client sent them. */
  readonly params?: unknown;
  /** Whether the text must fit into a result; otherwise its length is not limited. */
  readonly isForResult: boolean;
}

export interface ExportRowsOutput {
  readonly rows: number;
  /** Length of the text in UTF-8. */
  readonly bytes: number;
  /** Whether rows were left out, because they do not fit into a result. */
  readonly truncated: boolean;
  /** Number of text cells that a spreadsheet may run as formulas. */
  readonly formulaCells: number;
  /** Number of rows that are empty lines, because the only column of CSV is NULL. */
  readonly emptyLines: number;
}

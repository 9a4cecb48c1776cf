import type { Encoding } from './decode-text.ts';
import type { LineError } from './import-record.ts';

export type ImportFormat = 'csv' | 'json' | 'ndjson';

export interface ImportRowsInput {
  readonly table: string;
  readonly format: ImportFormat;
  /** Whether the table is created, and must not exist; otherwise it must exist. */
  readonly createTable: boolean;
  /** Default: by the byte order mark, else UTF-8. */
  readonly encoding?: Encoding | undefined;
  /** Delimiter of CSV, one character; default: found in the first line. */
  readonly delimiter?: string | undefined;
  /** Whether the first row of CSV has the names of the columns. */
  readonly header: boolean;
  /** Text of CSV that stands for NULL, quoted or not; default: an empty field without quotes. */
  readonly nullText?: string | undefined;
  /** Names of the columns, instead of those of the data. */
  readonly columns?: readonly string[] | undefined;
  /** Types of columns of a new table, instead of the inferred ones. */
  readonly types?: { readonly [column: string]: string } | undefined;
}

export interface ImportRowsOutput {
  /** Number of imported rows; 0 when there are errors. */
  readonly rows: number;
  /** Names of the filled columns. */
  readonly columns: readonly string[];
  /** Columns of the created table. */
  readonly created?: readonly NewColumn[];
  /** The first problems; with any of them nothing is imported. */
  readonly errors: readonly LineError[];
}

/** A column of a created table. */
export interface NewColumn {
  readonly name: string;
  readonly type: string;
}

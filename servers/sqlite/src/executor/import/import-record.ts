/** A row of the imported data, before its values are assigned to columns. */
export interface ImportRecord {
  /** Line on which the row begins, from 1; for inline rows its index, from 1. */
  readonly line: number;
  /** Values in the order of the columns, or by column name. */
  readonly value: readonly unknown[] | { readonly [column: string]: unknown };
}

/** A problem of one line. */
export interface LineError {
  readonly line: number;
  readonly message: string;
}

/**
 * Splits text into rows, in constant memory apart from the row at hand. After a syntax error it
 * returns no more rows.
 */
export interface RecordReader {
  /** Returns the rows that end in this text. */
  push(text: string): readonly ImportRecord[];
  /** Returns the last row, if the text did not end it. */
  end(): readonly ImportRecord[] | Promise<readonly ImportRecord[]>;
  /** The syntax error that ended the rows. */
  readonly failure: LineError | undefined;
}

/** Longest row in characters. */
export const MAX_RECORD_CHARACTERS = 16 * 2 ** 20;

/** Returns the number of line feeds in a text. */
export function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

export type ExportFormat = 'csv' | 'json' | 'ndjson';

/** Formats rows as text, row by row. */
export interface RowFormat {
  /** Text before the first row. */
  readonly start: string;
  /** Text between two rows. */
  readonly separator: string;
  /** Text after the last row, also without rows. */
  readonly end: string;
  /** Returns the text of one row. */
  row(values: readonly unknown[]): string;
  /** Number of text cells so far that a spreadsheet may run as formulas. */
  readonly formulaCells: number;
  /** Number of rows so far that are empty lines: the only column of CSV is NULL. */
  readonly emptyLines: number;
}

export interface RowFormatOptions {
  readonly format: ExportFormat;
  /** Delimiter of CSV, one character. */
  readonly delimiter: string;
  /** Whether an apostrophe is put before CSV cells that a spreadsheet may run as formulas. */
  readonly escapeFormulas: boolean;
}

/**
 * Creates the format of a result with these column names.
 * @throws Error when JSON objects cannot have the names, because two are equal
 */
export function createRowFormat(names: readonly string[], options: RowFormatOptions): RowFormat {
  return options.format === 'csv' ? new CsvFormat(names, options) : new JsonFormat(names, options);
}

/** @see https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r]/;

class CsvFormat implements RowFormat {
  readonly start: string;
  readonly separator = '';
  readonly end = '';
  readonly #delimiter: string;
  readonly #special: RegExp;
  readonly #escapeFormulas: boolean;
  #formulaCells = 0;
  #emptyLines = 0;

  constructor(names: readonly string[], { delimiter, escapeFormulas }: RowFormatOptions) {
    this.#delimiter = delimiter;
    this.#special = new RegExp(`["\\r\\n${delimiter.replace(/[\\\]^-]/, '\\$&')}]`);
    this.#escapeFormulas = escapeFormulas;
    this.start = `${names.map((name) => this.#text(name)).join(delimiter)}\n`;
  }

  get formulaCells(): number {
    return this.#formulaCells;
  }

  get emptyLines(): number {
    return this.#emptyLines;
  }

  row(values: readonly unknown[]): string {
    const line = values.map((value) => this.#cell(value)).join(this.#delimiter);
    if (line === '') this.#emptyLines += 1;
    return `${line}\n`;
  }

  #cell(value: unknown): string {
    if (value === null) return '';
    if (typeof value === 'string') return this.#text(value);
    if (value instanceof Uint8Array) return base64(value);
    return typeof value === 'bigint' ? value.toString() : String(Number(value));
  }

  #text(text: string): string {
    const isFormula = FORMULA.test(text);
    if (isFormula) this.#formulaCells += 1;
    const shown = isFormula && this.#escapeFormulas ? `'${text}` : text;
    // Without quotes an empty text would be NULL.
    return shown === '' || this.#special.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
  }
}

class JsonFormat implements RowFormat {
  readonly start: string;
  readonly separator: string;
  readonly end: string;
  readonly formulaCells = 0;
  readonly emptyLines = 0;
  readonly #keys: readonly string[];

  constructor(names: readonly string[], { format }: RowFormatOptions) {
    const repeated = names.find((name, index) => names.indexOf(name) !== index);
    if (repeated !== undefined)
      throw new Error(
        `Two columns have the name ${JSON.stringify(repeated.slice(0, 60))}, which JSON objects cannot; rename one with AS, or export CSV.`,
      );
    this.#keys = names.map((name) => `${JSON.stringify(name)}:`);
    const isArray = format === 'json';
    this.start = isArray ? '[' : '';
    this.separator = isArray ? ',\n' : '';
    this.end = isArray ? ']\n' : '';
    this.#lineEnd = isArray ? '' : '\n';
  }

  readonly #lineEnd: string;

  row(values: readonly unknown[]): string {
    const members = values.map((value, index) => `${this.#keys[index] ?? ''}${jsonCell(value)}`);
    return `{${members.join(',')}}${this.#lineEnd}`;
  }
}

function jsonCell(value: unknown): string {
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? value.toString() : `{"$int64":"${value}"}`;
  if (value instanceof Uint8Array) return `{"$blob":"${base64(value)}"}`;
  return JSON.stringify(
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  );
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

import type { Database, Statement } from 'better-sqlite3';
import { ParameterError, toSqlValue } from '../bind-parameters.ts';
import type { ImportRecord } from './import-record.ts';
import type { ImportRowsInput, NewColumn } from './import-protocol.ts';
import { TypeInference, type InferredType } from './infer-types.ts';
import type { LineErrors } from './line-errors.ts';
import {
  MAX_COLUMNS,
  columnsOfTable,
  createTable,
  findNumericColumns,
  insertStatement,
  show,
} from './target-table.ts';

/** Rows whose values decide on the columns and types of a new table. */
export const SAMPLE_ROWS = 1000;
const SAMPLE_CHARACTERS = 8 * 2 ** 20;
/** Errors of SQLite that concern one row. */
const ROW_ERROR = /^SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG)/;

interface Plan {
  readonly columns: readonly string[];
  /** Whether each column stores text that looks like a number as the number. */
  readonly numeric: readonly boolean[];
  /** Types that values of a new table have to fit. */
  readonly checked: readonly (InferredType | undefined)[];
  readonly created: readonly NewColumn[] | undefined;
  readonly insert: Statement;
}

/** Inserts rows into a table, inside a transaction. The first rows decide on the columns and types. */
export class RowImporter {
  readonly #input: ImportRowsInput;
  readonly #database: Database;
  readonly #errors: LineErrors;
  readonly #inference: TypeInference;
  readonly #existing: readonly string[] | undefined;
  #header: readonly string[] | undefined;
  #sample: ImportRecord[] = [];
  #sampleCharacters = 0;
  #plan: Plan | undefined;
  #rows = 0;

  /** @throws Error for a table that cannot take rows */
  constructor(database: Database, input: ImportRowsInput, errors: LineErrors) {
    this.#input = input;
    this.#database = database;
    this.#errors = errors;
    this.#inference = new TypeInference(input.format === 'csv', input.nullText === undefined);
    this.#existing = columnsOfTable(database, input.table);
    if (input.createTable && this.#existing !== undefined)
      throw new Error(
        `The table ${show(input.table)} exists already. Leave out createTable to add the rows to it, or choose another name.`,
      );
    if (!input.createTable && this.#existing === undefined)
      throw new Error(`There is no table ${show(input.table)}. Set createTable to create it.`);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Columns and types of the created table. */
  get created(): readonly NewColumn[] | undefined {
    return this.#plan?.created;
  }

  /** Names of the filled columns. */
  get columns(): readonly string[] {
    return this.#plan?.columns ?? [];
  }

  /** Inserts rows; `characters` is the length of their text. */
  add(records: readonly ImportRecord[], characters: number): void {
    const rows = this.#hasHeader ? this.#takeHeader(records) : records;
    if (this.#plan !== undefined) return this.#insertAll(rows, this.#plan);
    for (const row of rows) this.#sample.push(row);
    this.#sampleCharacters += characters;
    if (this.#sample.length >= SAMPLE_ROWS || this.#sampleCharacters > SAMPLE_CHARACTERS)
      this.#start();
  }

  /** Inserts the last rows. */
  finish(): void {
    if (this.#plan === undefined) this.#start();
  }

  get #hasHeader(): boolean {
    return this.#header === undefined && this.#input.format === 'csv' && this.#input.header;
  }

  #takeHeader([first, ...rows]: readonly ImportRecord[]): readonly ImportRecord[] {
    if (first === undefined) return [];
    this.#header = (first.value as readonly (string | null)[]).map((name) => name ?? '');
    return rows;
  }

  #start(): void {
    const columns = this.#findColumns();
    const problem = problemOfColumns(columns);
    if (problem !== undefined) {
      this.#errors.add({ line: 1, message: problem });
      this.#sample = [];
      return;
    }
    const created = this.#existing === undefined ? this.#defineColumns(columns) : undefined;
    if (created !== undefined) createTable(this.#database, this.#input.table, created.columns);
    this.#plan = {
      columns,
      numeric: findNumericColumns(this.#database, this.#input.table, columns),
      checked: created?.checked ?? [],
      created: created?.columns,
      insert: this.#prepare(columns),
    };
    this.#insertAll(this.#sample, this.#plan);
    this.#sample = [];
  }

  #findColumns(): readonly string[] {
    const { columns } = this.#input;
    if (columns !== undefined) return columns;
    if (this.#header !== undefined) return this.#header;
    const first = this.#sample[0]?.value;
    if (first !== undefined && !Array.isArray(first))
      return [
        ...new Set(
          this.#sample.flatMap(({ value }) => (isObject(value) ? Object.keys(value) : [])),
        ),
      ];
    if (this.#existing !== undefined) return this.#existing;
    return (
      (first as readonly unknown[] | undefined)?.map((_, index) => `column_${index + 1}`) ?? []
    );
  }

  #defineColumns(columns: readonly string[]): {
    readonly columns: readonly NewColumn[];
    readonly checked: readonly (InferredType | undefined)[];
  } {
    const given = new Map(Object.entries(this.#input.types ?? {}));
    const rows = this.#sample
      .map((record) => this.#valuesOf(record, columns))
      .filter((values) => values !== undefined);
    const checked = columns.map((name, index) =>
      given.has(name)
        ? undefined
        : this.#inference.infer(rows.map((values) => values[index] ?? null)),
    );
    const types = columns.map((name, index) => given.get(name) ?? checked[index] ?? '');
    for (const name of given.keys())
      if (!columns.includes(name))
        this.#errors.add({
          line: 1,
          message: `types names the column ${show(name)}, which the data does not have`,
        });
    return { columns: columns.map((name, index) => ({ name, type: types[index] ?? '' })), checked };
  }

  #prepare(columns: readonly string[]): Statement {
    const { table } = this.#input;
    try {
      return this.#database.prepare(insertStatement(table, columns));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const known = this.#existing?.map(show).join(', ') ?? '';
      throw new Error(`${message}. Columns of ${show(table)}: ${known.slice(0, 1000)}`, {
        cause: error,
      });
    }
  }

  #insertAll(records: readonly ImportRecord[], plan: Plan): void {
    for (const record of records) {
      if (this.#errors.isFull) return;
      this.#insert(record, plan);
    }
  }

  #insert(record: ImportRecord, { columns, numeric, checked, insert }: Plan): void {
    const values = this.#valuesOf(record, columns, this.#errors)?.map((value, index) =>
      numeric[index] === true ? this.#toNumeric(value) : value,
    );
    if (values === undefined) return;
    const misfit = checked.findIndex(
      (type, index) => type !== undefined && !this.#inference.fits(values[index] ?? null, type),
    );
    if (misfit !== -1) return this.#addMisfit(record, columns[misfit] ?? '', checked[misfit] ?? '');
    try {
      insert.run(...values);
      this.#rows += 1;
    } catch (error) {
      if (!isRowError(error) || !this.#database.inTransaction) throw error;
      this.#errors.add({ line: record.line, message: error.message });
    }
  }

  #addMisfit({ line }: ImportRecord, column: string, type: InferredType): void {
    this.#errors.add({
      line,
      message: `the value of ${show(column)} would change as ${type}, the type of the first ${SAMPLE_ROWS} rows; set types, such as {${show(column)}: "TEXT"}`,
    });
  }

  /** Returns the values of a row in the order of the columns; `undefined` after an error, which is added to `errors`. */
  #valuesOf(
    { line, value }: ImportRecord,
    columns: readonly string[],
    errors?: LineErrors,
  ): readonly unknown[] | undefined {
    try {
      return isObject(value)
        ? this.#valuesOfObject(value, columns)
        : this.#valuesOfArray(value, columns);
    } catch (error) {
      if (!(error instanceof ParameterError)) throw error;
      errors?.add({ line, message: error.message });
      return undefined;
    }
  }

  /** Returns the value that a text means in a column of numbers: NULL, or an infinity of an export. */
  #toNumeric(value: unknown): unknown {
    if (value === 'Infinity' || value === '-Infinity') return Number(value);
    const isNull =
      value === '' && this.#input.format === 'csv' && this.#input.nullText === undefined;
    return isNull ? null : value;
  }

  #valuesOfArray(value: readonly unknown[], columns: readonly string[]): readonly unknown[] {
    if (value.length !== columns.length)
      throw new ParameterError(
        `the row has ${value.length} values, expected are ${columns.length}`,
      );
    const { format, nullText } = this.#input;
    if (format === 'csv')
      return nullText === undefined
        ? value
        : value.map((field) => ((field ?? '') === nullText ? null : (field ?? '')));
    return value.map((each, index) => toValue(each, columns[index] ?? ''));
  }

  #valuesOfObject(
    value: { readonly [column: string]: unknown },
    columns: readonly string[],
  ): readonly unknown[] {
    const known = columns.filter((name) => Object.hasOwn(value, name));
    const names = Object.keys(value);
    if (known.length < names.length) {
      const unknown = names.find((name) => !columns.includes(name)) ?? '';
      throw new ParameterError(
        `the row has the member ${show(unknown)}, which is no column; columns come from the first ${SAMPLE_ROWS} rows unless they are named in columns`,
      );
    }
    return columns.map((name) => (Object.hasOwn(value, name) ? toValue(value[name], name) : null));
  }
}

function isObject(value: ImportRecord['value']): value is { readonly [column: string]: unknown } {
  return !Array.isArray(value);
}

/** Converts a JSON value; nested arrays and objects become JSON text. @throws ParameterError */
function toValue(value: unknown, column: string): unknown {
  const isNested =
    typeof value === 'object' && value !== null && !('$int64' in value) && !('$blob' in value);
  return toSqlValue(isNested ? JSON.stringify(value) : value, `the value of ${show(column)}`);
}

function isRowError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    ROW_ERROR.test(error.code)
  );
}

function problemOfColumns(columns: readonly string[]): string | undefined {
  if (columns.length === 0)
    return 'the data has neither a header nor rows, so that its columns are unknown';
  if (columns.length > MAX_COLUMNS)
    return `the data has ${columns.length} columns, a table takes at most ${MAX_COLUMNS}`;
  const seen = new Set<string>();
  for (const [index, name] of columns.entries()) {
    if (name.trim() === '')
      return `column ${index + 1} has no name; set header to false and name the columns`;
    if (name.includes('\0') || !name.isWellFormed())
      return `column ${index + 1} has a name that is not text`;
    // SQLite ignores the case of ASCII letters in names.
    const folded = name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
    if (seen.has(folded)) return `two columns have the name ${show(name)}`;
    seen.add(folded);
  }
  return undefined;
}

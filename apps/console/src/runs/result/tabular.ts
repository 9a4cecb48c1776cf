/** A value in a table. */
export type Scalar = string | number | boolean | null;

/** A table found in a result. */
export interface Table {
  /** Name of its property; undefined for the result itself. */
  readonly title: string | undefined;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Scalar[])[];
}

const MAX_COLUMNS = 30;

/**
 * Returns the tables in a structured result: lists of objects without nesting, and objects with `columns` and `rows`. They are the
 * result itself or its properties.
 */
export function tablesIn(value: unknown): readonly Table[] {
  const own = tableOf(value, undefined);
  if (own !== undefined) return [own];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => tableOf(child, name) ?? []);
}

/** Returns the numbers of a column, or undefined if it has other values. */
export function numbersOf(table: Table, column: number): readonly number[] | undefined {
  const values = table.rows.map((row) => toNumber(row[column]));
  return values.every((each) => each !== undefined) && values.length > 0 ? values : undefined;
}

function toNumber(value: Scalar | undefined): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
}

function tableOf(value: unknown, title: string | undefined): Table | undefined {
  if (isObject(value) && Array.isArray(value['columns']) && Array.isArray(value['rows']))
    return tableOfRows(value['columns'], value['rows'], title);
  return Array.isArray(value) ? tableOfObjects(value, title) : undefined;
}

function tableOfRows(
  columns: readonly unknown[],
  rows: readonly unknown[],
  title: string | undefined,
): Table | undefined {
  const names = columns.map((column) => (isObject(column) ? column['name'] : column));
  const isTable =
    names.length > 0 &&
    names.length <= MAX_COLUMNS &&
    names.every((name) => typeof name === 'string') &&
    rows.every((row) => Array.isArray(row) && row.every(isScalar));
  return isTable ? { title, columns: names, rows } : undefined;
}

function tableOfObjects(values: readonly unknown[], title: string | undefined): Table | undefined {
  const columns = new Set<string>();
  for (const value of values) {
    if (!isObject(value) || !Object.values(value).every(isScalar)) return undefined;
    for (const name of Object.keys(value)) columns.add(name);
  }
  if (columns.size === 0 || columns.size > MAX_COLUMNS) return undefined;
  const names = [...columns];
  return {
    title,
    columns: names,
    rows: values.map((value) =>
      names.map((name) => (isObject(value) ? ((value[name] ?? null) as Scalar) : null)),
    ),
  };
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

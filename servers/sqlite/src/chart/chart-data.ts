import { ToolError } from '@signalbox/mcp-core';
import type { ChartData } from '@signalbox/server-kit/chart';
import type { QueryResult } from '../executor/protocol.ts';
import { numberOf } from '../series/number-of.ts';

/** The columns of a query result that a chart shows. */
export interface ChartColumns {
  /** Column of the horizontal axis; default: the first. */
  readonly x?: string | undefined;
  /** Columns of the vertical axis; default: every other column of numbers. */
  readonly y?: readonly string[] | undefined;
  /** Column whose values name the series, for one `y` column. */
  readonly series?: string | undefined;
}

const MAX_SERIES = 10;

/**
 * Selects the columns of a chart from a query result.
 * @throws ToolError for an unknown column, a value that is not a number, and more than ten series
 */
export function chartData(result: QueryResult, wanted: ChartColumns): ChartData {
  if (result.rows.length === 0)
    throw new ToolError('The query returned no rows, so there is nothing to draw.');
  const names = result.columns.map((column) => column.name);
  const x = wanted.x === undefined ? 0 : indexOf(wanted.x, names);
  const split = wanted.series === undefined ? undefined : indexOf(wanted.series, names);
  const columns =
    wanted.y === undefined
      ? numericColumns(result, [x, split])
      : wanted.y.map((name) => indexOf(name, names));
  if (columns.length === 0)
    throw new ToolError(
      `The query has no column of numbers beside ${JSON.stringify(names[x])}; name one in y, or select one.`,
    );
  const data =
    split === undefined ? byColumn(result, x, columns) : bySeries(result, x, { split, columns });
  if (data.series.length > MAX_SERIES)
    throw new ToolError(
      `The chart would have ${data.series.length} series; at most ${MAX_SERIES} can be told apart. Name fewer columns in y, or filter the rows.`,
    );
  return { x: names[x] ?? '', ...data };
}

function indexOf(name: string, names: readonly string[]): number {
  const index = names.indexOf(name);
  if (index === -1)
    throw new ToolError(
      `The query has no column ${JSON.stringify(name)}; its columns are ${names
        .slice(0, 20)
        .map((each) => JSON.stringify(each))
        .join(', ')}.`,
    );
  return index;
}

function numericColumns(
  { columns, rows }: QueryResult,
  except: readonly (number | undefined)[],
): readonly number[] {
  return columns.flatMap(({ type }, index) => {
    const isNumeric =
      type === 'integer' ||
      type === 'int64' ||
      type === 'real' ||
      (type === 'mixed' && rows.every((row) => numberOf(row[index]) !== undefined));
    return isNumeric && !except.includes(index) ? [index] : [];
  });
}

function byColumn(
  { columns, rows }: QueryResult,
  x: number,
  chosen: readonly number[],
): Pick<ChartData, 'labels' | 'series'> {
  return {
    labels: rows.map((row) => labelOf(row[x])),
    series: chosen.map((index) => {
      const name = columns[index]?.name ?? '';
      return { name, values: rows.map((row, at) => valueOf(row[index], name, at)) };
    }),
  };
}

function bySeries(
  { columns, rows }: QueryResult,
  x: number,
  { split, columns: chosen }: { readonly split: number; readonly columns: readonly number[] },
): Pick<ChartData, 'labels' | 'series'> {
  const [y = 0] = chosen;
  if (chosen.length > 1)
    throw new ToolError('With series, name exactly one column of numbers in y.');
  const yName = columns[y]?.name ?? '';
  const labels = new Map<string, string | number | null>();
  const series = new Map<string, Map<string, number | null>>();
  rows.forEach((row, at) => {
    const label = labelOf(row[x]);
    const key = JSON.stringify(label);
    const name = String(labelOf(row[split]) ?? 'NULL');
    labels.set(key, label);
    const values = series.get(name) ?? new Map<string, number | null>();
    series.set(name, values);
    if (values.has(key))
      throw new ToolError(
        `Two rows have the same x ${key} in the series ${JSON.stringify(name)}; aggregate them with GROUP BY.`,
      );
    values.set(key, valueOf(row[y], yName, at));
  });
  return {
    labels: [...labels.values()],
    series: [...series].map(([name, values]) => ({
      name,
      values: [...labels.keys()].map((key) => values.get(key) ?? null),
    })),
  };
}

function labelOf(cell: unknown): string | number | null {
  if (typeof cell === 'string' || typeof cell === 'number' || cell === null) return cell;
  if (typeof cell === 'object' && '$text' in cell) return String(cell.$text);
  if (typeof cell === 'object' && '$int64' in cell) return String(cell.$int64);
  return 'BLOB';
}

function valueOf(cell: unknown, column: string, row: number): number | null {
  const value = numberOf(cell);
  if (value === undefined)
    throw new ToolError(
      `Column ${JSON.stringify(column)} has a value in row ${row + 1} that is not a number; convert it with CAST, or name other columns in y.`,
    );
  return value;
}

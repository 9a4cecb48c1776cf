import { ToolError } from '@signalbox/mcp-core';
import type { QueryResult } from '../executor/protocol.ts';
import { numberOf } from '../series/number-of.ts';
import { regularTimes, type TimeScale } from './regular-times.ts';

/** Columns of a query result, and how to treat missing values. */
export interface SeriesColumns {
  /** Column of the times; default: the first. */
  readonly time?: string | undefined;
  /** Column of the values; default: the first other column of numbers. */
  readonly value?: string | undefined;
  /** Whether missing times and NULL are filled by linear interpolation; default false. */
  readonly fillGaps?: boolean | undefined;
}

/** Values at equal distances of time, in order. */
export interface TimeSeries {
  readonly values: readonly number[];
  readonly scale: TimeScale;
  /** Number of values that were interpolated. */
  readonly filled: number;
}

/** Most values of one series: the search for the best parameters takes time. */
const MAX_POINTS = 2000;
/** Largest absolute value: squares of larger ones overflow. */
const MAX_VALUE = 1e100;

/**
 * Reads a time series from a query result, in any order of rows.
 * @throws ToolError for unknown columns, values that are not numbers, times that repeat or are not
 * at equal distances, and gaps unless `fillGaps` is set
 */
export function timeSeries(result: QueryResult, columns: SeriesColumns): TimeSeries {
  if (result.truncated)
    throw new ToolError(
      `The query returns more than the ${result.rowCount} rows that fit into one result, so the latest values would be missing. Aggregate them with GROUP BY, or select fewer columns.`,
    );
  const [time, value] = chooseColumns(result, columns);
  const points = result.rows.map((row, index) => ({
    time: row[time],
    value: valueOf(row[value], result.columns[value]?.name ?? '', index),
  }));
  const { scale, positions } = regularTimes(points.map((point) => point.time));
  const length = positions.reduce((last, position) => Math.max(last, position + 1), 0);
  if (length > MAX_POINTS)
    throw new ToolError(
      `The series has ${length} points; at most ${MAX_POINTS} can be predicted from. Aggregate them with GROUP BY.`,
    );
  const values: (number | null)[] = Array<null>(length).fill(null);
  positions.forEach((position, index) => {
    values[position] = points[index]?.value ?? null;
  });
  const missing = values.flatMap((each, index) => (each === null ? [index] : []));
  if (missing.length > 0 && columns.fillGaps !== true) throw gapError(missing, scale);
  return { values: interpolate(values), scale, filled: missing.length };
}

function chooseColumns(
  { columns }: QueryResult,
  wanted: SeriesColumns,
): readonly [time: number, value: number] {
  const names = columns.map((column) => column.name);
  const indexOf = (name: string): number => {
    const index = names.indexOf(name);
    if (index === -1)
      throw new ToolError(
        `The query has no column ${JSON.stringify(name)}; its columns are ${names
          .slice(0, 20)
          .map((each) => JSON.stringify(each))
          .join(', ')}.`,
      );
    return index;
  };
  const time = wanted.time === undefined ? 0 : indexOf(wanted.time);
  const value =
    wanted.value === undefined
      ? columns.findIndex(({ type }, index) => index !== time && type !== 'text' && type !== 'blob')
      : indexOf(wanted.value);
  if (value === -1 || value === time)
    throw new ToolError(
      'The query must return two columns: the times, and the numbers to predict.',
    );
  return [time, value];
}

function valueOf(cell: unknown, column: string, row: number): number | null {
  const value = numberOf(cell);
  if (value === undefined || Math.abs(value ?? 0) > MAX_VALUE)
    throw new ToolError(
      `Column ${JSON.stringify(column)} has a value in row ${row + 1} that is ${value === undefined ? 'not a number' : 'beyond ±1e100'}; convert or filter it in the query.`,
    );
  return value;
}

function gapError(missing: readonly number[], scale: TimeScale): ToolError {
  const times = missing.slice(0, 5).map((index) => String(scale.timeAt(index)));
  return new ToolError(
    `${missing.length} of the values are missing (steps of ${scale.step}): ${times.join(', ')}${missing.length > 5 ? ', …' : ''}. Set fill_gaps to interpolate them, or fill them in the query, with 0 for instance.`,
  );
}

/** The first and the last position have a value, unless NULL was selected there. */
function interpolate(values: readonly (number | null)[]): readonly number[] {
  const known = values.flatMap((value, index) => (value === null ? [] : [{ index, value }]));
  let at = 0;
  return values.map((value, index) => {
    if (value !== null) return value;
    while ((known[at]?.index ?? Infinity) < index) at += 1;
    const [before, after] = [known[at - 1], known[at]];
    if (before === undefined || after === undefined) return (before ?? after)?.value ?? 0;
    const share = (index - before.index) / (after.index - before.index);
    return before.value + share * (after.value - before.value);
  });
}

import { ToolError } from '@signalbox/mcp-core';
import { formatTime, parseTime, type ParsedTime } from '@signalbox/server-kit/chart';

/** Times at equal distances. */
export interface TimeScale {
  /** The distance of two times in words, such as `1 month` or `2`. */
  readonly step: string;
  /** Length of a season that suits the step, such as 12 for months; 1 when none does. */
  readonly calendarSeason: number;
  /** Returns the time at a position, written as in the query; the first known time is at 0. */
  readonly timeAt: (position: number) => string | number;
}

export interface RegularTimes {
  readonly scale: TimeScale;
  /** Position of each time, in the order of the input. */
  readonly positions: readonly number[];
}

/** Times as numbers: months, milliseconds, or the numbers of the query. */
interface Axis {
  readonly values: readonly number[];
  readonly unit: 'month' | 'ms' | 'number';
  readonly format: (value: number) => string | number;
}

const DAY_MS = 86_400_000;
const MS_UNITS: readonly (readonly [ms: number, name: string, season: number])[] = [
  [7 * DAY_MS, 'week', 52],
  [DAY_MS, 'day', 7],
  [3_600_000, 'hour', 24],
  [60_000, 'minute', 60],
  [1000, 'second', 60],
  [1, 'millisecond', 1],
];
const MONTHS_UNTIL_2000 = 24_000;
/** The first millisecond of the year 0000 and the last of 9999: text has four digits for a year. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');
/** How far a distance may be from a multiple of the step, for numbers with a fraction. */
const TOLERANCE = 1e-6;

/**
 * Finds the step of the times: the most frequent distance of two neighbors.
 * @throws ToolError for times that cannot be read, repeat, or are not a multiple of the step apart
 */
export function regularTimes(times: readonly unknown[]): RegularTimes {
  if (times.length < 2)
    throw new ToolError(`The query returned ${times.length} rows; a trend needs at least 6.`);
  const axis = axisOf(times);
  const sorted = axis.values.toSorted((left, right) => left - right);
  const distances = sorted.slice(1).map((value, index) => value - (sorted[index] ?? value));
  const repeated = distances.indexOf(0);
  if (repeated !== -1)
    throw new ToolError(
      `Two rows have the time ${axis.format(sorted[repeated] ?? 0)}; aggregate them with GROUP BY.`,
    );
  const step = mostFrequent(distances);
  const irregular = distances.findIndex((distance) => !isMultiple(distance, step));
  if (irregular !== -1)
    throw new ToolError(
      `The times are not at equal distances: most are ${stepName(step, axis.unit)} apart, but ${axis.format(sorted[irregular] ?? 0)} and ${axis.format(sorted[irregular + 1] ?? 0)} are not a multiple of that. Aggregate them, by day or month for instance.`,
    );
  const start = sorted[0] ?? 0;
  return {
    scale: {
      step: stepName(step, axis.unit),
      calendarSeason: calendarSeason(step, axis.unit),
      timeAt: (position) => axis.format(start + position * step),
    },
    positions: axis.values.map((value) => Math.round((value - start) / step)),
  };
}

function axisOf(times: readonly unknown[]): Axis {
  if (times.every((time) => typeof time === 'number'))
    return { values: times, unit: 'number', format: (value) => Number(value.toPrecision(15)) };
  const parsed = times.map((time, index) => {
    const found = typeof time === 'string' ? parseTime(time) : undefined;
    if (found === undefined)
      throw new ToolError(
        `The time ${JSON.stringify(time)} in row ${index + 1} is neither a number nor a time such as 2026, 2026-11, 2026-11-23 or 2026-11-23 08:30; strftime() writes such times.`,
      );
    if (found.ms < FIRST_MS || found.ms > LAST_MS)
      throw new ToolError(
        `The time ${JSON.stringify(time)} in row ${index + 1} is outside of the years 0000 to 9999 in UTC; filter it in the query.`,
      );
    return found;
  });
  const [first] = parsed;
  if (first === undefined || new Set(parsed.map((time) => time.unit)).size > 1)
    throw new ToolError('The times have different precision; write them alike, with strftime().');
  const fractionDigits = parsed.reduce((most, time) => Math.max(most, time.fractionDigits), 0);
  const like = { ...first, fractionDigits };
  return (
    monthAxis(parsed, like) ?? {
      values: parsed.map((time) => time.ms),
      unit: 'ms',
      format: (value) => formatWithinYears(value, like),
    }
  );
}

/** @throws ToolError for a time after the year 9999, which only a prediction can have */
function formatWithinYears(ms: number, like: ParsedTime): string {
  // The comparison is false for NaN, a time beyond those of Date.
  if (ms <= LAST_MS) return formatTime(ms, like);
  throw new ToolError(
    'The predictions reach beyond the year 9999, the last that a time can have; choose a smaller horizon.',
  );
}

/** Returns an axis of months for years, months, and dates on the same or the last day of months. */
function monthAxis(times: readonly ParsedTime[], like: ParsedTime): Axis | undefined {
  const dates = times.map((time) => new Date(time.ms));
  const isLast = dates.every(
    (date) => date.getUTCDate() === lastDay(date.getUTCFullYear() * 12 + date.getUTCMonth()),
  );
  const day = isLast ? 31 : (dates[0]?.getUTCDate() ?? 1);
  const timeOfDay = (dates[0]?.getTime() ?? 0) % DAY_MS;
  const isMonthly = dates.every(
    (date) => (isLast || date.getUTCDate() === day) && date.getTime() % DAY_MS === timeOfDay,
  );
  if (!isMonthly) return undefined;
  return {
    values: dates.map((date) => date.getUTCFullYear() * 12 + date.getUTCMonth()),
    unit: 'month',
    format: (month) => {
      const start = Date.UTC(2000, month - MONTHS_UNTIL_2000, Math.min(day, lastDay(month)));
      return formatWithinYears(start + timeOfDay, like);
    },
  };
}

/** Returns the last day of a month, counted from the year 0. */
function lastDay(month: number): number {
  return new Date(Date.UTC(2000, month + 1 - MONTHS_UNTIL_2000, 0)).getUTCDate();
}

function mostFrequent(distances: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const distance of distances) {
    const rounded = Number(distance.toPrecision(9));
    counts.set(rounded, (counts.get(rounded) ?? 0) + 1);
  }
  const [best] = [...counts].toSorted(
    ([leftStep, left], [rightStep, right]) => right - left || leftStep - rightStep,
  );
  return best?.[0] ?? 1;
}

function isMultiple(distance: number, step: number): boolean {
  const times = distance / step;
  return times > 0.5 && Math.abs(times - Math.round(times)) < TOLERANCE * times + 1e-9;
}

function stepName(step: number, unit: Axis['unit']): string {
  if (unit === 'number') return String(step);
  if (unit === 'month') return step % 12 === 0 ? plural(step / 12, 'year') : plural(step, 'month');
  const [ms, name] = MS_UNITS.find(([each]) => step % each === 0) ?? [1, 'millisecond'];
  return plural(step / ms, name);
}

function plural(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

function calendarSeason(step: number, unit: Axis['unit']): number {
  if (unit === 'number') return 1;
  if (unit === 'month') return step < 12 && 12 % step === 0 ? 12 / step : 1;
  return MS_UNITS.find(([ms]) => ms === step)?.[2] ?? 1;
}

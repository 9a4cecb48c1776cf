import { dayAfter, type Today } from '../local-time.ts';
import type { PastDay } from '../provider.ts';
import type { UnitSystem } from '../units.ts';
import { WeatherError } from '../weather-error.ts';

export const FIRST_ARCHIVE_DATE = '1940-01-01';

export interface DateRange {
  /** First date, `YYYY-MM-DD`. */
  readonly start: string;
  /** Last date, `YYYY-MM-DD`. */
  readonly end: string;
}

/** Returns the number of days of a range, both ends included. */
export function daysIn({ start, end }: DateRange): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / 86_400_000) + 1;
}

/** Divides a range into its calendar years, which are requested and cached one by one. */
export function yearsOf({ start, end }: DateRange): readonly DateRange[] {
  const years: DateRange[] = [];
  for (let from = start; from <= end;) {
    const lastOfYear = `${from.slice(0, 4)}-12-31`;
    const to = lastOfYear < end ? lastOfYear : end;
    years.push({ start: from, end: to });
    from = dayAfter(to, 1);
  }
  return years;
}

/**
 * Checks that a range of the archive is in order and does not end after today.
 * @throws WeatherError `invalid-arguments`
 */
export function checkRange({ start, end }: DateRange, { latest }: Today): void {
  const problem =
    end < start
      ? `end ${end} is before start ${start}`
      : start < FIRST_ARCHIVE_DATE
        ? `start ${start} is before ${FIRST_ARCHIVE_DATE}, the first day of the archive`
        : end > latest
          ? `end ${end} is after today, ${latest}; weather_forecast has the days to come`
          : undefined;
  if (problem !== undefined) throw new WeatherError('invalid-arguments', `${problem}.`);
}

/** Mean, lowest and highest of the known values, and their number. */
export interface Aggregate {
  readonly mean: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly total: number | null;
  readonly samples: number;
}

export function aggregate(values: readonly (number | null)[]): Aggregate {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { mean: null, min: null, max: null, total: null, samples: 0 };
  const total = known.reduce((sum, value) => sum + value, 0);
  return {
    mean: round(total / known.length),
    min: known.reduce((least, value) => Math.min(least, value), Infinity),
    max: known.reduce((most, value) => Math.max(most, value), -Infinity),
    total: round(total),
    samples: known.length,
  };
}

/** Returns the weather of several days in the units of `system`. */
export function summaryOf(days: readonly PastDay[], system: UnitSystem) {
  const { mean } = aggregate(days.map((day) => day.temperatureMean));
  const highs = aggregate(days.map((day) => day.temperatureMax));
  const lows = aggregate(days.map((day) => day.temperatureMin));
  const precipitation = aggregate(days.map((day) => day.precipitation));
  return {
    days: days.length,
    temperatureMean: system.temperature(mean),
    temperatureMax: system.temperature(highs.max),
    temperatureMin: system.temperature(lows.min),
    precipitation: system.precipitation(precipitation.total),
    windSpeedMax: system.windSpeed(aggregate(days.map((day) => day.windSpeedMax)).max),
    missing: days.length - highs.samples,
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

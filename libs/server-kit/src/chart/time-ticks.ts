import type { Ticks } from './nice-ticks.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MAX_TICKS = 8;

/** Steps of fixed length, with the number of characters of the ISO time that tell two ticks apart. */
const FIXED_STEPS: readonly (readonly [ms: number, from: number, to: number])[] = [
  [1000, 11, 19],
  [5000, 11, 19],
  [15_000, 11, 19],
  [30_000, 11, 19],
  [MINUTE, 11, 16],
  [5 * MINUTE, 11, 16],
  [15 * MINUTE, 11, 16],
  [30 * MINUTE, 11, 16],
  [HOUR, 5, 16],
  [3 * HOUR, 5, 16],
  [6 * HOUR, 5, 16],
  [12 * HOUR, 5, 16],
  [DAY, 0, 10],
  [2 * DAY, 0, 10],
  [7 * DAY, 0, 10],
  [14 * DAY, 0, 10],
];
const MONTHS_UNTIL_2000 = 2000 * 12;
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120, 300, 600, 1200, 3000, 12_000] as const;

/** Returns ticks at full seconds, minutes, hours, days, months or years within `low` to `high` milliseconds. */
export function timeTicks(low: number, high: number): Ticks {
  const span = Math.max(high - low, 1);
  const fixed = FIXED_STEPS.find(([ms]) => span / ms <= MAX_TICKS);
  if (fixed !== undefined) {
    const [ms, from, to] = fixed;
    const first = Math.ceil(low / ms);
    const values = range(Math.floor(high / ms) - first + 1).map((index) => (first + index) * ms);
    return ticksOf(low, high, values, (value) => isoOf(value).slice(from, to).replace('T', ' '));
  }
  const months = MONTH_STEPS.find((step) => span / (step * 30.44 * DAY) <= MAX_TICKS) ?? 12_000;
  const start = Math.ceil(monthsOf(low) / months) * months;
  const count = Math.floor((monthsOf(high) - start) / months) + 1;
  const values = range(count)
    .map((index) => Date.UTC(2000, start + index * months - MONTHS_UNTIL_2000))
    .filter((value) => value >= low && value <= high);
  return ticksOf(low, high, values, (value) => isoOf(value).slice(0, months >= 12 ? 4 : 7));
}

function ticksOf(
  min: number,
  max: number,
  values: readonly number[],
  format: Ticks['format'],
): Ticks {
  return { min, max, values, format };
}

/** Returns the months since the year 0, with a fraction unless `ms` begins a month. */
function monthsOf(ms: number): number {
  const date = new Date(ms);
  const whole = date.getUTCFullYear() * 12 + date.getUTCMonth();
  const isStart = date.getUTCDate() === 1 && ms % DAY === 0;
  return isStart ? whole : whole + 0.5;
}

function range(count: number): number[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => index);
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

import { fitLine } from './least-squares.ts';

const MAX_LAG = 400;
/** Least correlation of a season. */
const MIN_CORRELATION = 0.25;

/**
 * Returns the length of the season in the values, or 1 when they have none: the shortest distance at
 * which the values correlate nearly as well as at any other, after a straight trend is removed. A
 * calendar season is preferred when it correlates nearly as well.
 */
export function findSeason(values: readonly number[], calendarSeason: number): number {
  const line = fitLine(values);
  const flat = values.map((value, index) => value - line.at(index));
  const variance = sumOfProducts(flat, 0);
  const scale = sumOfProducts(values, 0);
  if (variance <= scale * 1e-20) return 1;
  const maxLag = Math.min(MAX_LAG, Math.floor(values.length / 2));
  // The mean over the pairs, so that long seasons are not at a disadvantage.
  const correlations = Array.from({ length: maxLag + 2 }, (_, lag) =>
    lag >= values.length
      ? -1
      : (sumOfProducts(flat, lag) / variance) * (values.length / (values.length - lag)),
  );
  const at = (lag: number): number => correlations[lag] ?? -1;
  const peaks = correlations
    .map((_, lag) => lag)
    .filter((lag) => lag >= 2 && lag <= maxLag)
    .filter((lag) => at(lag) > at(lag - 1) && at(lag) >= at(lag + 1))
    .filter((lag) => at(lag) > leastCorrelation(values.length - lag, lag === calendarSeason));
  const highest = peaks.reduce((most, lag) => Math.max(most, at(lag)), 0);
  const shortest = peaks.find((lag) => at(lag) > highest * 0.9) ?? 1;
  const isCalendar =
    peaks.includes(calendarSeason) &&
    at(calendarSeason) > highest * 0.8 &&
    calendarSeason % shortest !== 0;
  return isCalendar ? calendarSeason : shortest;
}

/**
 * Returns a correlation that noise hardly reaches with this number of pairs; less for a season that
 * is likely anyway.
 */
function leastCorrelation(pairs: number, isLikely: boolean): number {
  const [deviations, most] = isLikely ? [2, 0.6] : [3.5, 0.8];
  return Math.min(most, Math.max(MIN_CORRELATION, deviations / Math.sqrt(pairs)));
}

function sumOfProducts(values: readonly number[], lag: number): number {
  let sum = 0;
  for (let index = lag; index < values.length; index += 1)
    sum += (values[index] ?? 0) * (values[index - lag] ?? 0);
  return sum;
}

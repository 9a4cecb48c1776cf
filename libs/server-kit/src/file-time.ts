const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Returns a time of a file (ms since the epoch) as a date with four digits for the year. Some file
 * systems keep times far outside of these years, which `Date` cannot have: the nearest date counts.
 */
export function fileTime(ms: number): Date {
  return new Date(Math.min(Math.max(Math.round(ms), FIRST_MS), LAST_MS));
}

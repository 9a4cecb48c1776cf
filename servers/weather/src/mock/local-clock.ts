export interface LocalClock {
  /** Date, `YYYY-MM-DD`. */
  readonly date: string;
  /** Hour, 0 to 23. */
  readonly hour: number;
  /** Time in ISO 8601, to the hour, with its offset. */
  readonly fullHour: string;
}

/** Returns the local time in a time zone (IANA name) at `now`. */
export function localClock(now: Date, timeZone: string): LocalClock {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
  const parts = Object.fromEntries(
    format.formatToParts(now).map((part) => [part.type, part.value]),
  );
  const date = `${parts['year']}-${parts['month']}-${parts['day']}`;
  const offset = parts['timeZoneName']?.replace('GMT', '') || '+00:00';
  return { date, hour: Number(parts['hour']), fullHour: `${date}T${parts['hour']}:00:00${offset}` };
}

/** Returns the calendar day `days` after a `YYYY-MM-DD` day. */
export function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Returns a local time of a service, `YYYY-MM-DDTHH:MM`; `undefined` for any other value. */
export function localTimeOf(value: unknown): string | undefined {
  const time =
    typeof value === 'string' ? /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.exec(value)?.[0] : undefined;
  return time !== undefined && isInCalendar(time) ? time : undefined;
}

/** Whether a date, or a date with a time, exists: 2026-02-30 does not exist. */
export function isInCalendar(text: string): boolean {
  const date = new Date(`${text.slice(0, 10)}T${text.slice(11) || '00:00'}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Whether a text is a date that exists, `YYYY-MM-DD`. */
export function isDate(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && isInCalendar(value);
}

/** Returns the calendar day `days` after a `YYYY-MM-DD` day. */
export function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Largest offset of a time zone; they reach from -12:00 to +14:00. */
const maxOffsetSeconds = 14 * 3600;

/** Returns an offset from UTC in seconds; `undefined` for a value that is none. */
export function offsetOf(value: unknown): number | undefined {
  return typeof value === 'number' && Math.abs(value) <= maxOffsetSeconds ? value : undefined;
}

/** The current date at a place. */
export interface Today {
  /** The date, `YYYY-MM-DD`; that of UTC when the time zone is unknown. */
  readonly date: string;
  /** The latest date that it can be. */
  readonly latest: string;
}

/** Returns the date in a time zone (IANA name) at an instant (ms since the epoch). */
export function todayIn(timeZone: string | undefined, instant: number): Today {
  const date = zonedTime(instant, timeZone ?? 'GMT').slice(0, 10);
  const latest = timeZone === undefined ? instant + maxOffsetSeconds * 1000 : undefined;
  return { date, latest: latest === undefined ? date : zonedTime(latest, 'GMT').slice(0, 10) };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Returns the local time of an instant (ms since the epoch) in a time zone (IANA name) with its
 * offset, ISO 8601 without a fraction. A time zone that this computer does not know counts as GMT.
 */
export function zonedTime(instant: number, timeZone: string): string {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(instant)
      .map((part) => [part.type, part.value]),
  );
  const offset = parts['timeZoneName']?.replace('GMT', '') || '+00:00';
  return `${parts['year']}-${parts['month']}-${parts['day']}T${parts['hour']}:${parts['minute']}:${parts['second']}${offset}`;
}

/**
 * Returns the first midnight after an instant (ms since the epoch) in a time zone: an IANA name or
 * an offset such as `-06:00`. On a day on which clocks change it is up to an hour off.
 */
export function nextMidnight(instant: number, timeZone: string): number {
  const [hours = 0, minutes = 0] = zonedTime(instant, timeZone)
    .slice(11, 16)
    .split(':')
    .map(Number);
  const minute = 60_000;
  const start = Math.floor(instant / minute) * minute;
  return start + (24 * 60 - hours * 60 - minutes) * minute;
}

const maxFormats = 500;

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const kept = formats.get(timeZone);
  if (kept !== undefined) return kept;
  const options = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  } as const;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-CA', { timeZone, ...options });
  } catch {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: 'GMT', ...options });
  }
  if (formats.size >= maxFormats) formats.clear();
  formats.set(timeZone, format);
  return format;
}

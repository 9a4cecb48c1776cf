/** The smallest unit that a written time has. */
export type TimeUnit = 'year' | 'month' | 'day' | 'minute' | 'second';

/** A time as SQLite writes it. */
export interface ParsedTime {
  /** Milliseconds since 1970, in UTC. A time without an offset counts as UTC. */
  readonly ms: number;
  readonly unit: TimeUnit;
  /** `T` or a space before the hour; empty for a date. */
  readonly separator: '' | 'T' | ' ';
  /** Whether the time ends with `Z` or an offset. */
  readonly hasZone: boolean;
  /** Number of digits after the seconds. */
  readonly fractionDigits: number;
}

const TIME =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:([T ])(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/;

/**
 * Reads a year, month, date or time of ISO 8601, such as `2026-11`, `2026-11-23` or `2026-11-23
 * 08:30`. Returns `undefined` for any other text and for days that do not exist.
 */
export function parseTime(text: string): ParsedTime | undefined {
  const match = TIME.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, separator, hour, minute, second, fraction, zone] = match;
  const fields = [month ?? '01', day ?? '01', hour ?? '00', minute ?? '00', second ?? '00'];
  const iso = `${year ?? ''}-${fields[0] ?? ''}-${fields[1] ?? ''}T${fields.slice(2).join(':')}.${(fraction ?? '').padEnd(3, '0').slice(0, 3)}Z`;
  const date = new Date(iso);
  if (Number.isNaN(date.getTime()) || date.toISOString() !== iso) return undefined;
  return {
    ms: date.getTime() - offsetMs(zone),
    unit: unitOf({ month, day, hour, second }),
    separator: separator === 'T' || separator === ' ' ? separator : '',
    hasZone: zone !== undefined,
    fractionDigits: fraction?.length ?? 0,
  };
}

function unitOf(fields: {
  readonly month: string | undefined;
  readonly day: string | undefined;
  readonly hour: string | undefined;
  readonly second: string | undefined;
}): TimeUnit {
  if (fields.second !== undefined) return 'second';
  if (fields.hour !== undefined) return 'minute';
  if (fields.day !== undefined) return 'day';
  return fields.month === undefined ? 'year' : 'month';
}

function offsetMs(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** Writes a time like `like`: with the same unit, number of digits, separator and zone mark. */
export function formatTime(ms: number, like: Omit<ParsedTime, 'ms'>): string {
  const iso = new Date(ms).toISOString();
  const length = { year: 4, month: 7, day: 10, minute: 16, second: 19 }[like.unit];
  const digits = iso.slice(20, 23).padEnd(like.fractionDigits, '0').slice(0, like.fractionDigits);
  const fraction = digits === '' ? '' : `.${digits}`;
  return `${iso.slice(0, length).replace('T', like.separator)}${fraction}${like.hasZone ? 'Z' : ''}`;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns a duration in milliseconds in at most two units, such as `1.2 s` or `3 min 20 s`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(ms < 10 * SECOND ? 1 : 0)} s`;
  if (ms < HOUR) return twoUnits(ms, [MINUTE, 'min'], [SECOND, 's']);
  if (ms < DAY) return twoUnits(ms, [HOUR, 'h'], [MINUTE, 'min']);
  return twoUnits(ms, [DAY, 'd'], [HOUR, 'h']);
}

type Unit = readonly [ms: number, name: string];

function twoUnits(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const whole = Math.floor(ms / large);
  const rest = Math.floor((ms - whole * large) / small);
  return rest === 0 ? `${whole} ${largeName}` : `${whole} ${largeName} ${rest} ${smallName}`;
}

/** Returns the distance of a time from now, such as `5 min ago` or `in 2 h`. Less than five seconds are `now`. */
export function formatRelative(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 5 * SECOND) return 'now';
  const text = formatDuration(
    distance < MINUTE ? Math.floor(distance / SECOND) * SECOND : distance,
  ).replace(/^(\d+(?:\.\d)? (?:min|h|d)) .*$/, '$1');
  return at <= now ? `${text} ago` : `in ${text}`;
}

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

/** Returns date and time in the zone and language of the reader. */
export function formatDateTime(at: number): string {
  return dateTime.format(at);
}

/** Returns the time of day with milliseconds, in the zone of the reader. */
export function formatClock(at: number): string {
  return clock.format(at);
}

const count = new Intl.NumberFormat(undefined);
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** Returns a number with separators. */
export function formatCount(value: number): string {
  return count.format(value);
}

/** Returns a large number in a few characters, such as `33.3K`. */
export function formatCompact(value: number): string {
  return compact.format(value);
}

/** Returns US dollars with as many digits as a small amount needs. */
export function formatCost(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.01) return `$${usd.toPrecision(2)}`;
  return `$${usd.toFixed(2)}`;
}

/** Returns a size in bytes, kB or MB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

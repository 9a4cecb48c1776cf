/** A time span of the overview. */
export interface TimeRange {
  readonly id: string;
  readonly label: string;
  /** The span behind "the last". */
  readonly words: string;
  readonly spanMs: number;
  readonly intervalMs: number;
  /** Milliseconds between two requests. */
  readonly refreshMs: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Time spans, the shortest first. */
export const TIME_RANGES: readonly [TimeRange, ...TimeRange[]] = [
  {
    id: '1h',
    label: '1 hour',
    words: 'hour',
    spanMs: HOUR,
    intervalMs: MINUTE,
    refreshMs: 5 * SECOND,
  },
  {
    id: '24h',
    label: '24 hours',
    words: '24 hours',
    spanMs: DAY,
    intervalMs: 15 * MINUTE,
    refreshMs: 15 * SECOND,
  },
  {
    id: '7d',
    label: '7 days',
    words: '7 days',
    spanMs: 7 * DAY,
    intervalMs: 2 * HOUR,
    refreshMs: MINUTE,
  },
  {
    id: '30d',
    label: '30 days',
    words: '30 days',
    spanMs: 30 * DAY,
    intervalMs: 8 * HOUR,
    refreshMs: MINUTE,
  },
];

/** Returns the time span of an id, the shortest one for an unknown id. */
export function timeRange(id: string): TimeRange {
  return TIME_RANGES.find((range) => range.id === id) ?? TIME_RANGES[0];
}

/** Returns the span until the end of the current interval, so that the limits of intervals do not move with the time of a request. */
export function spanAt({ spanMs, intervalMs }: TimeRange, now: number) {
  const to = (Math.floor(now / intervalMs) + 1) * intervalMs;
  return {
    from: new Date(to - spanMs).toISOString(),
    to: new Date(to).toISOString(),
    interval: intervalMs / SECOND,
  };
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const dayAndClock = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** Returns a time at the axis of a plot, in the zone of the reader: a time of day within a day, else a date. */
export function formatTick(at: number, { spanMs }: TimeRange): string {
  return spanMs <= DAY ? clock.format(at) : day.format(at);
}

/** Returns the limits of an interval in the zone of the reader. */
export function formatInterval(at: number, { intervalMs }: TimeRange): string {
  return `${dayAndClock.format(at)} – ${clock.format(at + intervalMs)}`;
}

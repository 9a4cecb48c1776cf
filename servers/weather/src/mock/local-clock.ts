import { zonedTime } from '../local-time.ts';

export interface LocalClock {
  /** Date, `YYYY-MM-DD`. */
  readonly date: string;
  /** Hour, 0 to 23. */
  readonly hour: number;
  /** Offset from UTC in seconds. */
  readonly offsetSeconds: number;
}

/** Returns the local time in a time zone (IANA name) at `now`. */
export function localClock(now: Date, timeZone: string): LocalClock {
  const time = zonedTime(now.getTime(), timeZone);
  const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})$/.exec(time) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * 60;
  return {
    date: time.slice(0, 10),
    hour: Number(time.slice(11, 13)),
    offsetSeconds: sign === '-' ? -offset : offset,
  };
}

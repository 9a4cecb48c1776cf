import { useSyncExternalStore, type ReactNode } from 'react';
import { CLOCK_CHANGED, serviceNow } from '../app/service-clock.ts';
import { formatClock, formatDateTime, formatRelative } from './format.ts';

/** Milliseconds between renderings of relative times. */
const TICK_MS = 5000;

interface TimeProps {
  /** ISO 8601. */
  readonly at: string;
  /** `relative` (default): distance from now; `clock`: time of day with milliseconds; `full`: date and time. */
  readonly form?: 'relative' | 'clock' | 'full';
}

/** A time in the zone of the reader. The full time is its tooltip. */
export function Time({ at, form = 'relative' }: TimeProps): ReactNode {
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={formatDateTime(time)}>
      {form === 'relative' ? (
        <Relative time={time} />
      ) : form === 'clock' ? (
        formatClock(time)
      ) : (
        formatDateTime(time)
      )}
    </time>
  );
}

function Relative({ time }: { readonly time: number }): ReactNode {
  return formatRelative(time, useNow(TICK_MS));
}

/** Returns the current time of the service in steps of `stepMs`, and renders again at each step. */
export function useNow(stepMs: number): number {
  return useSyncExternalStore(
    (onChange) => {
      const timer = setInterval(onChange, stepMs);
      addEventListener(CLOCK_CHANGED, onChange);
      return () => {
        clearInterval(timer);
        removeEventListener(CLOCK_CHANGED, onChange);
      };
    },
    () => Math.floor(serviceNow() / stepMs) * stepMs,
  );
}

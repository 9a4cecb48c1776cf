import type { RunCore } from '../../ports/store/progress.ts';
import type { RunLimits } from '../../ports/store/run.ts';
import type { Change } from '../core/commits.ts';
import type { LimitName } from '../core/events.ts';

/** Limits of a run that sets none. The wall clock leaves room for a long outage of the model. */
export const DEFAULT_LIMITS: RunLimits = {
  turns: 50,
  toolCalls: 200,
  wallClockMs: 14_400_000,
  callInactivityMs: 120_000,
  callMaxMs: 1_800_000,
  inboxExpiryMs: 86_400_000,
};

/** Share of a limit at which its warning is emitted. */
export const WARNING_SHARE = 0.8;

export interface LimitChange {
  readonly limit: Exclude<LimitName, 'wall_clock_ms'>;
  readonly before: number;
  readonly after: number;
  readonly allowed: number;
}

/** Emits the warning or the excess of a limit. Returns whether the limit allows the new value. */
export function checkLimit(
  change: Change,
  { limit, before, after, allowed }: LimitChange,
): boolean {
  if (after > allowed) {
    change.emit({ type: 'limit.exceeded', data: { limit, used: after, allowed } });
    return false;
  }
  const warnAt = allowed * WARNING_SHARE;
  if (before < warnAt && after >= warnAt)
    change.emit({ type: 'limit.warning', data: { limit, used: after, allowed } });
  return true;
}

type WallClock = Pick<RunCore, 'startedAt' | 'createdAt' | 'limits' | 'waitedMs'>;

/**
 * Returns the time at which the wall clock of a run ends. Time spent waiting for a person is not
 * counted.
 */
export function wallClockDeadline(run: WallClock): number {
  return (run.startedAt ?? run.createdAt) + run.limits.wallClockMs + run.waitedMs;
}

/** Returns the time at which the wall clock needs attention: at its warning, and then at its end. */
export function nextDeadline(run: WallClock, now: number): number {
  const end = wallClockDeadline(run);
  const warnAt = end - run.limits.wallClockMs * (1 - WARNING_SHARE);
  return Math.ceil(warnAt > now ? warnAt : end);
}

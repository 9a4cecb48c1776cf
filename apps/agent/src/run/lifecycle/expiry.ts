import type { InboxEntry, RunCore } from '../../ports/store/progress.ts';
import { failCall } from '../ledger/call-states.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { itemData } from '../ledger/inbox-items.ts';
import { WARNING_SHARE, nextDeadline, wallClockDeadline } from '../limits/limits.ts';
import { stopRun } from './stop-run.ts';

/** Warns of the end of a run's wall clock, or stops the run at its end. A deadline that was moved has no effect. */
export async function onWallClock(
  context: Uses<'bus' | 'clock' | 'sweep'>,
  change: Change,
): Promise<void> {
  const { sql, runId } = change;
  const now = context.clock.now();
  const run = await sql.runCore(runId);
  if (run?.deadlineAt === undefined || run.deadlineAt > now) return;
  if (await expireRunIfDue(context, change, run)) return;
  if (run.status === 'running') warn(change, run);
  const deadlineAt = run.status === 'running' ? nextDeadline(run, now) : undefined;
  await sql.updateRun(runId, { deadlineAt });
  if (deadlineAt !== undefined) change.afterCommit(() => context.sweep.wakeAt(deadlineAt));
}

/** Stops a run whose wall clock has ended. Returns whether it had. */
export async function expireRunIfDue(
  context: Uses<'bus' | 'clock'>,
  change: Change,
  run: RunCore,
): Promise<boolean> {
  const overdueMs = context.clock.now() - wallClockDeadline(run);
  if (run.status !== 'running' || overdueMs < 0) return false;
  const { wallClockMs } = run.limits;
  change.emit({
    type: 'limit.exceeded',
    data: { limit: 'wall_clock_ms', used: wallClockMs + overdueMs, allowed: wallClockMs },
  });
  const { modelOutage: outage } = run;
  const waited =
    outage === undefined
      ? ''
      : ` It was waiting for its model, which failed ${outage.attempts} times since ${new Date(outage.since).toISOString()}, the last time with: ${outage.error.message}`;
  const message = `The run took longer than its limit of ${wallClockMs} ms.${waited}`;
  await stopRun(context, change, {
    run,
    reason: 'wall_clock_limit',
    error: { code: 'wall_clock_limit', message },
  });
  return true;
}

function warn(change: Change, run: RunCore): void {
  const { wallClockMs } = run.limits;
  change.emit({
    type: 'limit.warning',
    data: {
      limit: 'wall_clock_ms',
      used: Math.round(wallClockMs * WARNING_SHARE),
      allowed: wallClockMs,
    },
  });
}

/**
 * Expires an open item whose deadline has passed. An unknown outcome stays unknown; the result for
 * the model says so.
 */
export async function expireItemIfDue(
  context: Uses<'bus' | 'clock'>,
  change: Change,
  item: InboxEntry,
): Promise<void> {
  if (
    item.expiresAt > context.clock.now() ||
    !(await change.sql.updateInboxItem(item.id, 'open', { state: 'expired' }))
  )
    return;
  change.emit({ type: 'inbox.expired', data: itemData(item) });
  const call = item.callId === undefined ? undefined : await change.sql.toolCall(item.callId);
  if (item.kind === 'tool_approval' && call?.state === 'awaiting_approval') {
    await failCall(context, change, {
      call,
      message: 'Nobody approved the call in time.',
      text: 'This call was not made: it needed the approval of a person, which was not given in time.',
    });
  }
  if (item.kind === 'server_login' && call !== undefined)
    await failCall(context, change, {
      call,
      message: 'Nobody logged in to the server in time.',
      text: 'This call was not made: its server needs a login, and nobody logged in in time.',
    });
  change.afterCommit(() => context.bus.publish({ type: 'inbox', itemId: item.id }));
}

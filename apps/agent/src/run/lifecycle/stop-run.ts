import type { RunCore } from '../../ports/store/progress.ts';
import type { RunError } from '../../ports/store/run.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { voidItems } from '../ledger/inbox-items.ts';
import { cancelCall } from '../ledger/call-states.ts';

export interface Stop {
  readonly run: RunCore;
  readonly reason: string | undefined;
  /** Set when the run ends as `expired`. */
  readonly error?: RunError;
}

/**
 * Begins to stop a run: cancels unsent calls, voids inbox items, and signals running calls to stop.
 * Reconciling ends the run when nothing of it runs.
 */
export async function stopRun(
  context: Uses<'bus' | 'clock'>,
  change: Change,
  { run, reason, error }: Stop,
): Promise<void> {
  await change.sql.updateRun(run.id, {
    status: 'cancelling',
    statusReason: reason,
    error,
    deadlineAt: undefined,
  });
  change.emit({ type: 'run.cancelling', data: { reason } });
  await voidItems(context, change, { reason: 'run_ended' });
  await cancelUnsentCalls(context, change);
  change.afterCommit(() => context.bus.publish({ type: 'cancel', runId: run.id }));
}

/** Cancels the unsent calls of a run. */
export async function cancelUnsentCalls(context: Uses<'clock'>, change: Change): Promise<void> {
  for (const call of await change.sql.toolCalls(change.runId, {
    state: ['planned', 'awaiting_approval'],
  })) {
    await cancelCall(context, change, { call, level: undefined, outcome: 'not_sent' });
  }
}

import type { RunCore } from '../../ports/progress-store.ts';
import type { RunError } from '../../ports/run-store.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { voidItems } from '../ledger/inbox-items.ts';
import { cancelCall } from '../ledger/call-states.ts';

export interface Stop {
  readonly run: RunCore;
  readonly reason: string | undefined;
  /** Present when the run ends as `expired`. */
  readonly error?: RunError;
}

/** Begins to stop a run: what was not sent is cancelled, questions are closed, what runs is told to stop. Ends the run when nothing runs. */
export async function stopRun(
  context: Uses<'bus' | 'clock' | 'timers'>,
  change: Change,
  { run, reason, error }: Stop,
): Promise<void> {
  await change.sql.updateRun(run.id, { status: 'cancelling', statusReason: reason, error });
  change.emit({ type: 'run.cancelling', data: { reason } });
  await voidItems(context, change, { reason: 'run_ended' });
  await cancelUnsentCalls(context, change);
  change.afterCommit(() => context.bus.publish({ type: 'cancel', runId: run.id }));
}

/** Cancels the calls of a run that were not sent. */
export async function cancelUnsentCalls(context: Uses<'clock'>, change: Change): Promise<void> {
  for (const call of await change.sql.toolCalls(change.runId, {
    state: ['planned', 'awaiting_approval'],
  })) {
    await cancelCall(context, change, { call, level: undefined, outcome: 'not_sent' });
  }
}

import type { DamagedRowError } from '../../ports/store/errors.ts';
import { isSettled } from '../../ports/store/run.ts';
import { SENT_CALL_STATES, type ToolCall } from '../../ports/store/tool-call.ts';
import { loseOrphanedCalls } from './orphaned-calls.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { failCall, loseCall } from '../ledger/call-states.ts';
import { voidItems } from '../ledger/inbox-items.ts';

type Parts = Uses<'workerId' | 'bus' | 'clock' | 'logger' | 'commit'>;

/**
 * Fails a run with an unreadable stored value, so that it is visible and blocks nothing. The outcome
 * of its sent calls that no worker waits for becomes unknown.
 */
export function failDamagedRun(
  context: Parts,
  runId: string,
  damage: DamagedRowError,
): Promise<void> {
  return failDamaged(context, { runId }, damage);
}

/**
 * Ends a call that cannot continue because a stored value of it or of its run is unreadable, and
 * fails the run. The outcome of a sent call becomes unknown. A call that another worker continues is
 * left to that worker.
 */
export function failDamagedCall(
  context: Parts,
  { id, runId }: Pick<ToolCall, 'id' | 'runId'>,
  damage: DamagedRowError,
): Promise<void> {
  return failDamaged(context, { runId, callId: id }, damage);
}

async function failDamaged(
  context: Parts,
  { runId, callId }: { readonly runId: string; readonly callId?: string },
  damage: DamagedRowError,
): Promise<void> {
  context.logger.error('a run cannot continue because a stored value cannot be read', {
    run_id: runId,
    error: damage,
  });
  await context.commit(runId, async (change) => {
    const status = await change.sql.runStatus(runId);
    if (status === undefined) return;
    if (callId !== undefined) await endCall(context, change, { callId, damage });
    await loseOrphanedCalls(context, change);
    if (isSettled({ status })) return;
    const error = { code: 'damaged_row', message: `The run cannot continue: ${damage.message}` };
    await voidItems(context, change, { reason: 'run_ended' });
    await change.sql.savePartial(runId, undefined);
    await change.sql.updateRun(runId, {
      status: 'failed',
      statusReason: error.code,
      error,
      waitingSince: undefined,
      retryAt: undefined,
      deadlineAt: undefined,
      finishedAt: context.clock.now(),
    });
    change.emit({ type: 'run.failed', data: { error, answer: undefined } });
  });
}

async function endCall(
  context: Uses<'workerId' | 'clock'>,
  change: Change,
  { callId, damage }: { readonly callId: string; readonly damage: DamagedRowError },
): Promise<void> {
  const call = (await change.sql.openCalls(change.runId)).find(({ id }) => id === callId);
  if (call === undefined) return;
  if (!SENT_CALL_STATES.includes(call.state)) {
    await failCall(context, change, {
      call,
      message: `The call was not sent: ${damage.message}.`,
    });
    return;
  }
  if (call.owner === undefined || call.owner === context.workerId)
    await loseCall(context, change, {
      call,
      message: `The outcome of the call could not be stored: ${damage.message}.`,
    });
}

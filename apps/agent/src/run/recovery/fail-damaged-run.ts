import { isSettled } from '../../ports/store/run.ts';
import type { DamagedRowError } from '../../ports/store/errors.ts';
import type { Uses } from '../core/engine-parts.ts';
import { disownOrphanedCalls } from '../calls/orphaned-calls.ts';
import { voidItems } from '../ledger/inbox-items.ts';

/** Fails a run with an unreadable stored value, so that it is visible and blocks nothing. */
export async function failDamagedRun(
  context: Uses<'bus' | 'clock' | 'logger' | 'commit'>,
  runId: string,
  damage: DamagedRowError,
): Promise<void> {
  context.logger.error('a run cannot continue because a stored value cannot be read', {
    run_id: runId,
    error: damage,
  });
  await context.commit(runId, async (change) => {
    const status = await change.sql.runStatus(runId);
    if (status === undefined) return;
    if (isSettled({ status })) return disownOrphanedCalls(change);
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

import { isSettled } from '../../ports/store/run.ts';
import { isAbandoned } from '../core/activities.ts';
import { beginTurn } from './begin-turn.ts';
import type { EngineParts, Uses } from '../core/engine-parts.ts';
import { nextDeadline } from '../limits/limits.ts';
import { modelNotice } from '../core/run-model.ts';
import { firstConnections } from '../calls/servers-ready.ts';
import { takeTurn } from './take-turn.ts';
import { isNextInThread } from '../lifecycle/thread-order.ts';

/**
 * Takes the next step of a run, if it has one: the model call of its next turn. It is safe to call
 * at any time and repeatedly.
 */
export async function advanceRun(context: EngineParts, runId: string): Promise<void> {
  const run = await context.store.read.run(runId);
  if (run === undefined || isSettled(run)) return;
  if (run.traceContext !== undefined) context.traces?.runRequested(runId, run.traceContext);
  if (run.status === 'queued' && !(await claimRun(context, runId))) return;
  // Otherwise a turn would begin after the close stopped all turns.
  if (context.closing.aborted) return;
  // The same job may have been delivered twice.
  if (context.activities.hasTurn(runId)) return;
  const activity = context.activities.beginTurn(runId);
  try {
    await firstConnections(context.dispatcher, run.servers, {
      clock: context.clock,
      signal: activity.signal,
    });
    // The signal that is aborted would end a turn of the new worker id.
    if (isAbandoned(activity)) return;
    const turn = await context.commit(runId, (change) => beginTurn(context, change), 'begin-turn');
    if (turn !== undefined) await takeTurn(context, turn, activity.signal);
  } finally {
    activity.end();
  }
}

/**
 * Starts a queued run. Returns false while runs before it in its thread are not settled; the last
 * of them enqueues it.
 */
async function claimRun(
  context: Uses<'llm' | 'clock' | 'sweep' | 'commit'>,
  runId: string,
): Promise<boolean> {
  return context.commit(runId, async (change) => {
    const run = await change.sql.runCore(runId);
    if (run?.status !== 'queued') return true;
    if (!(await isNextInThread(change.sql, run))) return false;
    const startedAt = context.clock.now();
    const { provider, model, scripted } = run;
    const deadlineAt = nextDeadline({ ...run, startedAt }, startedAt);
    await change.sql.updateRun(runId, { status: 'running', startedAt, deadlineAt });
    change.emit({
      type: 'run.started',
      data: { provider, model, scripted, notice: modelNotice(context.llm, run) },
    });
    change.afterCommit(() => context.sweep.wakeAt(deadlineAt));
    return true;
  });
}

import type { InboxEntry, RunCore } from '../../ports/store/progress.ts';
import { SENT_CALL_STATES } from '../../ports/store/tool-call.ts';
import type { Change } from '../core/commits.ts';
import { finishStopping } from './end-run.ts';
import type { Uses } from '../core/engine-parts.ts';
import { loginWaits } from '../calls/await-login.ts';
import { nextDeadline } from '../limits/limits.ts';
import { waitsForModel } from './model-outage.ts';

/**
 * Updates the status of the run to match its turn, calls and inbox items, and enqueues the next step
 * when nothing blocks it. `Commits` runs it as the last step of every transaction that can change one
 * of these. `isBusy`: the transaction leaves a planned call.
 */
export async function reconcile(
  context: Uses<'enqueue' | 'bus' | 'clock' | 'newId' | 'sweep'>,
  change: Change,
  isBusy: boolean,
): Promise<void> {
  const { sql, runId } = change;
  const run = await sql.activeRun(runId);
  if (run === undefined || (isBusy && run.status === 'running')) return;
  const [calls, turn, open] = await Promise.all([
    sql.openCalls(runId),
    sql.activeTurn(runId),
    sql.inboxEntries({ runId, states: ['open'] }),
  ]);
  const hasTurn = turn !== undefined;
  switch (run.status) {
    case 'cancelling':
      if (!calls.some((call) => SENT_CALL_STATES.includes(call.state)) && !hasTurn)
        await finishStopping(context, change, run);
      return;
    case 'running':
    case 'input_required': {
      const waiting = loginWaits(open);
      const isWorking =
        hasTurn ||
        calls.some(
          (call) =>
            (call.state === 'planned' && !waiting.has(call.id)) ||
            call.state === 'dispatched' ||
            call.state === 'working',
        );
      const isWaiting = !isWorking && (open.length > 0 || calls.length > 0);
      if (isWaiting && run.status === 'running') await beginWait(context, change, open);
      if (!isWaiting && run.status === 'input_required') await endWait(context, change, run);
      if (!isWorking && !isWaiting && !waitsForModel(context, run))
        change.afterCommit(() =>
          context.enqueue({ type: 'advance-run', runId }, { priority: run.priority }),
        );
      return;
    }
    case 'queued':
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'expired':
  }
}

async function beginWait(
  context: Uses<'clock'>,
  { sql, runId, emit }: Change,
  open: readonly InboxEntry[],
): Promise<void> {
  await sql.updateRun(runId, {
    status: 'input_required',
    waitingSince: context.clock.now(),
    deadlineAt: undefined,
  });
  emit({ type: 'run.input_required', data: { inbox_item_ids: open.map((item) => item.id) } });
}

async function endWait(
  context: Uses<'clock' | 'sweep'>,
  { sql, runId, emit, afterCommit }: Change,
  run: RunCore,
): Promise<void> {
  const now = context.clock.now();
  const waitedMs = run.waitedMs + now - (run.waitingSince ?? now);
  const deadlineAt = nextDeadline({ ...run, waitedMs }, now);
  await sql.updateRun(runId, { status: 'running', waitedMs, waitingSince: undefined, deadlineAt });
  emit({ type: 'run.resumed', data: { reason: 'inbox_closed' } });
  afterCommit(() => context.sweep.wakeAt(deadlineAt));
}

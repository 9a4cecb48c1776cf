import type { RunCore } from '../../ports/store/progress.ts';
import { isSettled, type RunError, type RunStatus } from '../../ports/store/run.ts';
import { answerToolUses } from '../results/answer-tool-uses.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { voidItems } from '../ledger/inbox-items.ts';
import { messageText } from '../text/message-text.ts';
import { wakeThread } from './thread-order.ts';

/** Outcome of a run that was not stopped; a stopped run ends in `finishStopping`. */
export type RunEnd =
  | { readonly status: 'completed'; readonly answer: string; readonly output?: unknown }
  | { readonly status: 'failed'; readonly error: RunError; readonly reason?: string };

/** Settles the run. A failed run keeps the last text of the model as its partial answer. */
export async function endRun(
  context: Uses<'enqueue' | 'bus' | 'clock' | 'newId'>,
  change: Change,
  end: RunEnd,
): Promise<void> {
  const run = await change.sql.runCore(change.runId);
  if (run === undefined || isSettled(run)) return;
  if (end.status === 'completed') {
    const { answer, output } = end;
    await settle(context, change, { run, status: 'completed', answer, output });
    change.emit({ type: 'run.completed', data: { answer, output, scripted: run.scripted } });
    return;
  }
  const answer = await answerSoFar(change);
  await settle(context, change, {
    run,
    status: 'failed',
    answer,
    error: end.error,
    statusReason: end.reason ?? end.error.code,
  });
  change.emit({ type: 'run.failed', data: { error: end.error, answer } });
}

/**
 * Settles a run in `cancelling` when nothing of it runs any more: as `expired` when a limit stopped
 * it, else as `cancelled`.
 */
export async function finishStopping(
  context: Uses<'enqueue' | 'bus' | 'clock' | 'newId'>,
  change: Change,
  run: RunCore,
): Promise<void> {
  const answer = await answerSoFar(change);
  if (run.error === undefined) {
    await settle(context, change, {
      run,
      status: 'cancelled',
      answer,
      statusReason: run.statusReason,
    });
    change.emit({ type: 'run.cancelled', data: { reason: run.statusReason, answer } });
    return;
  }
  await settle(context, change, {
    run,
    status: 'expired',
    answer,
    error: run.error,
    statusReason: run.statusReason,
  });
  change.emit({ type: 'run.expired', data: { error: run.error, answer } });
}

interface Settlement {
  readonly run: RunCore;
  readonly status: RunStatus;
  readonly answer: string | undefined;
  readonly output?: unknown;
  readonly error?: RunError;
  readonly statusReason?: string | undefined;
}

async function settle(
  context: Uses<'enqueue' | 'bus' | 'clock' | 'newId'>,
  change: Change,
  { run, status, answer, output, error, statusReason }: Settlement,
): Promise<void> {
  const now = context.clock.now();
  await voidItems(context, change, { reason: 'run_ended' });
  const waitedMs = run.waitedMs + (run.waitingSince === undefined ? 0 : now - run.waitingSince);
  await change.sql.updateRun(run.id, {
    status,
    statusReason,
    answer,
    output,
    error,
    modelOutage: undefined,
    retryAt: undefined,
    deadlineAt: undefined,
    waitedMs,
    waitingSince: undefined,
    finishedAt: now,
  });
  if (status !== 'completed') await answerToolUses(context, change);
  await wakeThread(context, change, run);
}

async function answerSoFar({ sql, runId }: Change): Promise<string | undefined> {
  for (let before: number | undefined; ;) {
    const message = await sql.lastMessage(runId, {
      role: 'assistant',
      ...(before === undefined ? {} : { before }),
    });
    if (message === undefined || message.turn === 0) return undefined;
    const text = messageText(message.content);
    if (text !== '') return text;
    before = message.position;
  }
}

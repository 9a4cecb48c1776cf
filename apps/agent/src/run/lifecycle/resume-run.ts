import { EngineError, type OnCommit } from '../../ports/run-engine.ts';
import { isSettled, type Run, type RunLimits } from '../../ports/store/run.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { nextDeadline } from '../limits/limits.ts';
import { NO_OUTAGE } from './model-outage.ts';
import { runOnCommit } from '../core/on-commit.ts';
import { cancelUnsentCalls } from './stop-run.ts';
import { awaitedCall, loseOrphanedCalls } from '../calls/orphaned-calls.ts';

export interface Resumption {
  /** Limits that replace those of the run. */
  readonly limits?: Partial<RunLimits> | undefined;
  readonly onCommit?: OnCommit<Run> | undefined;
}

/** Codes of failures that leave a conversation which the model can continue. */
const RESUMABLE_CODES: ReadonlySet<string> = new Set([
  'internal_error',
  'limit_exceeded',
  'wall_clock_limit',
]);

/**
 * Continues a failed or expired run with its next model call and a new wall clock. Sends no tool
 * call again: the model reads the results, and for calls without a result that their outcome is
 * unknown or that they were not sent.
 */
export async function resumeRun(
  context: Uses<'enqueue' | 'clock' | 'sweep' | 'commit'>,
  id: string,
  { limits, onCommit }: Resumption,
): Promise<Run> {
  return context.commit(id, async (change) => {
    const { sql } = change;
    const run = await sql.run(id);
    if (run === undefined) throw new EngineError('run_not_found', `There is no run ${id}.`);
    const problem = await whyNotResumable(change, run);
    if (problem !== undefined)
      throw new EngineError('run_not_resumable', `The run ${id} cannot be resumed: ${problem}`);
    await loseOrphanedCalls(context, change);
    await cancelUnsentCalls(context, change);
    await restart(context, change, { ...run, limits: { ...run.limits, ...limits } });
    const resumed = async (): Promise<Run> => (await sql.run(id)) ?? run;
    runOnCommit(change, onCommit, resumed);
    return resumed();
  });
}

async function whyNotResumable(change: Change, run: Run): Promise<string | undefined> {
  if (run.kind === 'call') return 'it is a single tool call. Make the call again.';
  if (!isSettled(run)) return `it has not ended, it is ${run.status}.`;
  if (run.status !== 'failed' && run.status !== 'expired')
    return `it is ${run.status}. Fork it to continue from there.`;
  const code = run.error?.code ?? '';
  if (!code.startsWith('llm_') && !RESUMABLE_CODES.has(code))
    return `it failed with ${code}, which another attempt does not change. Fork it with another prompt.`;
  const awaited = await awaitedCall(change);
  if (awaited !== undefined) return `its call ${awaited.id} has not ended. Try again when it has.`;
  if (await hasLaterRun(change.sql, run))
    return 'its thread has a later run, which began with what this one said. Fork it instead.';
  return undefined;
}

async function hasLaterRun(
  sql: StoreReader,
  { threadId, threadPosition = 0 }: Run,
): Promise<boolean> {
  if (threadId === undefined) return false;
  const { data } = await sql.runs({ threadId, limit: 1 });
  return data.some((run) => (run.threadPosition ?? 0) > threadPosition);
}

async function restart(
  context: Uses<'enqueue' | 'clock' | 'sweep'>,
  { sql, emit, afterCommit }: Change,
  run: Run,
): Promise<void> {
  const now = context.clock.now();
  const startedAt = run.startedAt ?? now;
  const waitedMs = now - startedAt;
  const deadlineAt = nextDeadline({ ...run, startedAt, waitedMs }, now);
  // The text of the failed model call; its turn is repeated.
  await sql.deleteMessagesAfter(run.id, run.turns);
  const ended = { answer: undefined, error: undefined, finishedAt: undefined };
  await sql.updateRun(run.id, {
    ...NO_OUTAGE,
    ...ended,
    status: 'running',
    limits: run.limits,
    startedAt,
    waitedMs,
    deadlineAt,
  });
  emit({ type: 'run.resumed', data: { reason: 'requested' } });
  afterCommit(() => {
    context.sweep.wakeAt(deadlineAt);
    context.enqueue({ type: 'advance-run', runId: run.id }, { priority: run.priority });
  });
}

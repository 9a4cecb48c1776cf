import { isSettled, type Run } from '../../ports/store/run.ts';
import { isAbandoned } from '../core/activities.ts';
import type { KnownRun } from '../core/known-work.ts';
import { beginTurn } from './begin-turn.ts';
import type { StartOutcome } from '../core/run-starter.ts';
import type { EngineParts, Uses } from '../core/engine-parts.ts';
import { nextDeadline } from '../limits/limits.ts';
import { modelNotice } from '../core/run-model.ts';
import { firstConnections } from '../calls/servers-ready.ts';
import { takeTurn } from './take-turn.ts';
import { isNextInThread } from '../lifecycle/thread-order.ts';

/**
 * Takes the next step of a run, if it has one: the model call of its next turn. It is safe to call
 * at any time and repeatedly. Returns false when there is none, as for a queued run, which is left
 * to `startRun`.
 */
export async function advanceRun(context: EngineParts, runId: string): Promise<boolean> {
  const known = context.known.run(runId);
  // A turn that has stored its end is still in progress for a moment, which the read takes.
  if (known !== undefined && !context.activities.hasTurn(runId))
    return takeStep(context, { id: runId, servers: known.servers, known });
  const run = await context.store.read.run(runId);
  if (run === undefined || isSettled(run) || run.status === 'queued') return false;
  continueTrace(context, run);
  return takeStep(context, run);
}

/** Starts a queued run with the model call of its first turn. */
export async function startRun(context: EngineParts, runId: string): Promise<StartOutcome> {
  const run = await context.store.read.run(runId);
  if (run?.status !== 'queued') return 'not-queued';
  // Before the first event of the run, with which its trace begins.
  continueTrace(context, run);
  const outcome = await claimRun(context, runId);
  if (outcome === 'started') await takeStep(context, run);
  return outcome;
}

/** Makes the trace of a run that another process accepted a part of that of its client. */
function continueTrace({ traces }: Uses<'traces'>, { id, traceContext }: Run): void {
  if (traceContext !== undefined) traces?.runRequested(id, traceContext);
}

/** A run, with what this worker knows of its last turn. */
type NextStep = Pick<Run, 'id' | 'servers'> & { readonly known?: KnownRun };

async function takeStep(
  context: EngineParts,
  { id: runId, servers, known }: NextStep,
): Promise<boolean> {
  // Otherwise a turn would begin after the close stopped all turns.
  if (context.closing.aborted) return false;
  // The same job may have been delivered twice.
  if (context.activities.hasTurn(runId)) return false;
  const activity = context.activities.beginTurn(runId);
  try {
    await firstConnections(context.dispatcher, servers, {
      clock: context.clock,
      signal: activity.signal,
    });
    if (servers !== undefined) await context.dispatcher.useLogins(servers, activity.signal);
    // The signal that is aborted would end a turn of the new worker id.
    if (isAbandoned(activity)) return false;
    const turn = await context.commit(
      runId,
      (change) => beginTurn(context, change, known),
      'begin-turn',
    );
    if (turn === undefined) {
      context.known.forgetRun(runId);
      return false;
    }
    const { epoch, run } = turn;
    const { prompt, instructions, answer, outputSchema, output, turns } = run;
    const long = { prompt, instructions, answer, outputSchema, output };
    context.known.addRun(runId, { servers, toolRules: run.toolRules, epoch, long, turns });
    await takeTurn(context, turn, activity.signal);
    return true;
  } finally {
    activity.end();
  }
}

/**
 * Makes a queued run running, unless its API key has as many runs in progress as it may have or runs
 * before it in its thread are not settled; the last of these enqueues it.
 */
async function claimRun(
  context: Uses<'llm' | 'clock' | 'sweep' | 'commit' | 'keyLimits'>,
  runId: string,
): Promise<StartOutcome> {
  return context.commit(runId, async (change) => {
    const run = await change.sql.runCore(runId);
    if (run?.status !== 'queued') return 'not-queued';
    if (!(await isNextInThread(change.sql, run))) return 'not-queued';
    const { runningRuns = Infinity } = context.keyLimits(run.apiKey);
    if (runningRuns < Infinity) {
      await change.sql.lockApiKey(run.apiKey);
      if ((await change.sql.runsInProgress(run.apiKey)) >= runningRuns) return 'key-full';
    }
    const startedAt = context.clock.now();
    const { provider, model, scripted } = run;
    const deadlineAt = nextDeadline({ ...run, startedAt }, startedAt);
    await change.sql.updateRun(runId, { status: 'running', startedAt, deadlineAt });
    change.emit({
      type: 'run.started',
      data: { provider, model, scripted, notice: modelNotice(context.llm, run) },
    });
    change.afterCommit(() => context.sweep.wakeAt(deadlineAt));
    return 'started';
  });
}

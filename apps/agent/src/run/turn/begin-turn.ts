import type { Epoch } from '../../ports/store/epoch.ts';
import { OPEN_CALL_STATES } from '../../ports/store/tool-call.ts';
import type { ActiveTurn } from '../../ports/store/message.ts';
import type { Run } from '../../ports/store/run.ts';
import type { StoreReader } from '../../ports/store.ts';
import { overBudget } from '../limits/budget.ts';
import type { Change } from '../core/commits.ts';
import { createEpoch } from './epoch.ts';
import { awaitServerLogins, loginWaits } from '../calls/await-login.ts';
import { endCallRun } from '../lifecycle/end-call-run.ts';
import { endRun } from '../lifecycle/end-run.ts';
import type { Uses } from '../core/engine-parts.ts';
import type { KnownRun } from '../core/known-work.ts';
import { expireRunIfDue } from '../lifecycle/expiry.ts';
import { checkLimit } from '../limits/limits.ts';
import { waitsForModel } from '../lifecycle/model-outage.ts';
import { readLastTurn, storeToolResults, type LastTurn } from '../results/tool-results.ts';

type Parts = Uses<
  'workerId' | 'enqueue' | 'bus' | 'dispatcher' | 'llm' | 'clock' | 'newId' | 'policyOf' | 'sweep'
>;

/** A turn that is about to make its model call. */
export interface Turn {
  readonly run: Run;
  readonly number: number;
  readonly messageId: string;
  /** Id of the worker that makes the call. */
  readonly owner: string;
  /** System prompt and tools at the start of the conversation. */
  readonly epoch: Epoch;
}

/**
 * Begins the next turn when nothing blocks it; otherwise makes sure that the blocking work
 * continues. `known`: what is known of the run from its last turn.
 */
export async function beginTurn(
  context: Parts,
  change: Change,
  known?: KnownRun,
): Promise<Turn | undefined> {
  const { sql, runId } = change;
  const [active, run, stored, expected] = await Promise.all([
    sql.activeTurn(runId),
    runOf(sql, runId, known),
    known?.epoch ?? sql.epoch(runId),
    known && readLastTurn(context, change, known),
  ]);
  // Another process makes the model call.
  if (active !== undefined && active.owner !== context.workerId) return undefined;
  // No model call of this process is in progress, or this code would not run. Its text is lost, and the model call is repeated.
  if (active !== undefined) await interruptTurn(change, active, 'process_ended');
  if (run === undefined || (await isBlocked(context, change, run, expected))) return undefined;
  if (run.kind === 'call') {
    await endCallRun(context, change, run);
    return undefined;
  }
  const number = run.turns + 1;
  if (
    !checkLimit(change, {
      limit: 'turns',
      before: run.turns,
      after: number,
      allowed: run.limits.turns,
    })
  ) {
    const message = `The run used all of its ${run.limits.turns} turns.`;
    await endRun(context, change, {
      status: 'failed',
      error: { code: 'limit_exceeded', message },
      reason: 'turn_limit',
    });
    return undefined;
  }
  const spent = overBudget(run);
  if (spent !== undefined) {
    await endRun(context, change, {
      status: 'failed',
      error: { code: 'limit_exceeded', message: spent.message },
      reason: spent.reason,
    });
    return undefined;
  }
  // The tools of a server that the run needs are known after the login only.
  if (stored === undefined && (await awaitServerLogins(context, change, run))) return undefined;
  const epoch = stored ?? (await createEpoch(context, change, run));
  const messageId = context.newId();
  const owner = context.workerId;
  if (!(await sql.startTurn({ runId, turn: number, owner, messageId }))) return undefined;
  if (run.retryAt !== undefined) await sql.updateRun(runId, { retryAt: undefined });
  change.emit(
    {
      type: 'turn.started',
      data: {
        turn: number,
        message_id: messageId,
        provider: run.provider,
        model: run.model,
        attempt: (run.modelOutage?.attempts ?? 0) + 1,
      },
    },
    { type: 'message.started', data: { turn: number, message_id: messageId, role: 'assistant' } },
  );
  return { run, number, messageId, owner, epoch };
}

async function runOf(
  sql: StoreReader,
  id: string,
  known: KnownRun | undefined,
): Promise<Run | undefined> {
  if (known === undefined) return sql.run(id);
  const core = await sql.runCore(id);
  return core && { ...core, ...known.long };
}

/** Ends the attempt of a turn whose model call is no longer in progress. The turn is repeated. */
export async function interruptTurn(
  { sql, runId, emit }: Change,
  { messageId, turn }: Pick<ActiveTurn, 'messageId' | 'turn'>,
  reason: 'process_ended' | 'shutdown',
): Promise<void> {
  if (!(await sql.endTurn(messageId, 'interrupted'))) return;
  await sql.savePartial(runId, undefined);
  emit({ type: 'turn.interrupted', data: { turn, message_id: messageId, reason } });
}

/** `expected`: the last turn, read before it was known that it is the last one. */
async function isBlocked(
  context: Parts,
  change: Change,
  run: Run,
  expected: LastTurn | undefined,
): Promise<boolean> {
  if (run.status !== 'running') {
    change.recheck();
    return true;
  }
  if (await expireRunIfDue(context, change, run)) return true;
  if (waitsForModel(context, run)) return true;
  const last = expected?.turns === run.turns ? expected : await readLastTurn(context, change, run);
  const { calls, open } = last;
  const unsettled = calls.filter((call) => OPEN_CALL_STATES.includes(call.state));
  if (unsettled.length === 0 && open.length === 0) {
    if (run.kind === 'agent') await storeToolResults(context, change, last);
    return false;
  }
  change.recheck();
  const waiting = loginWaits(open);
  const planned = unsettled.filter((call) => call.state === 'planned' && !waiting.has(call.id));
  change.afterCommit(() => {
    for (const call of planned) context.enqueue({ type: 'call-tool', callId: call.id });
  });
  return true;
}

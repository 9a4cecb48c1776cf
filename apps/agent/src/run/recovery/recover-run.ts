import type { OpenCall, RunCore } from '../../ports/store/progress.ts';
import { isSettled } from '../../ports/store/run.ts';
import { SENT_CALL_STATES, type ToolCall } from '../../ports/store/tool-call.ts';
import { interruptTurn } from '../turn/begin-turn.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { expireRunIfDue } from '../lifecycle/expiry.ts';
import { voidItem } from '../ledger/inbox-items.ts';
import { settleLostCall } from '../calls/lost-call.ts';
import { loseOrphanedCalls, PROCESS_ENDED, RESULT_LOST } from '../calls/orphaned-calls.ts';
import { isParked, resumeLater } from '../calls/parked-calls.ts';
import { cancelCall, workOnCall } from '../ledger/call-states.ts';

type Parts = Uses<
  | 'store'
  | 'traces'
  | 'workerId'
  | 'enqueue'
  | 'bus'
  | 'clock'
  | 'logger'
  | 'newId'
  | 'recovery'
  | 'activities'
  | 'commit'
  | 'closing'
  | 'sweep'
>;

/**
 * Continues or settles what ended workers own of a run, and what this worker owns of it without a
 * turn or call in progress, because its job failed or its end was lost: repeats its model call, voids the inbox items
 * that no process can use any more, and retries sent calls or asks a person about them. Sent calls of a
 * run that has ended become `unknown`. It changes nothing that another worker owns, and nothing when
 * another worker has recovered the run.
 */
export async function recoverRun(context: Parts, change: Change): Promise<void> {
  const { sql, runId } = change;
  const status = await sql.runStatus(runId);
  if (status !== undefined && isSettled({ status }))
    return loseOrphanedCalls(context, change, isLeftBy(context));
  const found = await sql.runCore(runId);
  if (found === undefined) return;
  if (found.traceContext !== undefined) context.traces?.runRequested(runId, found.traceContext);
  if (!(await settleOrphans(context, change, found))) return;
  const run = await sql.runCore(runId);
  if (run?.status === 'running' && (await expireRunIfDue(context, change, run))) return;
  if (run?.status === 'running' && found.status === 'running')
    change.emit({ type: 'run.resumed', data: { reason: 'process_restarted' } });
  change.recheck();
  change.beforeCommit(async () => {
    const isWaiting = (await sql.runStatus(runId)) === 'input_required';
    if (!isWaiting)
      change.afterCommit(() =>
        context.enqueue({ type: 'advance-run', runId }, { priority: found.priority }),
      );
  });
}

/** Returns whether something of the run had an owner that does not continue it. */
async function settleOrphans(
  context: Parts,
  change: Change,
  { status }: Pick<RunCore, 'status'>,
): Promise<boolean> {
  const { sql, runId } = change;
  const live = new Set((await sql.workers()).map(({ id }) => id));
  const hasEnded = ({ owner }: { readonly owner: string | undefined }): boolean =>
    owner !== undefined && !live.has(owner);
  const { workerId, activities } = context;
  // This worker knows its own work, also when the database has lost its row.
  const isLeft = isLeftBy(context);
  const turn = await sql.activeTurn(runId);
  const isTurnLeft =
    turn !== undefined && (turn.owner === workerId ? !activities.hasTurn(runId) : hasEnded(turn));
  const turns = isTurnLeft ? [turn] : [];
  const calls = (await sql.toolCalls(runId, { state: SENT_CALL_STATES })).filter(
    (call) => isLeft(call) ?? hasEnded(call),
  );
  const left = new Set(calls.map(({ id }) => id));
  const entries = await sql.inboxEntries({ runId, states: ['open', 'answered'] });
  const items = entries.filter((item) =>
    item.owner === workerId ? item.callId !== undefined && left.has(item.callId) : hasEnded(item),
  );
  for (const each of turns) await interruptTurn(change, each, 'process_ended');
  for (const item of items) await voidItem(context, change, { item, reason: 'process_ended' });
  for (const call of calls) {
    const isStopping = status === 'cancelling' || call.cancelRequestedAt !== undefined;
    if (isParked(call)) {
      await recoverParked(context, change, { call, isStopping });
      continue;
    }
    // No person has to decide about a call that was to be cancelled anyway.
    if (status !== 'cancelling' && isStopping)
      await cancelCall(context, change, {
        call,
        level: 'failed',
        outcome: call.repeatable ? 'harmless' : 'unknown',
      });
    else
      await settleLostCall(context, change, {
        call,
        reason: 'process_ended',
        message: call.owner === workerId ? RESULT_LOST : PROCESS_ENDED,
      });
  }
  return turns.length + items.length + calls.length > 0;
}

/**
 * Returns whether this worker, which owns a sent call, does not have it in progress; undefined for
 * calls of others.
 */
function isLeftBy({
  workerId,
  activities,
}: Uses<'workerId' | 'activities'>): (call: Pick<OpenCall, 'id' | 'owner'>) => boolean | undefined {
  return ({ id, owner }) => (owner === workerId ? !activities.knowsCall(id) : undefined);
}

/** Continues a parked call. When the run is being cancelled, only a task has work to stop. */
async function recoverParked(
  context: Uses<'enqueue' | 'clock'>,
  change: Change,
  { call, isStopping }: { readonly call: ToolCall; readonly isStopping: boolean },
): Promise<void> {
  if (isStopping && call.taskId === undefined) {
    await cancelCall(context, change, { call, level: 'confirmed', outcome: 'stopped' });
    return;
  }
  // The input requests of a task became void with their process; the server sends them again.
  if (call.taskId !== undefined && call.state !== 'working')
    await workOnCall(change, call, call.taskId);
  await resumeLater(context, change, { call, delayMs: 0 });
}

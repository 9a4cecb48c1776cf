import type { InboxEntry, RunCore } from '../../ports/store/progress.ts';
import { DamagedRowError } from '../../ports/store/errors.ts';
import { isSettled } from '../../ports/store/run.ts';
import { SENT_CALL_STATES, type ToolCall } from '../../ports/store/tool-call.ts';
import { interruptTurn } from '../turn/begin-turn.ts';
import { isShutdown, type Change } from '../core/commits.ts';
import { STORE_RETRY_MS, type Uses } from '../core/engine-parts.ts';
import { expireItemIfDue, expireRunIfDue } from '../lifecycle/expiry.ts';
import { failDamagedRun } from './fail-damaged-run.ts';
import { voidItem } from '../ledger/inbox-items.ts';
import { watchWallClock } from '../limits/limits.ts';
import { settleLostCall } from '../calls/lost-call.ts';
import { isParked, resumeLater } from '../calls/parked-calls.ts';
import { cancelCall, workOnCall } from '../ledger/call-states.ts';

type Parts = Uses<
  | 'store'
  | 'workerId'
  | 'enqueue'
  | 'bus'
  | 'clock'
  | 'logger'
  | 'newId'
  | 'recovery'
  | 'timers'
  | 'commit'
  | 'closing'
>;

/**
 * Settles or continues the runs of earlier processes that can continue by themselves. Afterwards
 * each run has a job or a deadline that moves it. Runs that wait for a person are left to
 * `recoverWaiting`, and runs that wait for their model to the sweep of retries: nothing of them was
 * in progress.
 */
export async function recover(context: Parts): Promise<void> {
  const { store } = context;
  const waiting = await store.read.retries({ until: Infinity, limit: Number.MAX_SAFE_INTEGER });
  const isWaiting = new Set(waiting.map(({ runId }) => runId));
  for (const id of await store.read.runIds(['running', 'cancelling']))
    if (!isWaiting.has(id)) await recoverOrFail(context, id);
  // A queued run has not begun.
  for (const id of await store.read.runIds(['queued']))
    context.enqueue({ type: 'advance-run', runId: id });
}

/**
 * Recovers the runs that wait for a person, in the background, however many there are. A run whose
 * write fails is tried again.
 */
export async function recoverWaiting(context: Parts): Promise<void> {
  let waiting = await context.store.read.runIds(['input_required']);
  while (waiting.length > 0 && !context.closing.aborted) {
    const refused: string[] = [];
    for (const id of waiting) if (!(await isRecovered(context, id))) refused.push(id);
    waiting = refused;
    if (waiting.length > 0)
      await new Promise<void>((resolve) => void context.clock.after(STORE_RETRY_MS, resolve));
  }
}

async function isRecovered(context: Parts, runId: string): Promise<boolean> {
  if (context.closing.aborted) return true;
  try {
    await recoverOrFail(context, runId);
    return true;
  } catch (error) {
    if (isShutdown(error)) return true;
    context.logger.error(
      'a run that waits for a person could not be recovered; it is tried again',
      { run_id: runId, error },
    );
    return false;
  }
}

/** Recovers a run. A damaged row fails its own run and delays no other. */
async function recoverOrFail(context: Parts, runId: string): Promise<void> {
  try {
    await context.commit(runId, (change) => recoverRun(context, change), 'recover-run');
  } catch (error) {
    if (!(error instanceof DamagedRowError)) throw error;
    await failDamagedRun(context, runId, error);
  }
}

async function recoverRun(context: Parts, change: Change): Promise<void> {
  const { sql, runId } = change;
  const found = await sql.runCore(runId);
  if (found === undefined || isSettled(found)) return;
  await settleLeftovers(context, change, found);
  const run = await sql.runCore(runId);
  if (run?.status === 'running' && (await expireRunIfDue(context, change, run))) return;
  if (run?.status === 'running' && found.status === 'running') {
    change.emit({ type: 'run.resumed', data: { reason: 'process_restarted' } });
    change.afterCommit(() => watchWallClock(context, run));
  }
  change.recheck();
  change.beforeCommit(async () => {
    const isWaiting = (await sql.runStatus(runId)) === 'input_required';
    if (!isWaiting) change.afterCommit(() => context.enqueue({ type: 'advance-run', runId }));
  });
  for (const item of await sql.inboxEntries({ runId, states: ['open'] }))
    change.afterCommit(() =>
      context.timers.set({ type: 'inbox-item', itemId: item.id }, item.expiresAt),
    );
}

async function settleLeftovers(
  context: Parts,
  change: Change,
  { status }: Pick<RunCore, 'status'>,
): Promise<void> {
  const { sql, runId } = change;
  const turn = await sql.activeTurn(runId);
  if (turn !== undefined && turn.owner !== context.workerId)
    await interruptTurn(change, turn, 'process_ended');
  for (const item of await sql.inboxEntries({ runId, states: ['open', 'answered'] }))
    await settleItem(context, change, item);
  for (const call of await sql.toolCalls(runId, { state: SENT_CALL_STATES })) {
    if (call.owner === context.workerId) continue;
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
        message: 'The service ended while the call was under way.',
      });
  }
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
  resumeLater(context, change, { call, delayMs: 0 });
}

/** Voids an item whose process has ended, and expires an item that is due. */
async function settleItem(
  context: Uses<'workerId' | 'bus' | 'clock' | 'timers'>,
  change: Change,
  item: InboxEntry,
): Promise<void> {
  if (item.owner !== undefined && item.owner !== context.workerId)
    await voidItem(context, change, { item, reason: 'process_ended' });
  else await expireItemIfDue(context, change, item);
}

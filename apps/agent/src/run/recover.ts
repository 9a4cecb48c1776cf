import { SENT_CALL_STATES, type InboxItem, type ToolCall } from '../ports/run-store.ts';
import { interruptTurn } from './begin-turn.ts';
import type { Change } from './commits.ts';
import { enqueue, type EngineContext } from './engine-context.ts';
import { expireItemIfDue, expireRunIfDue } from './expiry.ts';
import { voidItem } from './inbox.ts';
import { watchWallClock } from './limits.ts';
import { settleLostCall } from './lost-call.ts';
import { waitsForModel } from './model-outage.ts';
import { isParked, resumeLater } from './parked-calls.ts';
import { reconcile } from './reconcile.ts';
import { cancelCall } from './settle-call.ts';

/** Settles or continues what earlier processes left: afterwards every unsettled run has a job, a deadline or a question that moves it on. */
export async function recover(context: EngineContext): Promise<void> {
  for (const { id } of await context.store.read.unsettledRuns()) await context.commit(id, (change) => recoverRun(context, change), 'recover-run');
}

async function recoverRun(context: EngineContext, change: Change): Promise<void> {
  const { sql, runId } = change;
  const found = await sql.run(runId);
  if (found === undefined) return;
  if (found.status !== 'queued') await settleLeftovers(context, change);
  const run = await sql.run(runId);
  if (run?.status === 'running' && (await expireRunIfDue(context, change, run))) return;
  if (run?.status === 'running') {
    change.emit({ type: 'run.resumed', data: { reason: 'process_restarted' } });
    change.afterCommit(() => watchWallClock(context, run));
  }
  await reconcile(context, change);
  if (run === undefined || !waitsForModel(context, change, run)) change.afterCommit(() => enqueue(context, { type: 'advance-run', runId }));
  for (const item of await sql.inboxItems({ runId, state: 'open' })) change.afterCommit(() => context.timers.set({ type: 'inbox-item', itemId: item.id }, item.expiresAt));
}

async function settleLeftovers(context: EngineContext, change: Change): Promise<void> {
  const { sql, runId } = change;
  const turn = await sql.activeTurn(runId);
  if (turn !== undefined) await interruptTurn(change, turn, 'process_ended');
  for (const state of ['open', 'answered'] as const) {
    for (const item of await sql.inboxItems({ runId, state })) await settleItem(context, change, item);
  }
  const isStopping = (await sql.run(runId))?.status === 'cancelling';
  for (const call of await sql.toolCalls(runId, { state: SENT_CALL_STATES })) {
    if (call.owner === context.store.bootId) continue;
    if (isParked(call)) {
      await recoverParked(context, change, { call, isStopping });
      continue;
    }
    await settleLostCall(context, change, { call, reason: 'process_ended', message: 'The service ended while the call was under way.' });
  }
}

/** A parked call goes on; of a run that is being stopped only a task has something to stop. */
async function recoverParked(context: EngineContext, change: Change, { call, isStopping }: { readonly call: ToolCall; readonly isStopping: boolean }): Promise<void> {
  if (isStopping && call.taskId === undefined) return cancelCall(context, change, { call, level: 'confirmed', outcome: 'stopped' });
  // The questions of a task were void with the process that held them; the server asks them again.
  if (call.taskId !== undefined && call.state !== 'working') {
    await change.sql.updateToolCall(call.id, { state: [call.state] }, { state: 'working' });
    change.emit({ type: 'tool_call.working', data: { call_id: call.id, attempt: call.attempt, task_id: call.taskId } });
  }
  resumeLater(context, change, { call, delayMs: 0 });
}

/** A question that a dead process held cannot be answered any more; one that nobody answered in time is over. */
async function settleItem(context: EngineContext, change: Change, item: InboxItem): Promise<void> {
  if (item.owner !== undefined && item.owner !== context.store.bootId) await voidItem(context, change, { item, reason: 'process_ended' });
  else await expireItemIfDue(context, change, item);
}

import type { InboxItem } from '../ports/run-store.ts';
import { interruptTurn } from './begin-turn.ts';
import type { Change } from './commits.ts';
import { enqueue, type EngineContext } from './engine-context.ts';
import { expireItemIfDue, expireRunIfDue } from './expiry.ts';
import { voidItem } from './inbox.ts';
import { watchWallClock } from './limits.ts';
import { settleLostCall } from './lost-call.ts';
import { reconcile } from './reconcile.ts';

/** Settles or continues what earlier processes left: afterwards every unsettled run has a job, a deadline or a question that moves it on. */
export async function recover(context: EngineContext): Promise<void> {
  for (const { id } of await context.store.read.unsettledRuns()) await context.commit(id, (change) => recoverRun(context, change));
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
  change.afterCommit(() => enqueue(context, { type: 'advance-run', runId }));
  for (const item of await sql.inboxItems({ runId, state: 'open' })) change.afterCommit(() => context.timers.set({ type: 'inbox-item', itemId: item.id }, item.expiresAt));
}

async function settleLeftovers(context: EngineContext, change: Change): Promise<void> {
  const { sql, runId } = change;
  const turn = await sql.activeTurn(runId);
  if (turn !== undefined) await interruptTurn(change, turn, 'process_ended');
  for (const state of ['open', 'answered'] as const) {
    for (const item of await sql.inboxItems({ runId, state })) await settleItem(context, change, item);
  }
  for (const call of await sql.toolCalls(runId, { state: ['dispatched', 'input_required'] })) {
    if (call.owner === context.store.bootId) continue;
    await settleLostCall(context, change, { call, reason: 'process_ended', message: 'The service ended while the call was under way.' });
  }
}

/** A question that a dead process held cannot be answered any more; one that nobody answered in time is over. */
async function settleItem(context: EngineContext, change: Change, item: InboxItem): Promise<void> {
  if (item.owner !== undefined && item.owner !== context.store.bootId) await voidItem(context, change, { item, reason: 'process_ended' });
  else await expireItemIfDue(context, change, item);
}

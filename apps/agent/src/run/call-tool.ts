import type { Run, ToolCall } from '../ports/run-store.ts';
import type { CallActivity } from './activities.ts';
import { isShutdown } from './commits.ts';
import { inBackground, type EngineContext } from './engine-context.ts';
import { ProgressLog } from './progress-log.ts';
import { questionsOf } from './questions.ts';
import { reconcile } from './reconcile.ts';
import { serversReady } from './servers-ready.ts';
import { settleCall, type CallEnd } from './settle-call.ts';

/** A call that this process sends: the attempt is committed before the first byte. */
export interface Dispatched {
  readonly run: Run;
  readonly call: ToolCall;
  readonly activity: CallActivity;
}

/**
 * Sends a planned call and stores how it ended. Resolves when it has ended, when it waits for a person (it then goes on without holding a place
 * among the working jobs), or when the engine waits no longer.
 */
export async function callTool(context: EngineContext, callId: string): Promise<void> {
  const call = await context.store.read.toolCall(callId);
  if (call?.state !== 'planned' || context.closing.aborted || context.activities.hasCall(callId)) return;
  const activity = context.activities.beginCall(call.runId, callId);
  const ended = performCall(context, call, activity).finally(() => activity.end());
  await Promise.race([ended, activity.parked]);
}

async function performCall(context: EngineContext, planned: ToolCall, activity: CallActivity): Promise<void> {
  let dispatched: Dispatched | undefined;
  try {
    await serversReady(context, [planned.server], AbortSignal.any([activity.signal, context.closing]));
    dispatched = await dispatch(context, planned, activity);
    if (dispatched !== undefined) await sendCall(context, dispatched);
  } catch (error) {
    if (isShutdown(error)) return;
    context.logger.error('a tool call failed inside the service', { call_id: planned.id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    if (dispatched !== undefined) inBackground(context, 'settling a failed tool call', settle(context, dispatched, { outcome: { type: 'lost', message: 'The service failed while the call was under way; its log says why.' }, progress: undefined }));
  }
}

async function dispatch(context: EngineContext, planned: ToolCall, activity: CallActivity): Promise<Dispatched | undefined> {
  const { store, commit, closing } = context;
  if (closing.aborted) return undefined;
  return commit(planned.runId, async (change) => {
    const run = await change.sql.run(planned.runId);
    if (run?.status !== 'running' && run?.status !== 'input_required') return undefined;
    const patch = { state: 'dispatched', attempt: planned.attempt + 1, owner: store.bootId } as const;
    if (!(await change.sql.updateToolCall(planned.id, { state: ['planned'], attempt: planned.attempt }, patch))) return undefined;
    change.emit({ type: 'tool_call.dispatched', data: { call_id: planned.id, attempt: patch.attempt } });
    await reconcile(context, change);
    return { run, call: { ...planned, ...patch }, activity };
  });
}

async function sendCall(context: EngineContext, dispatched: Dispatched): Promise<void> {
  const { run, call, activity } = dispatched;
  context.reach('before-tool-send');
  const progress = new ProgressLog(context, call);
  const outcome = await context.registry.call({
    wireName: call.wireName,
    arguments: call.arguments,
    runId: run.id,
    idempotencyKey: call.idempotencyKey,
    signal: activity.signal,
    inactivityMs: run.limits.callInactivityMs,
    maxTotalMs: run.limits.callMaxMs,
    onProgress: (update) => progress.add(update),
    questions: questionsOf(context, dispatched),
  });
  context.reach('after-tool-result');
  const last = await progress.close();
  await settle(context, dispatched, { outcome, progress: last });
}

function settle(context: EngineContext, { run, call }: Dispatched, end: Omit<CallEnd, 'call'>): Promise<void> {
  return context.commit(run.id, async (change) => {
    // Registered first: whatever follows the commit comes after this point.
    change.afterCommit(() => context.reach('after-tool-commit'));
    await settleCall(context, change, { call, ...end });
  });
}

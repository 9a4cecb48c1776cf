import { DamagedRowError } from '../../ports/store/errors.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import { isHandedOver, type Change } from '../core/commits.ts';
import { STORE_RETRY_MS, type Uses } from '../core/engine-parts.ts';
import { failCall, moveCall } from '../ledger/call-states.ts';
import { voidItems } from '../ledger/inbox-items.ts';
import { failDamagedCall } from './fail-damaged-run.ts';
import { settleLostCall } from './lost-call.ts';
import { isParked } from './parked-calls.ts';

/**
 * Failures of the service to send or to continue a call, over all workers, before the call ends.
 * With the delay between attempts this takes about a minute.
 */
const MAX_FAILURES = 12;

type Parts = Uses<
  'workerId' | 'enqueue' | 'bus' | 'clock' | 'logger' | 'newId' | 'recovery' | 'sweep' | 'commit'
>;

/**
 * Stores a failure to send or to continue a call, and enqueues the next attempt. After
 * `MAX_FAILURES`, fails a planned call, and treats a parked call as lost. A failure that cannot be
 * stored is not counted. A damaged row ends the call and its run at once.
 */
export async function countFailure(
  context: Parts,
  { id, runId }: Pick<ToolCall, 'id' | 'runId'>,
  cause: unknown,
): Promise<void> {
  const retry = (): void =>
    context.enqueue({ type: 'call-tool', callId: id }, { delayMs: STORE_RETRY_MS });
  try {
    if (cause instanceof DamagedRowError)
      return await failDamagedCall(context, { id, runId }, cause);
    await context.commit(runId, async (change) => {
      const call = await change.sql.toolCall(id);
      if (call === undefined || !mayBeSentHere(context, call)) return;
      const failures = call.failures + 1;
      const dueAt = context.clock.now() + STORE_RETRY_MS;
      await moveCall(change.sql, call, { transition: 'postpone', failures, dueAt });
      if (failures < MAX_FAILURES) change.afterCommit(retry);
      else await giveUp(context, change, call);
    });
  } catch (error) {
    if (isHandedOver(error)) return;
    logFailure(context, { id }, error);
    if (error instanceof DamagedRowError && !(cause instanceof DamagedRowError))
      return countFailure(context, { id, runId }, error);
    retry();
  }
}

/** Whether no other worker sends or continues the call. */
function mayBeSentHere({ workerId }: Uses<'workerId'>, call: ToolCall): boolean {
  if (call.state === 'planned') return true;
  return isParked(call) && (call.owner === undefined || call.owner === workerId);
}

async function giveUp(context: Parts, change: Change, call: ToolCall): Promise<void> {
  if (call.state === 'planned') {
    const message = `The service failed ${MAX_FAILURES} times before the call was sent; its log says why.`;
    await failCall(context, change, { call, message });
    return;
  }
  const message = `The service failed ${MAX_FAILURES} times to continue the call; its log says why.`;
  await voidItems(context, change, { reason: 'call_ended', callId: call.id });
  await settleLostCall(context, change, { call, reason: 'connection_lost', message });
}

/** Logs a failure of the service during a call. */
export function logFailure(
  { logger }: Uses<'logger'>,
  { id }: Pick<ToolCall, 'id'>,
  error: unknown,
): void {
  logger.error('a tool call failed inside the service', { call_id: id, error });
}

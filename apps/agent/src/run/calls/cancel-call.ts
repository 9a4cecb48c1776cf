import { EngineError, type OnCommit } from '../../ports/run-engine.ts';
import { SENT_CALL_STATES, type ToolCall } from '../../ports/store/tool-call.ts';
import type { Uses } from '../core/engine-parts.ts';
import { voidItems } from '../ledger/inbox-items.ts';
import { runOnCommit } from '../core/on-commit.ts';
import { cancelCall, moveCall } from '../ledger/call-states.ts';

/**
 * Cancels one call on request. An unsent call is cancelled at once. For a sent call the request is
 * stored before the call is stopped, so that the next process stops it if this one dies. The state
 * shows later how far the cancellation got.
 */
export async function stopCall(
  context: Uses<'bus' | 'clock' | 'commit'>,
  { runId, id }: Pick<ToolCall, 'runId' | 'id'>,
  onCommit?: OnCommit<ToolCall>,
): Promise<ToolCall> {
  return context.commit(runId, async (change) => {
    const { sql } = change;
    const call = await sql.toolCall(id);
    if ((await sql.runCore(runId)) === undefined)
      throw new EngineError('run_not_found', `There is no run ${runId}.`);
    if (call?.runId !== runId)
      throw new EngineError('tool_call_not_found', `The run ${runId} has no tool call ${id}.`);
    if (call.state === 'planned' || call.state === 'awaiting_approval') {
      await voidItems(context, change, { reason: 'call_ended', callId: id });
      await cancelCall(context, change, { call, level: undefined, outcome: 'not_sent' });
    }
    if (SENT_CALL_STATES.includes(call.state) && call.cancelRequestedAt === undefined) {
      await moveCall(sql, call, {
        transition: 'requestCancel',
        cancelRequestedAt: context.clock.now(),
      });
    }
    if (SENT_CALL_STATES.includes(call.state))
      change.afterCommit(() => context.bus.publish({ type: 'cancel', runId, callId: id }));
    const stopped = (await sql.toolCall(id)) ?? call;
    runOnCommit(change, onCommit, () => Promise.resolve(stopped));
    return stopped;
  });
}

import { isOurs } from '../ledger/call-states.ts';
import { SENT_CALL_STATES, type ToolCall } from '../../ports/store/tool-call.ts';
import type { CallWaiting } from '../../ports/tool-catalogue.ts';
import type { Uses } from '../core/engine-parts.ts';

/**
 * Stores the event that a call waits for a connection to its server, or that one of its input
 * requests is held. Does nothing when the call has changed since it was read.
 */
export function storeWaiting(
  context: Uses<'workerId' | 'commit'>,
  waitingCall: ToolCall,
  { reason, message }: CallWaiting,
): Promise<void> {
  const { id, runId, attempt, state } = waitingCall;
  return context.commit(runId, async ({ sql, emit }) => {
    const call = await sql.toolCall(id);
    const isWaiting =
      state === 'planned'
        ? call?.state === 'planned'
        : isOurs(context, waitingCall, call) && SENT_CALL_STATES.includes(call.state);
    if (!isWaiting || call?.attempt !== attempt) return;
    emit({
      type: 'tool_call.waiting',
      data: { call_id: id, attempt: state === 'planned' ? attempt + 1 : attempt, reason, message },
    });
  });
}

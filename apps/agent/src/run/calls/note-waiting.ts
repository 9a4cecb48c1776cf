import { SENT_CALL_STATES, type ToolCall } from '../../ports/run-store.ts';
import type { CallWaiting } from '../../ports/tool-registry.ts';
import type { Uses } from '../core/engine-parts.ts';

/** Stores the event that a call waits for a connection to its server, with the attempt that is to begin, or that a question is held. A call that has moved on waits no more. */
export function noteWaiting(
  { commit }: Uses<'commit'>,
  { id, runId, attempt, state }: ToolCall,
  { reason, message }: CallWaiting,
): Promise<void> {
  return commit(runId, async ({ sql, emit }) => {
    const call = await sql.toolCall(id);
    const isWaiting =
      state === 'planned'
        ? call?.state === 'planned'
        : call !== undefined && SENT_CALL_STATES.includes(call.state);
    if (!isWaiting || call?.attempt !== attempt) return;
    emit({
      type: 'tool_call.waiting',
      data: { call_id: id, attempt: state === 'planned' ? attempt + 1 : attempt, reason, message },
    });
  });
}

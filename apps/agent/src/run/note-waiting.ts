import { SENT_CALL_STATES, type ToolCall } from '../ports/run-store.ts';
import type { CallWaiting } from '../ports/tool-registry.ts';
import type { EngineContext } from './engine-context.ts';

/** Stores the event that a call waits for a connection to its server. An attempt that has ended meanwhile waits no more. */
export function noteWaiting({ commit }: EngineContext, { id, runId, attempt }: ToolCall, { reason, message }: CallWaiting): Promise<void> {
  return commit(runId, async ({ sql, emit }) => {
    const call = await sql.toolCall(id);
    if (call?.attempt !== attempt || !SENT_CALL_STATES.includes(call.state)) return;
    emit({ type: 'tool_call.waiting', data: { call_id: id, attempt, reason, message } });
  });
}

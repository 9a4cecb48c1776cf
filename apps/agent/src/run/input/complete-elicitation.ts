import { isSettled, type ToolCall } from '../../ports/run-store.ts';
import type { Uses } from '../core/engine-parts.ts';
import { itemData } from '../ledger/inbox-items.ts';

/**
 * Notes that a server says that what a person was sent to a URL for is done. It answers nothing: whether the person agrees is still theirs to say. An id
 * that the call did not ask about, or that was done before, means nothing.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
 */
export function completeElicitation(
  { commit }: Uses<'commit'>,
  { id: callId, runId }: Pick<ToolCall, 'id' | 'runId'>,
  elicitationId: string,
): Promise<void> {
  return commit(runId, async ({ sql, emit }) => {
    const run = await sql.run(runId);
    const items = await sql.inboxItems({ callId });
    for (const item of items) {
      const { kind, state, request } = item;
      if (
        kind !== 'elicitation_url' ||
        request['elicitation_id'] !== elicitationId ||
        request['is_completed'] === true
      )
        continue;
      await sql.updateInboxItem(item.id, state, { request: { ...request, is_completed: true } });
      // Nobody hears of a run that has ended.
      if (run !== undefined && !isSettled(run))
        emit({ type: 'inbox.completed', data: itemData(item) });
    }
  });
}

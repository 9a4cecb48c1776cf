import { isSettled } from '../../ports/store/run.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { Uses } from '../core/engine-parts.ts';
import { itemData } from '../ledger/inbox-items.ts';

/**
 * Stores that the server reports the end of a person's visit to a URL. The item stays open: the
 * person still has to respond. Unknown ids and repeated reports are ignored.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
 */
export function completeElicitation(
  { commit }: Uses<'commit'>,
  { id: callId, runId }: Pick<ToolCall, 'id' | 'runId'>,
  elicitationId: string,
): Promise<void> {
  return commit(runId, async ({ sql, emit }) => {
    const run = await sql.runCore(runId);
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
      // A settled run emits no more events.
      if (run !== undefined && !isSettled(run))
        emit({ type: 'inbox.completed', data: itemData(item) });
    }
  });
}

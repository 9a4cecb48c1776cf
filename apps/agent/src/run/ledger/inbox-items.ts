import type { JsonObject } from '@signalbox/mcp-core';
import type { InboxEntry } from '../../ports/store/progress.ts';
import type { ApprovalBinding } from '../../ports/store/approval.ts';
import type { InboxItem, InboxKind } from '../../ports/store/inbox.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import type { RunEventTypes } from '../core/events.ts';

export interface NewInboxItem {
  readonly id: string;
  readonly kind: InboxKind;
  /** Undefined: the item concerns the run as a whole. */
  readonly call: ToolCall | undefined;
  readonly request: JsonObject;
  /** Whether only this process, which holds the call, can use the response. */
  readonly isHeldHere: boolean;
  readonly questionKey?: string | undefined;
  readonly binding?: ApprovalBinding;
}

/** Opens an inbox item and sets its expiry. */
export async function openItem(
  context: Uses<'workerId' | 'clock' | 'sweep'>,
  change: Change,
  { id, kind, call, request, isHeldHere, questionKey, binding }: NewInboxItem,
): Promise<void> {
  const run = await change.sql.runCore(change.runId);
  const createdAt = context.clock.now();
  const item: InboxItem = {
    id,
    runId: change.runId,
    callId: call?.id,
    kind,
    state: 'open',
    request:
      call === undefined
        ? request
        : { server: call.server, tool: call.tool, name: call.wireName, ...request },
    response: undefined,
    owner: isHeldHere ? context.workerId : undefined,
    questionKey,
    binding,
    createdAt,
    expiresAt: createdAt + (run?.limits.inboxExpiryMs ?? 0),
    answeredAt: undefined,
  };
  await change.sql.insertInboxItem(item);
  change.emit({
    type: 'inbox.opened',
    data: {
      ...itemData(item),
      request: item.request,
      expires_at: new Date(item.expiresAt).toISOString(),
    },
  });
  change.afterCommit(() => context.sweep.wakeAt(item.expiresAt));
}

/**
 * Voids the open items of the run or of one call, and the answered items whose response was not
 * delivered.
 */
export async function voidItems(
  context: Uses<'bus'>,
  change: Change,
  { reason, callId }: { reason: RunEventTypes['inbox.void']['reason']; callId?: string },
): Promise<void> {
  await voidEach(context, change, { reason, items: await voidableItems(change, callId) });
}

/** Returns the items that `voidItems` voids. */
export function voidableItems(
  { sql, runId }: Pick<Change, 'sql' | 'runId'>,
  callId?: string,
): Promise<readonly InboxEntry[]> {
  return sql.inboxEntries({ runId, callId, states: ['open', 'answered'] });
}

export async function voidEach(
  context: Uses<'bus'>,
  change: Change,
  {
    reason,
    items,
  }: {
    readonly reason: RunEventTypes['inbox.void']['reason'];
    readonly items: readonly InboxEntry[];
  },
): Promise<void> {
  for (const item of items) await voidItem(context, change, { item, reason });
}

export async function voidItem(
  { bus }: Uses<'bus'>,
  change: Change,
  { item, reason }: { item: InboxEntry; reason: RunEventTypes['inbox.void']['reason'] },
): Promise<void> {
  if (!(await change.sql.updateInboxItem(item.id, item.state, { state: 'void' }))) return;
  change.emit({ type: 'inbox.void', data: { ...itemData(item), reason } });
  change.afterCommit(() => bus.publish({ type: 'inbox', itemId: item.id }));
}

export function itemData(
  item: Pick<InboxItem, 'id' | 'kind' | 'callId'>,
): RunEventTypes['inbox.delivered'] {
  return { inbox_item_id: item.id, kind: item.kind, call_id: item.callId };
}

import type { CallToolResult, JsonObject } from '@signalbox/mcp-core';
import { EngineError } from '../ports/run-engine.ts';
import type { InboxItem, ToolCall } from '../ports/run-store.ts';
import { failCall } from './call-results.ts';
import type { Change } from './commits.ts';
import { enqueue, type EngineContext } from './engine-context.ts';
import { previewOf } from './events.ts';
import { itemData } from './inbox.ts';
import { checkResponse, type InboxResponse } from './inbox-response.ts';
import { planAgain } from './lost-call.ts';
import { reconcile } from './reconcile.ts';

/** Takes the answer to an open inbox item; of several, the first one counts. */
export async function respond(context: EngineContext, itemId: string, answer: JsonObject): Promise<InboxItem> {
  const item = await context.store.read.inboxItem(itemId);
  if (item === undefined) throw new EngineError('inbox_item_not_found', `There is no inbox item ${itemId}.`);
  if (item.state !== 'open') throw notOpen(item);
  const response = checkResponse(item, answer);
  return context.commit(item.runId, async (change) => {
    const { sql, emit, afterCommit } = change;
    const stored = { ...response };
    if (!(await sql.updateInboxItem(itemId, 'open', { state: 'answered', response: stored, answeredAt: context.clock.now() }))) throw notOpen((await sql.inboxItem(itemId)) ?? item);
    emit({ type: 'inbox.answered', data: { ...itemData(item), response: stored } });
    // A call takes the answer to its question itself; the others are answers to the engine.
    if (item.owner === undefined && item.questionKey === undefined) await apply(context, change, { item, response });
    await reconcile(context, change);
    afterCommit(() => {
      context.timers.clear({ type: 'inbox-item', itemId });
      context.bus.publish({ type: 'inbox', itemId });
    });
    return (await sql.inboxItem(itemId)) ?? item;
  }, 'take-answer');
}

interface Answered {
  readonly item: InboxItem;
  readonly response: InboxResponse;
}

async function apply(context: EngineContext, change: Change, { item, response }: Answered): Promise<void> {
  const call = item.callId === undefined ? undefined : await change.sql.toolCall(item.callId);
  if (call !== undefined && item.kind === 'tool_approval') await approve(context, change, { call, response });
  if (call !== undefined && item.kind === 'outcome_unknown') await resolveOutcome(context, change, { call, response });
  await change.sql.updateInboxItem(item.id, 'answered', { state: 'delivered' });
  change.emit({ type: 'inbox.delivered', data: itemData(item) });
}

interface Decision {
  readonly call: ToolCall;
  readonly response: InboxResponse;
}

async function approve(context: EngineContext, change: Change, { call, response }: Decision): Promise<void> {
  if (response.action === 'deny') {
    const text = `A person denied this call; it was not made.${noteOf(response)} Do not send it again unless the user asks for it.`;
    await failCall(context, change, { call, message: 'A person denied this call.', text });
    return;
  }
  if (!(await change.sql.updateToolCall(call.id, { state: ['awaiting_approval'] }, { state: 'planned' }))) return;
  change.emit({ type: 'tool_call.approved', data: { call_id: call.id, attempt: call.attempt } });
  change.afterCommit(() => enqueue(context, { type: 'call-tool', callId: call.id }));
}

async function resolveOutcome(context: EngineContext, change: Change, { call, response }: Decision): Promise<void> {
  switch (response.action) {
    case 'retry':
      await planAgain(context, change, { call, reason: 'requested', message: response.note, delayMs: 0 });
      return;
    case 'mark_done':
      await markDone(context, change, { call, response });
      return;
    default: {
      const text = `The answer of this call was lost, and a person settled it as failed.${noteOf(response)}`;
      await failCall(context, change, { call, message: 'A person settled the call as failed.', text });
    }
  }
}

async function markDone({ clock }: EngineContext, { sql, emit }: Change, { call, response }: Decision): Promise<void> {
  const text = `The answer of this call was lost; a person looked and marked it as done.${noteOf(response)}`;
  const result: CallToolResult = { content: [{ type: 'text', text }] };
  const patch = { state: 'succeeded', result, error: undefined, finishedAt: clock.now() } as const;
  if (!(await sql.updateToolCall(call.id, { state: ['unknown'], attempt: call.attempt }, patch))) return;
  emit({ type: 'tool_call.completed', data: { call_id: call.id, attempt: call.attempt, result: previewOf(result) } });
}

function noteOf({ note }: InboxResponse): string {
  return note === undefined || note === '' ? '' : ` Note: ${note}`;
}

function notOpen({ id, state }: InboxItem): EngineError {
  return new EngineError('inbox_item_not_open', `The inbox item ${id} is not open any more: it is ${state}.`);
}

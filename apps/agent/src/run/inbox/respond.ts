import type { JsonObject } from '@signalbox/mcp-core';
import { EngineError, type OnCommit } from '../../ports/run-engine.ts';
import type { InboxItem } from '../../ports/store/inbox.ts';
import { answerApproval } from './answer-approval.ts';
import { answerLogin } from './answer-login.ts';
import { answerOutcome } from './answer-outcome.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { itemData } from '../ledger/inbox-items.ts';
import { checkResponse, type InboxResponse } from './check-response.ts';
import { runOnCommit } from '../core/on-commit.ts';

type Parts = Uses<
  'store' | 'workerId' | 'enqueue' | 'bus' | 'catalogue' | 'clock' | 'newId' | 'commit' | 'sweep'
>;

export interface Answer {
  readonly answer: JsonObject;
  readonly onCommit?: OnCommit<InboxItem> | undefined;
}

/** Stores the response to an open inbox item. The first of several responses wins. */
export async function respond(
  context: Parts,
  itemId: string,
  { answer, onCommit }: Answer,
): Promise<InboxItem> {
  const item = await context.store.read.inboxItem(itemId);
  if (item === undefined)
    throw new EngineError('inbox_item_not_found', `There is no inbox item ${itemId}.`);
  if (item.state !== 'open') throw notOpen(item);
  if (item.owner !== undefined && !(await isHeld(context, item.owner))) throw processEnded(item);
  const response = await checkResponse(item, answer, (wireName, args) =>
    context.catalogue.checkArguments(wireName, args),
  );
  return storeAnswer(context, { item, response, onCommit });
}

/** Continues the runs and calls that wait for a login of a server. */
export async function continueAfterLogin(context: Parts, server: string): Promise<void> {
  const items = await context.store.read.inboxItems({ state: 'open' });
  const waiting = items.filter(
    ({ kind, request }) => kind === 'server_login' && request['server'] === server,
  );
  for (const item of waiting)
    await storeAnswer(context, { item, response: { action: 'retry' } }).catch((error: unknown) => {
      // A person answered it, or it has expired, meanwhile.
      if (!(error instanceof EngineError) || error.code !== 'inbox_item_not_open') throw error;
    });
}

function storeAnswer(
  context: Parts,
  { item, response, onCommit }: Answered & { readonly onCommit?: OnCommit<InboxItem> | undefined },
): Promise<InboxItem> {
  const { id: itemId } = item;
  return context.commit(
    item.runId,
    async (change) => {
      const { sql, emit, afterCommit } = change;
      const stored = { ...response };
      if (
        !(await sql.updateInboxItem(itemId, 'open', {
          state: 'answered',
          response: stored,
          answeredAt: context.clock.now(),
        }))
      )
        throw notOpen((await sql.inboxItem(itemId)) ?? item);
      emit({ type: 'inbox.answered', data: { ...itemData(item), response: stored } });
      await applyAnswer(context, change, { item: { ...item, response: stored }, response });
      afterCommit(() => context.bus.publish({ type: 'inbox', itemId }));
      runOnCommit(change, onCommit, async () => (await sql.inboxItem(itemId)) ?? item);
      return (await sql.inboxItem(itemId)) ?? item;
    },
    'take-answer',
  );
}

interface Answered {
  readonly item: InboxItem;
  readonly response: InboxResponse;
}

/**
 * Applies a response that is meant for the engine. A response to a server's input request stays
 * stored until its call takes it, in whichever process.
 */
async function applyAnswer(
  context: Uses<'enqueue' | 'clock' | 'newId'>,
  change: Change,
  { item, response }: Answered,
): Promise<void> {
  if (item.owner !== undefined || item.questionKey !== undefined) return;
  const call = item.callId === undefined ? undefined : await change.sql.toolCall(item.callId);
  if (call !== undefined && item.kind === 'tool_approval')
    await answerApproval(context, change, { item, call, response });
  if (call !== undefined && item.kind === 'outcome_unknown')
    await answerOutcome(context, change, { call, response });
  if (call !== undefined && item.kind === 'server_login')
    await answerLogin(context, change, { call, response });
  await change.sql.updateInboxItem(item.id, 'answered', { state: 'delivered' });
  change.emit({ type: 'inbox.delivered', data: itemData(item) });
}

/** Whether the worker that waits for the item's response is alive. */
async function isHeld(
  { store, workerId }: Uses<'store' | 'workerId'>,
  owner: string,
): Promise<boolean> {
  return owner === workerId || (await store.read.isAlive(owner));
}

/** Returns the error for an item whose process has ended, before its run is recovered. */
function processEnded({ id }: InboxItem): EngineError {
  return new EngineError(
    'inbox_item_not_open',
    `The inbox item ${id} is no longer open: the process whose call waited for the response has ended.`,
  );
}

function notOpen({ id, state }: InboxItem): EngineError {
  return new EngineError(
    'inbox_item_not_open',
    `The inbox item ${id} is no longer open: it is ${state}.`,
  );
}

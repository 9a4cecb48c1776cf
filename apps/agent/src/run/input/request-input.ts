import { ErrorCode, ProtocolError, type JsonObject } from '@signalbox/mcp-core';
import type { InboxItem, InboxKind, InboxState } from '../../ports/store/inbox.ts';
import type { RunCore } from '../../ports/store/run.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { CallActivity } from '../core/activities.ts';
import type { Change } from '../core/commits.ts';
import { inBackground, type Uses } from '../core/engine-parts.ts';
import { itemData, openItem, voidItem, type NewInboxItem } from '../ledger/inbox-items.ts';
import { isOurs, awaitInput, resumeCall, workOnCall } from '../ledger/call-states.ts';

type Parts = Uses<
  | 'store'
  | 'workerId'
  | 'bus'
  | 'watch'
  | 'clock'
  | 'logger'
  | 'newId'
  | 'activities'
  | 'sweep'
  | 'commit'
>;

/** Maximum number of open input requests of one call; further requests are rejected. */
const MAX_OPEN_INPUT_REQUESTS = 16;

const CLOSED_BY_ANSWER: ReadonlySet<InboxState> = new Set(['answered', 'delivered', 'expired']);

/** The call during which a server sends an input request. */
export interface RequestingCall {
  readonly run: RunCore;
  readonly call: ToolCall;
  readonly activity: CallActivity;
}

export interface InputRequest {
  readonly kind: InboxKind;
  readonly request: JsonObject;
  /** Aborting withdraws the request. */
  readonly signal: AbortSignal;
  /**
   * Set for a parked call: the request stays open when this process ends, and a stored response is
   * used.
   */
  readonly questionKey?: string | undefined;
}

/**
 * Opens an inbox item for a server's input request and resolves when it is answered or expired. The
 * call waits until then.
 *
 * The database can lose a stored item, for example when it hands over to a server that had not
 * received the last commits. The item is then stored again, because its server still waits: a person
 * can respond, and the call needs no other attempt. Only the waiting process knows the request, so a
 * sweep could do no more than end the call.
 * @throws ProtocolError when the call or the run has ended, or the server sent too many requests
 */
export async function requestInput(
  context: Parts,
  { call, activity }: RequestingCall,
  { kind, request, signal, questionKey }: InputRequest,
): Promise<InboxItem> {
  const earlier =
    questionKey === undefined
      ? undefined
      : await context.store.read.inboxItemOf(call.id, questionKey);
  const id = earlier?.id ?? context.newId();
  const release = questionKey === undefined ? hold(context, call) : undefined;
  const open = (change: Change): Promise<void> =>
    openInputRequest(context, change, { id, kind, call, request, questionKey });
  const storeAgain = (): Promise<void> =>
    context.commit(
      call.runId,
      async (change) => {
        // A request that was withdrawn meanwhile has no waiter that could close it.
        if (signal.aborted || (await change.sql.inboxItem(id)) !== undefined) return;
        await open(change);
      },
      'ask-person',
    );
  const closed = watchForClose(context, { id, storeAgain, signal });
  try {
    if (earlier === undefined) await context.commit(call.runId, open, 'ask-person');
    closed.isStored();
    // A person may have responded while no process waited.
    if (earlier !== undefined) await closed.poll();
    activity.park();
    await closed.promise;
    const item = await context.commit(
      call.runId,
      (change) => deliver(context, change, { id, sent: call, isWithdrawn: signal.aborted }),
      'deliver-answer',
    );
    if (signal.aborted || !CLOSED_BY_ANSWER.has(item.state))
      throw new ProtocolError(ErrorCode.rejectedByUser, 'The input request was withdrawn.');
    return item;
  } finally {
    closed.forget();
    release?.();
  }
}

/** Takes a slot for a call that waits with its connection open. */
function hold({ activities }: Uses<'activities'>, { id }: ToolCall): () => void {
  const release = activities.hold(id);
  if (release === undefined)
    throw new ProtocolError(
      ErrorCode.rejectedByUser,
      `Too many calls wait for a person; the limit is ${activities.maxHeldCalls}.`,
    );
  return release;
}

async function openInputRequest(
  context: Uses<'workerId' | 'clock' | 'sweep'>,
  change: Change,
  request: Omit<NewInboxItem, 'isHeldHere' | 'call'> & { readonly call: ToolCall },
): Promise<void> {
  const { id, call, questionKey } = request;
  await holdCall(context, change, { call, itemId: id });
  await openItem(context, change, { ...request, isHeldHere: questionKey === undefined });
}

async function holdCall(
  context: Uses<'workerId'>,
  change: Change,
  { call, itemId }: { readonly call: ToolCall; readonly itemId: string },
): Promise<void> {
  const { sql } = change;
  const { id: callId, attempt, owner } = call;
  const status = (await sql.runCore(change.runId))?.status;
  const isHeld =
    owner === context.workerId &&
    (status === 'running' || status === 'input_required') &&
    (await awaitInput(change, { id: callId, attempt, owner }, itemId));
  if (!isHeld)
    throw new ProtocolError(
      ErrorCode.rejectedByUser,
      'The call of this input request is being stopped.',
    );
  if ((await sql.countInboxItems({ callId, state: 'open' })) >= MAX_OPEN_INPUT_REQUESTS)
    throw new ProtocolError(
      ErrorCode.rejectedByUser,
      `Too many input requests are open; the limit is ${MAX_OPEN_INPUT_REQUESTS}.`,
    );
}

interface Delivery {
  readonly id: string;
  readonly sent: ToolCall;
  readonly isWithdrawn: boolean;
}

/** Delivers the response of an inbox item and resumes the call after its last open request. */
async function deliver(
  context: Uses<'bus' | 'workerId'>,
  change: Change,
  { id, sent, isWithdrawn }: Delivery,
): Promise<InboxItem> {
  const { sql, emit } = change;
  const item = await sql.inboxItem(id);
  if (item === undefined)
    throw new ProtocolError(ErrorCode.internalError, 'The input request was removed.');
  // A parked call sends its requests again when it is resumed, and its end closes them.
  if (isWithdrawn && item.questionKey !== undefined) return item;
  if (item.state === 'open' || (item.state === 'answered' && isWithdrawn))
    await voidItem(context, change, { item, reason: 'withdrawn' });
  else if (
    item.state === 'answered' &&
    (await sql.updateInboxItem(id, 'answered', { state: 'delivered' }))
  )
    emit({ type: 'inbox.delivered', data: itemData(item) });
  // This item is closed, so it is not counted.
  const isLast =
    item.callId !== undefined &&
    (await sql.countInboxItems({ callId: item.callId, state: 'open' })) === 0;
  const call = item.callId === undefined ? undefined : await sql.toolCall(item.callId);
  // A parked call is resumed when it is sent again.
  if (
    isLast &&
    call?.state === 'input_required' &&
    isOurs(context, sent, call) &&
    call.parked === undefined
  ) {
    if (call.taskId === undefined) await resumeCall(change, call);
    else await workOnCall(change, call, call.taskId);
  }
  return item;
}

interface Closing {
  /**
   * Resolves when the item is closed or the request is withdrawn. Rejects when the item was lost and
   * may not be stored again.
   */
  readonly promise: Promise<void>;
  readonly poll: () => Promise<void>;
  /** Makes the wait store the item again if it is missing. */
  readonly isStored: () => void;
  readonly forget: () => void;
}

/** Waits until the item is closed or the request is withdrawn. `storeAgain` stores a lost item again. */
function watchForClose(
  context: Uses<'store' | 'watch' | 'logger'>,
  {
    id,
    storeAgain,
    signal,
  }: {
    readonly id: string;
    readonly storeAgain: () => Promise<void>;
    readonly signal: AbortSignal;
  },
): Closing {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isStored = false;
  const restore = async (): Promise<void> => {
    context.logger.warn('the database lost an input request; it is stored again', {
      inbox_item_id: id,
    });
    try {
      await storeAgain();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      reject(error);
    }
  };
  const poll = async (): Promise<void> => {
    const wasStored = isStored;
    const item = await context.store.read.inboxItem(id);
    if (item === undefined && wasStored && !signal.aborted) await restore();
    if (item !== undefined && item.state !== 'open') resolve();
  };
  const unsubscribe = context.watch.subscribe(`item:${id}`, {
    onSignal: () => inBackground(context, 'reading an inbox item', poll()),
    onPoll: poll,
  });
  const withdraw = (): void => resolve();
  signal.addEventListener('abort', withdraw);
  if (signal.aborted) withdraw();
  return {
    promise,
    poll,
    isStored: () => {
      isStored = true;
    },
    forget: () => {
      unsubscribe();
      signal.removeEventListener('abort', withdraw);
    },
  };
}

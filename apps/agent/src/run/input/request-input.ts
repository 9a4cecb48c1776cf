import { ErrorCode, ProtocolError, type JsonObject } from '@signalbox/mcp-core';
import {
  type InboxItem,
  type InboxKind,
  type InboxState,
  type Run,
  type ToolCall,
} from '../../ports/run-store.ts';
import { MAX_HELD_CALLS, type CallActivity } from '../core/activities.ts';
import type { Change } from '../core/commits.ts';
import { inBackground, type Uses } from '../core/engine-parts.ts';
import { itemData, openItem, voidItem, type Question } from '../ledger/inbox-items.ts';
import { requestInput, resumeCall, workOnCall } from '../ledger/call-states.ts';

type Parts = Uses<
  'store' | 'bootId' | 'bus' | 'clock' | 'logger' | 'newId' | 'activities' | 'timers' | 'commit'
>;

/** The questions of one call that may be open at a time; a server that asks more is refused. */
const MAX_OPEN_QUESTIONS = 16;

const CLOSED_BY_ANSWER: ReadonlySet<InboxState> = new Set(['answered', 'delivered', 'expired']);

/** The call during which a server asks. */
export interface Asker {
  readonly run: Run;
  readonly call: ToolCall;
  readonly activity: CallActivity;
}

export interface Ask {
  readonly kind: InboxKind;
  readonly request: JsonObject;
  /** Aborting withdraws the question. */
  readonly signal: AbortSignal;
  /** Of a parked call: the question stays open when this process ends, and an answer that is there already is taken. */
  readonly questionKey?: string | undefined;
}

/**
 * Puts a question of a server to a person and resolves with the answered or expired item. The call waits meanwhile.
 * @throws ProtocolError when the call or the run no longer waits for an answer, or the server asks too much
 */
export async function ask(
  context: Parts,
  { call, activity }: Asker,
  { kind, request, signal, questionKey }: Ask,
): Promise<InboxItem> {
  const asked =
    questionKey === undefined
      ? undefined
      : await context.store.read.inboxItemOf(call.id, questionKey);
  const id = asked?.id ?? context.newId();
  const letGo = questionKey === undefined ? hold(context, call) : undefined;
  const closed = closeOf(context, id, signal);
  try {
    if (asked === undefined)
      await context.commit(
        call.runId,
        (change) => openQuestion(context, change, { id, kind, call, request, questionKey }),
        'ask-person',
      );
    // Perhaps it was answered while no process waited.
    else await closed.look();
    activity.park();
    await closed.promise;
    const item = await context.commit(
      call.runId,
      (change) =>
        deliver(context, change, { id, attempt: call.attempt, isWithdrawn: signal.aborted }),
      'deliver-answer',
    );
    if (signal.aborted || !CLOSED_BY_ANSWER.has(item.state))
      throw new ProtocolError(ErrorCode.rejectedByUser, 'The question was withdrawn.');
    return item;
  } finally {
    closed.forget();
    letGo?.();
  }
}

/** Takes a place for a call that waits with its connection open. */
function hold({ activities }: Uses<'activities'>, { id }: ToolCall): () => void {
  const letGo = activities.hold(id);
  if (letGo === undefined)
    throw new ProtocolError(
      ErrorCode.rejectedByUser,
      `Too many calls wait for a person: ${MAX_HELD_CALLS}.`,
    );
  return letGo;
}

async function openQuestion(
  context: Uses<'bootId' | 'clock' | 'timers'>,
  change: Change,
  question: Omit<Question, 'isHeldHere'>,
): Promise<void> {
  const { id, call, questionKey } = question;
  await holdCall(change, { callId: call.id, attempt: call.attempt, itemId: id });
  await openItem(context, change, { ...question, isHeldHere: questionKey === undefined });
}

async function holdCall(
  change: Change,
  {
    callId,
    attempt,
    itemId,
  }: { readonly callId: string; readonly attempt: number; readonly itemId: string },
): Promise<void> {
  const { sql } = change;
  const status = (await sql.runCore(change.runId))?.status;
  const isHeld =
    (status === 'running' || status === 'input_required') &&
    (await requestInput(change, { id: callId, attempt }, itemId));
  if (!isHeld)
    throw new ProtocolError(ErrorCode.rejectedByUser, 'The call that asks is being stopped.');
  if ((await sql.countInboxItems({ callId, state: 'open' })) >= MAX_OPEN_QUESTIONS)
    throw new ProtocolError(
      ErrorCode.rejectedByUser,
      `Too many questions are open: ${MAX_OPEN_QUESTIONS}.`,
    );
}

interface Delivery {
  readonly id: string;
  readonly attempt: number;
  readonly isWithdrawn: boolean;
}

/** Takes the answer out of the inbox and lets the call go on when it was its last open question. */
async function deliver(
  context: Uses<'bus' | 'timers'>,
  change: Change,
  { id, attempt, isWithdrawn }: Delivery,
): Promise<InboxItem> {
  const { sql, emit } = change;
  const item = await sql.inboxItem(id);
  if (item === undefined)
    throw new ProtocolError(ErrorCode.internalError, 'The question was removed.');
  // A parked call asks again where it goes on, and what ends it closes its questions.
  if (isWithdrawn && item.questionKey !== undefined) return item;
  if (item.state === 'open' || (item.state === 'answered' && isWithdrawn))
    await voidItem(context, change, { item, reason: 'withdrawn' });
  else if (
    item.state === 'answered' &&
    (await sql.updateInboxItem(id, 'answered', { state: 'delivered' }))
  )
    emit({ type: 'inbox.delivered', data: itemData(item) });
  // The item itself is open no more.
  const isLast =
    item.callId !== undefined &&
    (await sql.countInboxItems({ callId: item.callId, state: 'open' })) === 0;
  const call = item.callId === undefined ? undefined : await sql.toolCall(item.callId);
  // What is parked is sent again, and says so itself.
  if (
    isLast &&
    call?.state === 'input_required' &&
    call.attempt === attempt &&
    call.parked === undefined
  ) {
    if (call.taskId === undefined) await resumeCall(change, call);
    else await workOnCall(change, call, call.taskId);
  }
  return item;
}

/** Waits until the item is open no more or the question is withdrawn. */
function closeOf(
  context: Uses<'store' | 'bus' | 'logger'>,
  itemId: string,
  signal: AbortSignal,
): {
  readonly promise: Promise<void>;
  readonly look: () => Promise<void>;
  readonly forget: () => void;
} {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = async (): Promise<void> => {
    const item = await context.store.read.inboxItem(itemId);
    if (item !== undefined && item.state !== 'open') resolve();
  };
  const unsubscribe = context.bus.subscribe((heard) => {
    if (heard.type === 'inbox' && heard.itemId === itemId)
      inBackground(context, 'reading an inbox item', look());
  });
  const withdraw = (): void => resolve();
  signal.addEventListener('abort', withdraw);
  if (signal.aborted) withdraw();
  return {
    promise,
    look,
    forget: () => {
      unsubscribe();
      signal.removeEventListener('abort', withdraw);
    },
  };
}

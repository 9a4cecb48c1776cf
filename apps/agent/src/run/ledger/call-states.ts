import type { CallToolResult } from '@signalbox/mcp-core';
import {
  OPEN_CALL_STATES,
  SENT_CALL_STATES,
  type ToolCall,
  type ToolCallPatch,
  type ToolCallState,
} from '../../ports/store/tool-call.ts';
import type { StoreTransaction } from '../../ports/store.ts';
import type { CancelLevel } from '../../ports/tool-dispatcher.ts';
import { errorResult } from './call-results.ts';
import type { Change } from '../core/commits.ts';
import { previewOf, type CancelOutcome, type RunEventTypes } from '../core/events.ts';

interface Transition {
  readonly from: readonly ToolCallState[];
  /** Absent when the state stays as it is and only other fields of the call change. */
  readonly to?: ToolCallState;
}

/** Transitions of a tool call after it was planned. No other file of the engine changes a call. */
export const CALL_TRANSITIONS = {
  requireApproval: { from: ['planned'], to: 'awaiting_approval' },
  approve: { from: ['awaiting_approval'], to: 'planned' },
  dispatch: { from: ['planned'], to: 'dispatched' },
  /** Counts an attempt that was not sent. */
  skipAttempt: { from: ['planned'] },
  /** Counts a failure of the service to send or to continue a call, and sets the time of the next attempt. */
  postpone: { from: ['planned', ...SENT_CALL_STATES] },
  /** Makes this process the owner of a parked call. */
  claim: { from: SENT_CALL_STATES },
  /** Lets any process continue a parked call. */
  release: { from: SENT_CALL_STATES },
  requestInput: { from: SENT_CALL_STATES, to: 'input_required' },
  /** Stores the input requests that any process can answer. */
  park: { from: ['dispatched', 'input_required'] },
  resume: { from: ['dispatched', 'input_required'], to: 'dispatched' },
  /** The server continues the call as a task. */
  work: { from: ['dispatched', 'input_required'], to: 'working' },
  requestCancel: { from: SENT_CALL_STATES },
  retry: { from: ['planned', ...SENT_CALL_STATES, 'unknown'], to: 'planned' },
  succeed: { from: ['planned', ...SENT_CALL_STATES, 'unknown'], to: 'succeeded' },
  fail: { from: [...OPEN_CALL_STATES, 'unknown'], to: 'failed' },
  cancel: { from: OPEN_CALL_STATES, to: 'cancelled' },
  lose: { from: SENT_CALL_STATES, to: 'unknown' },
} as const satisfies { readonly [name: string]: Transition };

export type CallTransition = keyof typeof CALL_TRANSITIONS;

/**
 * A call as the caller last read it. Without `state`, accepts every state that the transition
 * allows; without `owner`, every owner.
 */
export type CallRef = Pick<ToolCall, 'id' | 'attempt'> & Partial<Pick<ToolCall, 'state' | 'owner'>>;

/**
 * Whether this worker still owns the attempt of a call that it sent, according to the row that was
 * just read. Otherwise another worker continues the call, and a late outcome must not change it.
 */
export function isOurs(
  { workerId }: { readonly workerId: string },
  sent: ToolCall,
  row: ToolCall | undefined,
): row is ToolCall {
  return row?.attempt === sent.attempt && row.owner === sent.owner && row.owner === workerId;
}

type Sql = Pick<StoreTransaction, 'updateToolCall'>;
type Writer = Pick<Change, 'emit'> & { readonly sql: Sql };
type Time = { readonly clock: { now(): number } };

/**
 * Applies a transition to a call. Returns false when the row has another state, attempt or owner by
 * now; it is then unchanged.
 * @throws Error when the transition is not allowed from the state of the call
 */
export async function moveCall(
  sql: Sql,
  call: CallRef,
  { transition, ...patch }: { readonly transition: CallTransition } & Omit<ToolCallPatch, 'state'>,
): Promise<boolean> {
  const { id, attempt, state } = call;
  const { from, to }: Transition = CALL_TRANSITIONS[transition];
  if (state !== undefined && !from.includes(state))
    throw new Error(
      `The transition ${transition} is not allowed for the tool call ${id}, which is ${state}; it needs ${from.join(', ')}.`,
    );
  const expected = {
    state: state === undefined ? from : [state],
    attempt,
    ...('owner' in call ? { owner: call.owner ?? null } : {}),
  };
  return sql.updateToolCall(id, expected, to === undefined ? patch : { ...patch, state: to });
}

/** Stores a new call in the state `planned` or `awaiting_approval`. */
export async function planCall(
  { sql, emit }: Change,
  call: ToolCall & { readonly state: 'planned' | 'awaiting_approval' },
  { server, decision }: Pick<RunEventTypes['tool_call.planned'], 'server' | 'decision'>,
): Promise<void> {
  await sql.insertToolCall(call);
  emit({
    type: 'tool_call.planned',
    data: {
      call_id: call.id,
      turn: call.turn,
      position: call.position,
      tool_use_id: call.toolUseId,
      name: call.wireName,
      server,
      tool: call.tool,
      arguments: call.arguments,
      state: call.state,
      repeatable: call.repeatable,
      decision,
    },
  });
}

/** Sends a planned call back to the inbox. */
export async function requireApproval(
  { sql, emit }: Writer,
  call: ToolCall,
  reason: string,
): Promise<boolean> {
  if (!(await moveCall(sql, call, { transition: 'requireApproval' }))) return false;
  emit({ type: 'tool_call.approval_required', data: { ...callData(call), reason } });
  return true;
}

/** Releases a call that waited for approval, with the arguments of the person when they changed them. */
export async function approveCall(
  { sql, emit }: Writer,
  call: ToolCall,
  {
    edit,
    ...data
  }: {
    readonly edit: Pick<ToolCallPatch, 'arguments' | 'modelArguments' | 'idempotencyKey'>;
  } & Pick<RunEventTypes['tool_call.approved'], 'remember' | 'remembered_approval_id'>,
): Promise<boolean> {
  if (!(await moveCall(sql, call, { transition: 'approve', ...edit }))) return false;
  emit({
    type: 'tool_call.approved',
    data: {
      ...callData(call),
      is_edited: edit.arguments !== undefined,
      arguments: edit.arguments,
      ...data,
    },
  });
  return true;
}

/**
 * Begins the next attempt of a planned call. Returns the dispatched call, or `undefined` when it
 * has changed since it was read.
 */
export async function dispatchCall(
  { clock }: Time,
  { sql, emit }: Writer,
  call: ToolCall,
  owner: string,
): Promise<ToolCall | undefined> {
  const patch = { attempt: call.attempt + 1, owner, sentAt: clock.now() };
  if (!(await moveCall(sql, call, { transition: 'dispatch', ...patch }))) return undefined;
  const dispatched: ToolCall = { ...call, ...patch, state: 'dispatched' };
  const { server, tool } = dispatched;
  emit({ type: 'tool_call.dispatched', data: { ...callData(dispatched), server, tool } });
  return dispatched;
}

/** Makes a sent call wait for the response to an inbox item. */
export async function awaitInput(
  { sql, emit }: Writer,
  call: CallRef,
  itemId: string,
): Promise<boolean> {
  if (!(await moveCall(sql, call, { transition: 'requestInput' }))) return false;
  emit({ type: 'tool_call.input_required', data: { ...callData(call), inbox_item_id: itemId } });
  return true;
}

/** Continues a call whose input requests are answered. */
export async function resumeCall(
  { sql, emit }: Writer,
  call: ToolCall,
  patch: Pick<ToolCallPatch, 'parked' | 'owner'> = {},
): Promise<boolean> {
  if (!(await moveCall(sql, call, { transition: 'resume', ...patch }))) return false;
  if (call.state === 'input_required') emit({ type: 'tool_call.resumed', data: callData(call) });
  return true;
}

/** Stores that the server works on the call as a task. */
export async function workOnCall(
  { sql, emit }: Writer,
  call: CallRef,
  taskId: string,
): Promise<boolean> {
  if (!(await moveCall(sql, call, { transition: 'work', taskId }))) return false;
  emit({ type: 'tool_call.working', data: { ...callData(call), task_id: taskId } });
  return true;
}

/** Plans the call again, under the same idempotency key. */
export async function retryCall(
  { clock }: Time,
  { sql, emit }: Writer,
  call: ToolCall,
  data: Pick<RunEventTypes['tool_call.retrying'], 'reason' | 'message' | 'delay_ms'>,
): Promise<boolean> {
  const isLost = data.reason === 'connection_lost' || data.reason === 'process_ended';
  const cleared = {
    owner: undefined,
    // Stays until the call ends: a sent attempt may have taken effect.
    error: isLost ? data.message : call.error,
    parked: undefined,
    taskId: undefined,
    finishedAt: undefined,
    dueAt: data.delay_ms === 0 ? undefined : clock.now() + data.delay_ms,
  };
  if (!(await moveCall(sql, call, { transition: 'retry', ...cleared }))) return false;
  emit({ type: 'tool_call.retrying', data: { ...callData(call), ...data } });
  return true;
}

/** Ends a call with the result of its tool. */
export async function succeedCall(
  { clock }: Time,
  { sql, emit }: Writer,
  { call, result }: { readonly call: ToolCall; readonly result: CallToolResult },
): Promise<boolean> {
  const patch = { result, error: undefined, finishedAt: clock.now() };
  if (!(await moveCall(sql, call, { transition: 'succeed', ...patch }))) return false;
  emit({ type: 'tool_call.completed', data: { ...callData(call), result: previewOf(result) } });
  return true;
}

/** Ends a call as failed. The model reads `result`, which is `text` or `message` when the tool gave none. */
export async function failCall(
  { clock }: Time,
  { sql, emit }: Writer,
  {
    call,
    message,
    text = message,
    result = errorResult(text),
  }: {
    readonly call: CallRef;
    readonly message: string;
    readonly text?: string;
    readonly result?: CallToolResult;
  },
): Promise<boolean> {
  const patch = { result, error: message, finishedAt: clock.now() };
  if (!(await moveCall(sql, call, { transition: 'fail', ...patch }))) return false;
  emit({
    type: 'tool_call.failed',
    data: { ...callData(call), message, result: previewOf(result) },
  });
  return true;
}

/** Ends a call as cancelled, with how far the cancellation got and what the server may have done. */
export async function cancelCall(
  { clock }: Time,
  { sql, emit }: Writer,
  {
    call,
    level,
    outcome,
  }: {
    readonly call: ToolCall;
    readonly level: CancelLevel | undefined;
    readonly outcome: CancelOutcome;
  },
): Promise<boolean> {
  const text =
    outcome === 'unknown'
      ? 'This call was cancelled; it is not known whether it took effect.'
      : 'This call was cancelled.';
  const patch = { cancel: level, result: errorResult(text), finishedAt: clock.now() };
  if (!(await moveCall(sql, call, { transition: 'cancel', ...patch }))) return false;
  emit({ type: 'tool_call.cancelled', data: { ...callData(call), cancel: level, outcome } });
  return true;
}

/** Ends a sent call whose result can no longer arrive: its outcome is unknown. */
export async function loseCall(
  { clock }: Time,
  { sql, emit }: Writer,
  { call, message }: { readonly call: CallRef; readonly message: string },
): Promise<boolean> {
  const patch = {
    error: message,
    owner: undefined,
    // A person may give the result much later.
    sentAt: undefined,
    finishedAt: clock.now(),
  };
  if (!(await moveCall(sql, call, { transition: 'lose', ...patch }))) return false;
  emit({ type: 'tool_call.outcome_unknown', data: { ...callData(call), message } });
  return true;
}

function callData({ id, attempt }: CallRef): {
  readonly call_id: string;
  readonly attempt: number;
} {
  return { call_id: id, attempt };
}

import type { InboxState } from '../../ports/store/inbox.ts';
import type { Run } from '../../ports/store/run.ts';
import type { RunEvent } from '../../ports/store/run-event.ts';
import type { ToolCallState } from '../../ports/store/tool-call.ts';
import { eventBody, type RunEventBody, type UsageData } from '../core/events.ts';

/** State of a run as a client derives it from the events alone. */
export interface FoldedRun {
  readonly status: Run['status'] | undefined;
  readonly answer: string | undefined;
  readonly error: Run['error'];
  readonly turns: number;
  readonly usage: UsageData | undefined;
  /** The message that is being written. */
  readonly openMessage: string | undefined;
  readonly calls: ReadonlyMap<string, { readonly state: ToolCallState; readonly attempt: number }>;
  readonly inbox: ReadonlyMap<string, InboxState>;
}

const NOTHING: FoldedRun = {
  status: undefined,
  answer: undefined,
  error: undefined,
  turns: 0,
  usage: undefined,
  openMessage: undefined,
  calls: new Map(),
  inbox: new Map(),
};

/** Rebuilds the visible state of a run from its events, in order of `seq`. */
export function foldEvents(events: readonly RunEvent[]): FoldedRun {
  return events.reduce((state, event) => step(state, eventBody(event)), NOTHING);
}

function step(state: FoldedRun, event: RunEventBody): FoldedRun {
  switch (event.type) {
    case 'run.queued':
      return { ...state, status: 'queued' };
    case 'run.started':
      return { ...state, status: 'running' };
    case 'run.resumed':
      return {
        ...state,
        status: 'running',
        ...(event.data.reason === 'requested' ? { answer: undefined, error: undefined } : {}),
      };
    case 'run.input_required':
      return { ...state, status: 'input_required' };
    case 'run.cancelling':
      return { ...state, status: 'cancelling' };
    case 'run.completed':
      return { ...state, status: 'completed', answer: event.data.answer };
    case 'run.cancelled':
      return { ...state, status: 'cancelled', answer: event.data.answer };
    case 'run.failed':
      return { ...state, status: 'failed', answer: event.data.answer, error: event.data.error };
    case 'run.expired':
      return { ...state, status: 'expired', answer: event.data.answer, error: event.data.error };
    case 'turn.completed':
      return { ...state, turns: event.data.turn };
    case 'message.started':
      return { ...state, openMessage: event.data.message_id };
    case 'message.completed':
    case 'turn.interrupted':
    case 'turn.failed':
      return { ...state, openMessage: undefined };
    case 'usage.updated':
      return { ...state, usage: event.data.total };
    case 'tool_call.planned':
      return {
        ...state,
        calls: new Map(state.calls).set(event.data.call_id, {
          state: event.data.state,
          attempt: 0,
        }),
      };
    case 'tool_call.approved':
    case 'tool_call.retrying':
      return withCall(state, event.data, 'planned');
    case 'tool_call.approval_required':
      return withCall(state, event.data, 'awaiting_approval');
    case 'tool_call.dispatched':
    case 'tool_call.resumed':
      return withCall(state, event.data, 'dispatched');
    case 'tool_call.working':
      return withCall(state, event.data, 'working');
    case 'tool_call.input_required':
      return withCall(state, event.data, 'input_required');
    case 'tool_call.completed':
      return withCall(state, event.data, 'succeeded');
    case 'tool_call.failed':
      return withCall(state, event.data, 'failed');
    case 'tool_call.cancelled':
      return withCall(state, event.data, 'cancelled');
    case 'tool_call.outcome_unknown':
      return withCall(state, event.data, 'unknown');
    case 'inbox.opened':
      return withItem(state, event.data, 'open');
    case 'inbox.answered':
      return withItem(state, event.data, 'answered');
    case 'inbox.delivered':
      return withItem(state, event.data, 'delivered');
    case 'inbox.void':
      return withItem(state, event.data, 'void');
    case 'inbox.expired':
      return withItem(state, event.data, 'expired');
    case 'turn.started':
    case 'turn.output_rejected':
    case 'inbox.completed':
    case 'turn.cancelled':
    case 'tool_call.progress':
    case 'tool_call.waiting':
    case 'limit.warning':
    case 'limit.exceeded':
      return state;
  }
}

function withCall(
  state: FoldedRun,
  { call_id: id, attempt }: { readonly call_id: string; readonly attempt: number },
  callState: ToolCallState,
): FoldedRun {
  return { ...state, calls: new Map(state.calls).set(id, { state: callState, attempt }) };
}

function withItem(
  state: FoldedRun,
  { inbox_item_id: id }: { readonly inbox_item_id: string },
  itemState: InboxState,
): FoldedRun {
  return { ...state, inbox: new Map(state.inbox).set(id, itemState) };
}

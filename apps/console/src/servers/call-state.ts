import type { RunFrame } from '@signalbox/client';

/** A direct call of a tool, as its page shows it. */
export interface CallState {
  readonly phase: 'queued' | 'waiting' | 'running' | 'asking' | 'cancelling' | 'ended';
  /** Reason of the phase, in the words of the service. */
  readonly reason?: string | undefined;
  readonly progress?: Progress | undefined;
  /** Open inbox item that the call waits for. */
  readonly itemId?: string | undefined;
  /** Id of the call; undefined until it is planned. */
  readonly callId?: string | undefined;
  readonly outcome?: 'succeeded' | 'failed' | 'cancelled' | undefined;
}

/** Progress as the server reported it last. */
export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** State of a call before the first frame. */
export const NEW_CALL: CallState = { phase: 'queued' };

/** Returns the state of a call after a frame of the stream of its run. */
export function afterFrame(state: CallState, frame: RunFrame): CallState {
  switch (frame.type) {
    case 'tool_call.planned':
      return { ...state, callId: frame.data.call_id };
    case 'tool_call.dispatched':
    case 'tool_call.working':
    case 'tool_call.resumed':
      return { ...state, phase: 'running', reason: undefined, itemId: undefined };
    case 'tool_call.waiting':
      return { ...state, phase: 'waiting', reason: frame.data.message };
    case 'tool_call.retrying':
      return { ...state, phase: 'waiting', reason: frame.data.message ?? frame.data.reason };
    case 'tool_call.progress': {
      const { progress, total, message } = frame.data;
      return { ...state, phase: 'running', progress: { progress, total, message } };
    }
    case 'inbox.opened':
      return { ...state, phase: 'asking', itemId: frame.data.inbox_item_id };
    case 'inbox.answered':
    case 'inbox.void':
    case 'inbox.expired':
      return { ...state, itemId: undefined };
    case 'run.cancelling':
      return { ...state, phase: 'cancelling' };
    case 'tool_call.completed':
      return { ...state, outcome: 'succeeded' };
    case 'tool_call.failed':
      return { ...state, outcome: 'failed', reason: frame.data.message };
    case 'tool_call.cancelled':
      return { ...state, outcome: 'cancelled' };
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
    case 'run.expired':
      return {
        ...state,
        phase: 'ended',
        itemId: undefined,
        outcome: state.outcome ?? (frame.type === 'run.cancelled' ? 'cancelled' : 'failed'),
      };
    default:
      return state;
  }
}

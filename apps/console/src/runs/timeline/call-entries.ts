import type { RunEvent } from '@signalbox/client';
import type { CallEntry, EventOf } from './entries.ts';
import type { EntryList } from './entry-list.ts';
import { enter, leave } from './spans.ts';

type CallEvent = Extract<RunEvent, { readonly type: `tool_call.${string}` }>;

/** Changes of a call by an event. */
type Change = Partial<Omit<CallEntry, 'kind' | 'key'>>;

/** Folds the events of tool calls into their rows. */
export class CallEntries {
  readonly #entries: EntryList;

  constructor(entries: EntryList) {
    this.#entries = entries;
  }

  /** Adds an event. Returns false for an event that is not of a call. */
  add(event: RunEvent): boolean {
    if (event.type === 'tool_call.planned') {
      this.#plan(event);
      return true;
    }
    if (event.type === 'usage.updated' && event.data.source === 'server')
      return this.#change(event.data.call_id, event.seq, (call) => ({
        sampling: [...call.sampling, event.data.usage],
      }));
    if (!isOfCall(event)) return false;
    return this.#change(event.data.call_id, event.seq, (call) => ({
      attempt: event.data.attempt,
      ...changeOf(call, event, Date.parse(event.at)),
    }));
  }

  #plan(event: EventOf<'tool_call.planned'>): void {
    const { seq, at, data } = event;
    const isAsking = data.state === 'awaiting_approval';
    this.#entries.append({
      kind: 'call',
      key: `call-${data.call_id}`,
      seq,
      lastSeq: seq,
      at,
      callId: data.call_id,
      planned: data,
      state: data.state,
      attempt: 0,
      retries: [],
      sampling: [],
      spans: enter([], isAsking ? 'asking' : 'waiting', Date.parse(at)),
    });
  }

  #change(callId: string | undefined, seq: number, change: (call: CallEntry) => Change): boolean {
    return this.#entries.change(`call-${callId}`, seq, (entry) => ({
      ...(entry as CallEntry),
      ...change(entry as CallEntry),
    }));
  }
}

function isOfCall(event: RunEvent): event is Exclude<CallEvent, { type: 'tool_call.planned' }> {
  return event.type.startsWith('tool_call.');
}

function changeOf(
  call: CallEntry,
  event: Exclude<CallEvent, { type: 'tool_call.planned' }>,
  at: number,
): Change {
  switch (event.type) {
    case 'tool_call.approval_required':
      return {
        state: 'awaiting_approval',
        note: event.data.reason,
        spans: enter(call.spans, 'asking', at),
      };
    case 'tool_call.approved':
      return {
        state: 'planned',
        ...(event.data.arguments === undefined ? {} : { editedArguments: event.data.arguments }),
        spans: enter(call.spans, 'waiting', at),
      };
    case 'tool_call.dispatched':
      return { state: 'dispatched', note: '', spans: enter(call.spans, 'running', at) };
    case 'tool_call.waiting':
      return {
        state: 'waiting',
        note: event.data.message,
        spans: enter(call.spans, 'waiting', at),
      };
    case 'tool_call.working':
      return { state: 'working', spans: enter(call.spans, 'running', at) };
    case 'tool_call.progress':
      return { progress: event.data };
    case 'tool_call.input_required':
      return { state: 'input_required', spans: enter(call.spans, 'asking', at) };
    case 'tool_call.resumed':
      return { state: 'dispatched', spans: enter(call.spans, 'running', at) };
    case 'tool_call.retrying':
      return {
        state: 'waiting',
        note: event.data.message ?? event.data.reason,
        retries: [
          ...call.retries,
          { at: event.at, reason: event.data.message ?? event.data.reason },
        ],
        spans: enter(call.spans, 'waiting', at),
      };
    case 'tool_call.completed':
      return {
        state: 'succeeded',
        note: '',
        result: event.data.result,
        spans: leave(call.spans, at),
      };
    case 'tool_call.failed':
      return {
        state: 'failed',
        note: '',
        error: event.data.message,
        result: event.data.result,
        spans: leave(call.spans, at),
      };
    case 'tool_call.cancelled':
      return { state: 'cancelled', note: '', cancel: event.data, spans: leave(call.spans, at) };
    case 'tool_call.outcome_unknown':
      return {
        state: 'unknown',
        note: event.data.message,
        spans: enter(call.spans, 'asking', at),
      };
  }
}

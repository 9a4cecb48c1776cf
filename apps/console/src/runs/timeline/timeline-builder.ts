import type { MessageDeltaFrame, RunEvent, RunFrame } from '@signalbox/client';
import { CallEntries } from './call-entries.ts';
import type { Entry, EventOf, MessageEntry, QuestionEntry, TurnEntry } from './entries.ts';
import { EntryList } from './entry-list.ts';
import { enter, leave } from './spans.ts';

/** Events that the entries of turns, messages, calls and questions show. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  'run.started',
  'run.input_required',
  'tool_call.progress',
  'inbox.delivered',
]);

/** Folds the frames of a run into the rows of its timeline. */
export class TimelineBuilder {
  readonly #entries = new EntryList();
  readonly #calls = new CallEntries(this.#entries);
  readonly #events: RunEvent[] = [];
  /** Turn of the model call in progress, to which its usage belongs. */
  #turn: number | undefined;

  /** Rows in the order of their first events. A row that changed is a new object. */
  entries(): readonly Entry[] {
    return this.#entries.all();
  }

  /** Every event, in order. */
  events(): readonly RunEvent[] {
    return this.#events;
  }

  /** Last event that was added; 0 before the first. */
  get lastSeq(): number {
    return this.#events.at(-1)?.seq ?? 0;
  }

  /** Key of the row that shows an event. */
  keyOf(seq: number): string | undefined {
    return this.#entries.keyOf(seq);
  }

  /** Adds a frame. */
  add(frame: RunFrame): void {
    if (frame.type === 'run.snapshot') return;
    if (frame.type === 'message.delta') this.#addDelta(frame);
    else {
      this.#events.push(frame);
      this.#addEvent(frame);
    }
  }

  #addEvent(event: RunEvent): void {
    if (this.#calls.add(event)) return;
    switch (event.type) {
      case 'run.queued':
        this.#entries.append({ kind: 'prompt', key: 'prompt', ...placeOf(event), event });
        return;
      case 'turn.started':
        return this.#startTurn(event);
      case 'turn.completed':
        return this.#changeTurn(event, (turn, at) => ({
          ...turn,
          state: 'completed',
          stopReason: event.data.stop_reason,
          spans: leave(turn.spans, at),
        }));
      case 'turn.failed':
        return this.#failTurn(event);
      case 'turn.interrupted':
        this.#discard(event, event.data.message_id);
        return this.#changeTurn(event, (turn, at) => ({
          ...turn,
          failures: [...turn.failures, { at: event.at, message: event.data.reason }],
          spans: enter(turn.spans, 'waiting', at),
        }));
      case 'turn.cancelled':
        return this.#changeTurn(event, (turn, at) => ({
          ...turn,
          state: 'cancelled',
          spans: leave(turn.spans, at),
        }));
      case 'message.started':
        this.#entries.append(newMessage(placeOf(event), event.data.message_id, event.data.turn));
        return;
      case 'message.completed':
        return this.#completeMessage(event);
      case 'usage.updated':
        return this.#addUsage(event);
      case 'inbox.opened':
        return this.#openQuestion(event);
      case 'inbox.answered':
        return this.#changeQuestion(event, (item) => ({
          ...item,
          state: 'answered',
          response: event.data.response,
        }));
      case 'inbox.delivered':
        return this.#changeQuestion(event, (item) => ({ ...item, state: 'delivered' }));
      case 'inbox.void':
        return this.#changeQuestion(event, (item) => ({
          ...item,
          state: 'void',
          reason: event.data.reason,
        }));
      case 'inbox.expired':
        return this.#changeQuestion(event, (item) => ({ ...item, state: 'expired' }));
      case 'run.completed':
      case 'run.failed':
      case 'run.cancelled':
      case 'run.expired':
        this.#entries.append({ kind: 'end', key: `end-${event.seq}`, ...placeOf(event), event });
        return;
      default:
        if (!SHOWN_ELSEWHERE.has(event.type))
          this.#entries.append({
            kind: 'note',
            key: `note-${event.seq}`,
            ...placeOf(event),
            event,
          });
    }
  }

  #startTurn(event: EventOf<'turn.started'>): void {
    const { turn, model } = event.data;
    this.#turn = turn;
    const at = Date.parse(event.at);
    const isKnown = this.#entries.change(`turn-${turn}`, event.seq, (entry) => ({
      ...(entry as TurnEntry),
      model,
      state: 'running',
      spans: enter((entry as TurnEntry).spans, 'model', at),
    }));
    if (isKnown) return;
    this.#entries.append({
      kind: 'turn',
      key: `turn-${turn}`,
      ...placeOf(event),
      turn,
      model,
      state: 'running',
      failures: [],
      spans: enter([], 'model', at),
    });
  }

  #failTurn(event: EventOf<'turn.failed'>): void {
    const { error, retryable, next_attempt_at, message_id } = event.data;
    this.#discard(event, message_id);
    this.#changeTurn(event, (turn, at) => ({
      ...turn,
      state: retryable ? 'running' : 'failed',
      failures: [
        ...turn.failures,
        { at: event.at, message: error.message, nextAt: next_attempt_at },
      ],
      spans: retryable ? enter(turn.spans, 'waiting', at) : leave(turn.spans, at),
    }));
  }

  #changeTurn(
    event: Extract<RunEvent, { readonly type: `turn.${string}` }>,
    change: (turn: TurnEntry, at: number) => TurnEntry,
  ): void {
    const at = Date.parse(event.at);
    this.#entries.change(`turn-${event.data.turn}`, event.seq, (entry) =>
      change(entry as TurnEntry, at),
    );
  }

  #addDelta({ message_id, kind, tool_use, text }: MessageDeltaFrame): void {
    const key = `message-${message_id}`;
    const change = (entry: Entry): Entry => {
      const message = entry as MessageEntry;
      if (kind === 'text') return { ...message, text: message.text + text };
      if (kind === 'reasoning') return { ...message, reasoning: message.reasoning + text };
      const drafts = [...message.drafts];
      const place = tool_use?.index ?? 0;
      // A reconnection may have missed all of an earlier call.
      while (drafts.length < place) drafts.push({ name: '', text: '' });
      drafts[place] = {
        name: tool_use?.name ?? '',
        text: (drafts[place]?.text ?? '') + text,
      };
      return { ...message, drafts };
    };
    if (this.#entries.change(key, this.lastSeq, change)) return;
    const place = { seq: this.lastSeq, at: new Date().toISOString() };
    this.#entries.append(change(newMessage(place, message_id, this.#turn)));
  }

  #completeMessage(event: EventOf<'message.completed'>): void {
    const { message_id, turn, text, is_partial } = event.data;
    const complete = (entry: Entry): Entry => ({
      ...(entry as MessageEntry),
      turn,
      text,
      drafts: [],
      state: is_partial ? 'partial' : 'complete',
    });
    if (this.#entries.change(`message-${message_id}`, event.seq, complete)) return;
    this.#entries.append(complete(newMessage(placeOf(event), message_id, turn)));
  }

  #discard(event: RunEvent, messageId: string): void {
    this.#entries.change(`message-${messageId}`, event.seq, (entry) => ({
      ...(entry as MessageEntry),
      drafts: [],
      state: 'discarded',
    }));
  }

  #addUsage(event: EventOf<'usage.updated'>): void {
    const { source, usage } = event.data;
    if (source !== 'agent') return;
    this.#entries.change(`turn-${this.#turn}`, event.seq, (entry) => ({
      ...(entry as TurnEntry),
      usage,
    }));
  }

  #openQuestion(event: EventOf<'inbox.opened'>): void {
    const { inbox_item_id, call_id } = event.data;
    this.#entries.append({
      kind: 'question',
      key: `question-${inbox_item_id}`,
      ...placeOf(event),
      itemId: inbox_item_id,
      callId: call_id,
      opened: event.data,
      state: 'open',
    });
  }

  #changeQuestion(
    event: Extract<RunEvent, { readonly type: `inbox.${string}` }>,
    change: (item: QuestionEntry) => QuestionEntry,
  ): void {
    this.#entries.change(`question-${event.data.inbox_item_id}`, event.seq, (entry) =>
      change(entry as QuestionEntry),
    );
  }
}

function placeOf({ seq, at }: RunEvent) {
  return { seq, lastSeq: seq, at };
}

function newMessage(
  { seq, at }: { readonly seq: number; readonly at: string },
  messageId: string,
  turn: number | undefined,
): MessageEntry {
  return {
    kind: 'message',
    key: `message-${messageId}`,
    seq,
    lastSeq: seq,
    at,
    turn,
    messageId,
    text: '',
    reasoning: '',
    drafts: [],
    state: 'writing',
  };
}

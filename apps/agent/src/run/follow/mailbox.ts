import type { PartialMessage } from '../../ports/store/message.ts';
import type { RunEvent } from '../../ports/store/run-event.ts';
import type { Signal } from '../../ports/signal-bus.ts';

export type Delta = Extract<Signal, { type: 'delta' }>;

/** Signal with a part of a message, or with events of a run. */
export type RunSignal = Delta | Extract<Signal, { type: 'events' }>;

/** Maximum number of events that wait for one reader; a slower reader reads them from the store. */
const MAX_WAITING_EVENTS = 100;

/** Events after which the run may be settled; the reader then checks its row. */
const LAST_EVENTS: ReadonlySet<string> = new Set([
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.expired',
]);

const KINDS: readonly Delta['kind'][] = ['text', 'reasoning', 'arguments'];

/** Maximum number of characters of deltas that wait for one reader. */
const MAX_WAITING_CHARACTERS = 256 * 1024;

/**
 * Lengths of the parts of an unfinished message that a reader has. Mutable, because new objects for
 * each message and reader would produce much garbage.
 */
interface KnownText {
  messageId: string;
  /** Number of characters of each part, by `partOf`. */
  readonly lengths: number[];
}

/** Events and deltas that wait for a reader of a run. */
export class Mailbox {
  /** `seq` of the last delivered event. */
  last: number;
  #deltas: Delta[] = [];
  #events: RunEvent[] = [];
  #known: KnownText | undefined;
  /** Last completed message, whose late deltas are dropped. */
  #completed: unknown;
  #waitingCharacters = 0;
  #hasOverflowed = false;
  /**
   * Whether the store may have events that no signal has brought. Initially true, because of
   * earlier events.
   */
  #hasNews = true;
  #isDirty = false;
  #isRefused = false;
  #waiting: (() => void) | undefined;

  constructor(after: number) {
    this.last = after;
  }

  receive(signal: RunSignal): void {
    if (signal.type === 'delta') this.#add(signal);
    else this.#addEvents(signal);
  }

  /**
   * Takes a signal whose delta or events come next for a reader that waits for signals. Returns
   * false, and takes nothing, for any other signal.
   */
  takeNext(signal: RunSignal): boolean {
    const isIdle = this.#waiting !== undefined && !this.#isDirty;
    if (!isIdle || this.#events.length > 0 || this.#deltas.length > 0) return false;
    if (this.#hasNews || this.#hasOverflowed) return false;
    return signal.type === 'delta' ? this.#takeNextDelta(signal) : this.#takeNextEvents(signal);
  }

  #takeNextDelta(delta: Delta): boolean {
    const { messageId, offset, text } = delta;
    if (messageId === this.#completed || text === '') return false;
    if (offset < this.#lengthOf(delta) || this.#isAhead(delta)) return false;
    this.#setLength(delta, offset + text.length);
    return true;
  }

  #takeNextEvents({ events = [] }: Extract<RunSignal, { type: 'events' }>): boolean {
    const first = this.last + 1;
    if (events.length === 0 || events.some(({ seq }, index) => seq !== first + index)) return false;
    for (const event of events) {
      if (event.type === 'message.completed')
        this.#completed = event.data['message_id'] ?? this.#completed;
      this.delivered(event);
    }
    return true;
  }

  /** Whether the reader must read from the store before it can deliver what waits. */
  needsRead(): boolean {
    return this.#hasNews || this.#hasOverflowed || this.hasGap();
  }

  /** Notes that the consumer can take no more for now. */
  refuse(): void {
    this.#isRefused = true;
  }

  /** Whether the consumer could take no more since the last call. */
  takeRefusal(): boolean {
    const wasRefused = this.#isRefused;
    this.#isRefused = false;
    return wasRefused;
  }

  wake(): void {
    this.#isDirty = true;
    this.#waiting?.();
  }

  /** Resolves when a signal arrived since the last call. */
  async changed(): Promise<void> {
    if (!this.#isDirty) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
      this.#waiting = undefined;
    }
    this.#isDirty = false;
  }

  /** Takes the waiting events that follow the last one without a gap. Behind a gap, the store has more. */
  takeEvents(): readonly RunEvent[] {
    if (this.#events.length === 0) return [];
    const waiting = this.#events.splice(0).toSorted((a, b) => a.seq - b.seq);
    if (this.#hasNews) return [];
    const events: RunEvent[] = [];
    let { last } = this;
    for (const event of waiting) {
      if (event.seq > last + 1 || LAST_EVENTS.has(event.type)) this.#hasNews = true;
      if (event.seq !== last + 1) continue;
      events.push(event);
      last = event.seq;
    }
    return events;
  }

  /** Records the last delivered event. A later signal with the same event is ignored. */
  delivered({ seq, type }: RunEvent): void {
    this.last = seq;
    if (LAST_EVENTS.has(type)) this.addNews();
  }

  #addEvents({ lastSeq, events }: Extract<RunSignal, { type: 'events' }>): void {
    if (lastSeq <= this.last) return;
    if (events !== undefined && this.#events.length < MAX_WAITING_EVENTS)
      this.#events = [...this.#events, ...events];
    else this.#hasNews = true;
  }

  /** Makes the reader read events from the store. */
  addNews(): void {
    this.#hasNews = true;
    this.wake();
  }

  /** Whether events must be read from the store. */
  takeNews(): boolean {
    const hadNews = this.#hasNews;
    this.#hasNews = false;
    return hadNews;
  }

  /** Whether deltas were dropped since the last call. */
  takeOverflow(): boolean {
    const hadOverflowed = this.#hasOverflowed;
    this.#hasOverflowed = false;
    return hadOverflowed;
  }

  /** Sets the text that the reader has. */
  begin(partial: PartialMessage | undefined): void {
    this.#known = partial && {
      messageId: partial.messageId,
      lengths: [partial.text.length],
    };
  }

  /**
   * Whether text is missing before a waiting delta. It was written before this reader subscribed
   * and after the snapshot's text was stored, or its signal was lost.
   */
  hasGap(): boolean {
    return this.#deltas.some((delta) => this.#isAhead(delta));
  }

  /** Fills a gap from the stored text, which lags the deltas by at most half a second. */
  knowText(partial: PartialMessage | undefined): void {
    const gap = this.#deltas.findIndex((delta) => this.#isAhead(delta));
    const delta = this.#deltas[gap];
    if (
      delta === undefined ||
      partial?.messageId !== delta.messageId ||
      partial.text.length < delta.offset
    )
      return;
    const offset = this.#lengthOf(delta);
    this.#deltas.splice(gap, 0, {
      ...delta,
      offset,
      text: partial.text.slice(offset, delta.offset),
    });
  }

  /** Adds the stored text that no delta brought. */
  addText(runId: string, partial: PartialMessage | undefined): void {
    if (partial === undefined) return;
    const start = { runId, messageId: partial.messageId, kind: 'text' } as const;
    const offset = this.#lengthOf(start);
    if (this.#deltas.length === 0 && partial.text.length > offset)
      this.#add({ type: 'delta', ...start, offset, text: partial.text.slice(offset) });
    if (this.#deltas.length > 0) this.wake();
  }

  /**
   * Takes the waiting deltas that continue the text of the reader. Other deltas of a completed
   * message are dropped.
   */
  takeDeltas(completed?: unknown): readonly Delta[] {
    if (completed !== undefined) this.#completed = completed;
    if (this.#deltas.length === 0) return [];
    const taken: Delta[] = [];
    let due = this.#deltas.filter(
      (delta) => completed === undefined || delta.messageId === completed,
    );
    this.#keep(this.#deltas.filter((delta) => !due.includes(delta)));
    // A delta that arrived too early continues a later one.
    for (let count = Infinity; due.length < count;) {
      count = due.length;
      const early: Delta[] = [];
      for (const delta of due) {
        if (this.#isAhead(delta)) early.push(delta);
        else taken.push(...this.#fresh(delta));
      }
      due = early;
    }
    if (completed === undefined) for (const delta of due) this.#add(delta);
    return taken;
  }

  #fresh(delta: Delta): readonly Delta[] {
    const offset = Math.max(this.#lengthOf(delta), delta.offset);
    const text = delta.text.slice(offset - delta.offset);
    if (text === '') return [];
    this.#setLength(delta, offset + text.length);
    // Readers of the same piece share one object.
    return [text === delta.text ? delta : { ...delta, offset, text }];
  }

  /** Whether text is missing before a delta. Missing reasoning and arguments cannot be read and are skipped. */
  #isAhead(delta: Delta): boolean {
    return delta.kind === 'text' && delta.offset > this.#lengthOf(delta);
  }

  #lengthOf(delta: Pick<Delta, 'messageId' | 'kind' | 'toolUse'>): number {
    if (this.#known?.messageId !== delta.messageId) return 0;
    return this.#known.lengths[partOf(delta)] ?? 0;
  }

  #setLength(delta: Delta, length: number): void {
    const { messageId } = delta;
    const known = (this.#known ??= { messageId, lengths: [] });
    if (known.messageId !== messageId) {
      known.messageId = messageId;
      known.lengths.fill(0);
    }
    known.lengths[partOf(delta)] = length;
  }

  /**
   * Joins a delta to the previous one, so that a slow reader costs one text and not one object per
   * token.
   */
  #add(delta: Delta): void {
    if (delta.messageId === this.#completed) return;
    const last = this.#deltas.at(-1);
    const continues =
      last?.messageId === delta.messageId &&
      partOf(last) === partOf(delta) &&
      last.offset + last.text.length === delta.offset;
    if (continues)
      this.#deltas[this.#deltas.length - 1] = { ...last, text: last.text + delta.text };
    else if (last === undefined) this.#deltas = [delta];
    else this.#deltas.push(delta);
    this.#waitingCharacters += delta.text.length;
    if (this.#waitingCharacters <= MAX_WAITING_CHARACTERS) return;
    this.#keep([]);
    this.#hasOverflowed = true;
  }

  #keep(deltas: Delta[]): void {
    this.#deltas = deltas;
    this.#waitingCharacters = deltas.reduce((sum, { text }) => sum + text.length, 0);
  }
}

/** Returns the number of the growing part of a message. */
function partOf({ kind, toolUse }: Pick<Delta, 'kind' | 'toolUse'>): number {
  if (toolUse !== undefined) return KINDS.length + toolUse.index;
  return KINDS.indexOf(kind);
}

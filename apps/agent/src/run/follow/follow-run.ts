import type { Listed } from '../../ports/store/list.ts';
import { isSettled, type Run } from '../../ports/store/run.ts';
import type { InboxItem } from '../../ports/store/inbox.ts';
import type { PartialMessage } from '../../ports/store/message.ts';
import type { RunEvent } from '../../ports/store/run-event.ts';
import type { Signal, SignalBus } from '../../ports/signal-bus.ts';
import type { FollowReader } from './shared-run-reader.ts';

export type Delta = Extract<Signal, { type: 'delta' }>;

/**
 * Frame for a reader of a run: first a snapshot, then events in `seq` order, and between them
 * deltas of unfinished messages.
 */
export type RunFrame =
  | {
      readonly type: 'snapshot';
      readonly run: Run;
      readonly partial: PartialMessage | undefined;
      readonly inbox: readonly Listed<InboxItem>[];
    }
  | { readonly type: 'event'; readonly event: RunEvent }
  | { readonly type: 'delta'; readonly delta: Delta }
  /**
   * Deltas were dropped because the reader was too slow; a snapshot follows. Events are never
   * dropped.
   */
  | { readonly type: 'gap'; readonly runId: string };

export interface FollowOptions {
  readonly runId: string;
  /** Events with a greater `seq` are delivered. */
  readonly after: number;
  /** Ends the iteration. */
  readonly signal: AbortSignal;
}

const PAGE = 500;

/** Maximum number of events that wait for one reader; a slower reader reads them from the store. */
const MAX_WAITING_EVENTS = 100;

/** Events after which a run may be settled, which its row tells. */
const LAST_EVENTS: ReadonlySet<string> = new Set([
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.expired',
]);

/** Maximum number of characters of deltas that wait for one reader. */
const MAX_WAITING_CHARACTERS = 256 * 1024;

/**
 * Follows a run until it is settled and every event was delivered, or the signal aborts. No event
 * is missed or delivered twice. The text deltas of a message continue exactly where the snapshot's
 * text or the previous delta ended. The last deltas come before `message.completed`, which has the
 * whole text. A slow reader delays no other reader: its deltas are dropped when too many wait.
 */
export async function* followRun(
  dependencies: { read: FollowReader; bus: SignalBus },
  options: FollowOptions,
): AsyncGenerator<RunFrame, void> {
  const { read, bus } = dependencies;
  const mailbox = new Mailbox(options.runId);
  const unsubscribe = bus.subscribe((signal) => mailbox.receive(signal));
  const stop = (): void => mailbox.wake();
  options.signal.addEventListener('abort', stop);
  try {
    yield* snapshotOf(read, mailbox, options.runId);
    yield* framesAfterSnapshot(read, mailbox, options);
  } finally {
    options.signal.removeEventListener('abort', stop);
    unsubscribe();
  }
}

async function* snapshotOf(
  read: FollowReader,
  mailbox: Mailbox,
  runId: string,
): AsyncGenerator<RunFrame, void> {
  const run = await read.run(runId);
  if (run === undefined) return;
  const [partial, inbox] = await Promise.all([read.partial(run.id), read.openInbox([run.id])]);
  mailbox.begin(partial);
  yield { type: 'snapshot', run, partial, inbox };
}

async function* framesAfterSnapshot(
  read: FollowReader,
  mailbox: Mailbox,
  { runId, after, signal }: FollowOptions,
): AsyncGenerator<RunFrame, void> {
  let last = after;
  let isOver = false;
  while (!signal.aborted) {
    last = yield* signalledEvents(mailbox, last);
    if (mailbox.takeNews())
      ({ last, isOver } = yield* newEvents(read, mailbox, { runId, after: last }));
    if (mailbox.hasGap()) mailbox.knowText(await read.partial(runId));
    // The waiting deltas continue the text of the snapshot.
    if (mailbox.takeOverflow()) {
      yield { type: 'gap', runId };
      yield* snapshotOf(read, mailbox, runId);
      continue;
    }
    yield* mailbox.takeDeltas();
    if (isOver) return;
    await mailbox.changed();
  }
}

/** Delivers the events that signals brought. Returns the `seq` of the last delivered event. */
function* signalledEvents(mailbox: Mailbox, start: number): Generator<RunFrame, number> {
  let last = start;
  for (const event of mailbox.takeEvents(start)) {
    if (event.type === 'message.completed') yield* mailbox.takeDeltas(event.data['message_id']);
    yield { type: 'event', event };
    last = event.seq;
  }
  return last;
}

interface Read {
  readonly last: number;
  /** Whether the run is settled and all its events were delivered. */
  readonly isOver: boolean;
}

async function* newEvents(
  read: FollowReader,
  mailbox: Mailbox,
  { runId, after }: Pick<FollowOptions, 'runId' | 'after'>,
): AsyncGenerator<RunFrame, Read> {
  // The status is read before the events: a run that is settled here has all its events already.
  const run = await read.run(runId);
  let last = after;
  for await (const event of eventsAfter(read, runId, after)) {
    if (event.type === 'message.completed') yield* mailbox.takeDeltas(event.data['message_id']);
    yield { type: 'event', event };
    last = event.seq;
  }
  if (run === undefined) return { last, isOver: true };
  if (!isSettled(run)) return { last, isOver: false };
  // Events are missing if the run was deleted meanwhile.
  return { last, isOver: last >= run.lastSeq || (await read.run(runId)) === undefined };
}

async function* eventsAfter(
  read: FollowReader,
  runId: string,
  start: number,
): AsyncGenerator<RunEvent, void> {
  let after = start;
  for (;;) {
    const page = await read.events(runId, { after, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.seq ?? after;
  }
}

/** Events and deltas since the reader last looked. */
class Mailbox {
  readonly #runId: string;
  #deltas: Delta[] = [];
  #events: RunEvent[] = [];
  /** Unfinished message of which the reader has the text up to a length. */
  #known: { readonly messageId: string; readonly length: number } | undefined;
  #waitingCharacters = 0;
  #hasOverflowed = false;
  /** Whether the store has events that no signal brought. Initially true, for earlier events. */
  #hasNews = true;
  #isDirty = false;
  #waiting: (() => void) | undefined;

  constructor(runId: string) {
    this.#runId = runId;
  }

  receive(signal: Signal): void {
    if ((signal.type !== 'events' && signal.type !== 'delta') || signal.runId !== this.#runId)
      return;
    if (signal.type === 'delta') this.#add(signal);
    else this.#addEvents(signal.events);
    this.wake();
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
    }
    this.#isDirty = false;
  }

  /** Takes the waiting events that follow `last` without a gap. Behind a gap, the store has more. */
  takeEvents(last: number): readonly RunEvent[] {
    const waiting = this.#events.filter(({ seq }) => seq > last);
    this.#events = [];
    if (this.#hasNews) return [];
    const events = waiting.filter(({ seq }, index) => seq === last + 1 + index);
    if (events.length < waiting.length || events.some(({ type }) => LAST_EVENTS.has(type)))
      this.#hasNews = true;
    return events;
  }

  #addEvents(events: readonly RunEvent[] | undefined): void {
    if (events !== undefined && this.#events.length < MAX_WAITING_EVENTS)
      this.#events.push(...events);
    else this.#hasNews = true;
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
    this.#known =
      partial === undefined
        ? undefined
        : { messageId: partial.messageId, length: partial.text.length };
  }

  /**
   * Whether text is missing before a waiting delta. It was written before this reader subscribed
   * and after the snapshot's text was stored.
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
    const offset = this.#lengthOf(delta.messageId);
    this.#deltas.splice(gap, 0, {
      ...delta,
      offset,
      text: partial.text.slice(offset, delta.offset),
    });
  }

  /**
   * Takes the waiting deltas that continue the text of the reader. Other deltas of a completed
   * message are dropped.
   */
  *takeDeltas(completed?: unknown): Generator<RunFrame, void> {
    const due = this.#deltas.filter(
      (delta) => completed === undefined || delta.messageId === completed,
    );
    this.#keep(this.#deltas.filter((delta) => !due.includes(delta)));
    for (const delta of due) {
      if (!this.#isAhead(delta)) yield* this.#fresh(delta);
      else if (completed === undefined) this.#add(delta);
    }
  }

  *#fresh(delta: Delta): Generator<RunFrame, void> {
    if (delta.kind !== 'text') {
      yield { type: 'delta', delta };
      return;
    }
    const offset = this.#lengthOf(delta.messageId);
    const text = delta.text.slice(offset - delta.offset);
    if (text === '') return;
    this.#known = { messageId: delta.messageId, length: offset + text.length };
    // Readers of the same piece share one object.
    yield { type: 'delta', delta: text === delta.text ? delta : { ...delta, offset, text } };
  }

  #isAhead(delta: Delta): boolean {
    return delta.kind === 'text' && delta.offset > this.#lengthOf(delta.messageId);
  }

  #lengthOf(messageId: string): number {
    return this.#known?.messageId === messageId ? this.#known.length : 0;
  }

  /**
   * Joins a delta to the previous one, so that a slow reader costs one text and not one object per
   * token.
   */
  #add(delta: Delta): void {
    const last = this.#deltas.at(-1);
    const continues =
      last?.messageId === delta.messageId &&
      last.kind === delta.kind &&
      last.offset + last.text.length === delta.offset;
    if (continues)
      this.#deltas[this.#deltas.length - 1] = { ...last, text: last.text + delta.text };
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

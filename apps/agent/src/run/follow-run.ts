import { isSettled, type InboxItem, type PartialMessage, type Run, type RunEvent, type RunReader } from '../ports/run-store.ts';
import type { Signal, SignalBus } from '../ports/signal-bus.ts';

export type Delta = Extract<Signal, { type: 'delta' }>;

/** What a reader of a run gets: first one snapshot, then events in `seq` order, and between them deltas of unfinished messages. */
export type RunFrame =
  | { readonly type: 'snapshot'; readonly run: Run; readonly partial: PartialMessage | undefined; readonly inbox: readonly InboxItem[] }
  | { readonly type: 'event'; readonly event: RunEvent }
  | { readonly type: 'delta'; readonly delta: Delta };

export interface FollowOptions {
  readonly runId: string;
  /** Events with a greater `seq` are delivered. */
  readonly after: number;
  /** Ends the iteration. */
  readonly signal: AbortSignal;
}

const PAGE = 500;

/**
 * Follows a run until it is settled and every event was delivered, or the signal aborts. No event is missed or delivered twice. The text deltas
 * of a message go on exactly where the snapshot's text, or the delta before, ended; the last ones come before its `message.completed`, which has
 * the whole text. A slow reader holds up nobody else: what waits for it is one text per message.
 */
export async function* followRun(dependencies: { read: RunReader; bus: SignalBus }, options: FollowOptions): AsyncGenerator<RunFrame, void> {
  const { read, bus } = dependencies;
  const mailbox = new Mailbox(options.runId);
  const unsubscribe = bus.subscribe((signal) => mailbox.hear(signal));
  const stop = (): void => mailbox.wake();
  options.signal.addEventListener('abort', stop);
  try {
    const run = await read.run(options.runId);
    if (run === undefined) return;
    const [partial, inbox] = await Promise.all([read.partial(run.id), read.inboxItems({ runId: run.id, state: 'open' })]);
    mailbox.begin(partial);
    yield { type: 'snapshot', run, partial, inbox };
    yield* framesAfterSnapshot(read, mailbox, options);
  } finally {
    options.signal.removeEventListener('abort', stop);
    unsubscribe();
  }
}

async function* framesAfterSnapshot(read: RunReader, mailbox: Mailbox, { runId, after, signal }: FollowOptions): AsyncGenerator<RunFrame, void> {
  let last = after;
  while (!signal.aborted) {
    // The status is read before the events: a run that is settled here has all its events already.
    const run = await read.run(runId);
    for await (const event of eventsAfter(read, runId, last)) {
      if (event.type === 'message.completed') yield* mailbox.takeDeltas(event.data['message_id']);
      yield { type: 'event', event };
      last = event.seq;
    }
    if (mailbox.hasGap()) mailbox.knowText(await read.partial(runId));
    yield* mailbox.takeDeltas();
    if (run === undefined || (isSettled(run) && last >= run.lastSeq)) return;
    await mailbox.changed();
  }
}

async function* eventsAfter(read: RunReader, runId: string, start: number): AsyncGenerator<RunEvent, void> {
  let after = start;
  for (;;) {
    const page = await read.events(runId, { after, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.seq ?? after;
  }
}

/** What happened since the reader last looked. */
class Mailbox {
  readonly #runId: string;
  #deltas: Delta[] = [];
  /** The unfinished message whose text the reader has, up to a length. */
  #known: { readonly messageId: string; readonly length: number } | undefined;
  #isDirty = false;
  #waiting: (() => void) | undefined;

  constructor(runId: string) {
    this.#runId = runId;
  }

  hear(signal: Signal): void {
    if ((signal.type !== 'events' && signal.type !== 'delta') || signal.runId !== this.#runId) return;
    if (signal.type === 'delta') this.#add(signal);
    this.wake();
  }

  wake(): void {
    this.#isDirty = true;
    this.#waiting?.();
  }

  /** Resolves when something was heard since the last call. */
  async changed(): Promise<void> {
    if (!this.#isDirty) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    this.#isDirty = false;
  }

  /** The reader has this text. */
  begin(partial: PartialMessage | undefined): void {
    this.#known = partial === undefined ? undefined : { messageId: partial.messageId, length: partial.text.length };
  }

  /** Whether text is missing before a waiting delta: it was written before this reader came, and after the snapshot's text was stored. */
  hasGap(): boolean {
    return this.#deltas.some((delta) => this.#isAhead(delta));
  }

  /** Fills a gap from the stored text, which follows the deltas within half a second. */
  knowText(partial: PartialMessage | undefined): void {
    const gap = this.#deltas.findIndex((delta) => this.#isAhead(delta));
    const delta = this.#deltas[gap];
    if (delta === undefined || partial?.messageId !== delta.messageId || partial.text.length < delta.offset) return;
    const offset = this.#lengthOf(delta.messageId);
    this.#deltas.splice(gap, 0, { ...delta, offset, text: partial.text.slice(offset, delta.offset) });
  }

  /** Takes the waiting deltas that follow what the reader has; of a message that is completed, the others are dropped. */
  *takeDeltas(completed?: unknown): Generator<RunFrame, void> {
    const due = this.#deltas.filter((delta) => completed === undefined || delta.messageId === completed);
    this.#deltas = this.#deltas.filter((delta) => !due.includes(delta));
    for (const delta of due) {
      if (!this.#isAhead(delta)) yield* this.#fresh(delta);
      else if (completed === undefined) this.#deltas.push(delta);
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
    yield { type: 'delta', delta: { ...delta, offset, text } };
  }

  #isAhead(delta: Delta): boolean {
    return delta.kind === 'text' && delta.offset > this.#lengthOf(delta.messageId);
  }

  #lengthOf(messageId: string): number {
    return this.#known?.messageId === messageId ? this.#known.length : 0;
  }

  /** Joins a delta to the one before it, so that a slow reader costs one text and not one object per token. */
  #add(delta: Delta): void {
    const last = this.#deltas.at(-1);
    const continues = last?.messageId === delta.messageId && last.kind === delta.kind && last.offset + last.text.length === delta.offset;
    if (continues) this.#deltas[this.#deltas.length - 1] = { ...last, text: last.text + delta.text };
    else this.#deltas.push(delta);
  }
}

import type { Listed } from '../../ports/store/list.ts';
import { isSettled, type Run } from '../../ports/store/run.ts';
import type { InboxItem } from '../../ports/store/inbox.ts';
import type { PartialMessage } from '../../ports/store/message.ts';
import type { RunEvent } from '../../ports/store/run-event.ts';
import type { Signal } from '../../ports/signal-bus.ts';
import type { SignalWatch, Waiter } from '../../signals/signal-watch.ts';
import { Mailbox, type Delta, type RunSignal } from './mailbox.ts';
import type { FollowReader } from './shared-run-reader.ts';

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
  /**
   * Called, instead of a yield, with a signal whose delta or events are all new and come next, while
   * the iteration waits for one. Readers of a run get the same object, so that what each makes of it
   * can be shared. Returns whether the consumer can take more; if not, an empty array is yielded, so
   * that the consumer can wait. Must not throw.
   */
  readonly onNext?: (signal: RunSignal) => boolean;
}

interface FollowDependencies {
  readonly read: FollowReader;
  readonly watch: SignalWatch;
}

const PAGE = 500;

/**
 * Follows a run until it is settled and every event was delivered, or the follower is stopped. Yields
 * the frames that are there together; a consumer that empties the array keeps none of them in memory.
 * No event is missed or delivered twice. The text deltas of a message continue exactly where the
 * snapshot's text or the previous delta ended; text whose signals are lost is read from the store. The
 * last deltas come before `message.completed`, which has the whole text. A slow reader delays no other
 * reader: its deltas are dropped when too many wait. Can be iterated once.
 */
export class RunFollower implements Waiter {
  readonly #read: FollowReader;
  readonly #watch: SignalWatch;
  readonly #runId: string;
  readonly #onNext: FollowOptions['onNext'];
  readonly #mailbox: Mailbox;
  #isStopped = false;

  constructor({ read, watch }: FollowDependencies, { runId, after, onNext }: FollowOptions) {
    this.#read = read;
    this.#watch = watch;
    this.#runId = runId;
    this.#onNext = onNext;
    this.#mailbox = new Mailbox(after);
  }

  /** Ends the iteration. */
  stop(): void {
    this.#isStopped = true;
    this.#mailbox.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunFrame[], void> {
    const mailbox = this.#mailbox;
    const unsubscribe = this.#watch.subscribe(`run:${this.#runId}`, this);
    try {
      yield* snapshotOf(this.#read, mailbox, this.#runId);
      while (!this.#isStopped) {
        const isOver = yield* waitingFrames(this.#read, mailbox, this.#runId);
        if (isOver) break;
        await mailbox.changed();
        if (mailbox.takeRefusal()) yield [];
      }
    } finally {
      unsubscribe();
    }
  }

  onSignal(signal: Signal): void {
    if (signal.type !== 'delta' && signal.type !== 'events') return;
    const mailbox = this.#mailbox;
    if (this.#onNext === undefined || this.#isStopped || !mailbox.takeNext(signal)) {
      mailbox.receive(signal);
      return mailbox.wake();
    }
    const canTakeMore = this.#onNext(signal);
    if (!canTakeMore) mailbox.refuse();
    if (!canTakeMore || mailbox.needsRead()) mailbox.wake();
  }

  /** Finds the events and the text whose signals were lost. */
  async onPoll(): Promise<void> {
    const mailbox = this.#mailbox;
    const run = await this.#read.run(this.#runId).catch(() => undefined);
    // A reader of a run that cannot be read fails with the same error.
    if (run === undefined || isSettled(run) || run.lastSeq > mailbox.last) return mailbox.addNews();
    mailbox.addText(run.id, await this.#read.partial(run.id));
  }
}

/** Delivers what waits. Returns whether that was everything of a settled run. */
async function* waitingFrames(
  read: FollowReader,
  mailbox: Mailbox,
  runId: string,
): AsyncGenerator<RunFrame[], boolean> {
  const frames = mailbox.takeEvents().flatMap((event) => framesOf(mailbox, event));
  let isOver = false;
  if (mailbox.takeNews()) {
    if (frames.length > 0) yield frames.splice(0);
    isOver = yield* newEvents(read, mailbox, runId);
  }
  if (mailbox.hasGap()) mailbox.knowText(await read.partial(runId));
  // The waiting deltas continue the text of the snapshot.
  if (mailbox.takeOverflow()) {
    yield [...frames, { type: 'gap', runId }];
    yield* snapshotOf(read, mailbox, runId);
    return isOver || (yield* waitingFrames(read, mailbox, runId));
  }
  frames.push(...framesOfDeltas(mailbox));
  if (frames.length > 0) yield frames;
  return isOver;
}

async function* snapshotOf(
  read: FollowReader,
  mailbox: Mailbox,
  runId: string,
): AsyncGenerator<RunFrame[], void> {
  const run = await read.run(runId);
  if (run === undefined) return;
  const [partial, inbox] = await Promise.all([read.partial(run.id), read.openInbox([run.id])]);
  mailbox.begin(partial);
  yield [{ type: 'snapshot', run, partial, inbox }];
}

function framesOf(mailbox: Mailbox, event: RunEvent): readonly RunFrame[] {
  const deltas =
    event.type === 'message.completed' ? framesOfDeltas(mailbox, event.data['message_id']) : [];
  mailbox.delivered(event);
  return [...deltas, { type: 'event', event }];
}

function framesOfDeltas(mailbox: Mailbox, completed?: unknown): readonly RunFrame[] {
  return mailbox.takeDeltas(completed).map((delta) => ({ type: 'delta', delta }));
}

/** Delivers the stored events. Returns whether the run is settled and all its events were delivered. */
async function* newEvents(
  read: FollowReader,
  mailbox: Mailbox,
  runId: string,
): AsyncGenerator<RunFrame[], boolean> {
  // The status is read before the events: a run that is settled here has all its events already.
  const run = await read.run(runId);
  let page: readonly RunEvent[];
  do {
    page = await read.events(runId, { after: mailbox.last, limit: PAGE });
    if (page.length > 0) yield page.flatMap((event) => framesOf(mailbox, event));
  } while (page.length === PAGE);
  if (run === undefined) return true;
  if (!isSettled(run)) return false;
  // Events are missing if the run was deleted meanwhile.
  return mailbox.last >= run.lastSeq || (await read.run(runId)) === undefined;
}

import type { Listed } from '../../ports/store/list.ts';
import { isSettled, type Run } from '../../ports/store/run.ts';
import type { InboxItem } from '../../ports/store/inbox.ts';
import type { PartialMessage } from '../../ports/store/message.ts';
import type { RunEvent } from '../../ports/store/run-event.ts';
import type { SignalWatch } from '../../signals/signal-watch.ts';
import { Mailbox, type Delta } from './mailbox.ts';
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
  /** Ends the iteration. */
  readonly signal: AbortSignal;
  /**
   * Called, instead of a yield, with frames of a signal that arrives while the iteration waits for
   * one; saves the promises of a yield for each of many readers. Returns whether the consumer can
   * take more; if not, an empty array is yielded, so that the consumer can wait. Must not throw.
   */
  readonly onFrames?: (frames: readonly RunFrame[]) => boolean;
}

const PAGE = 500;

/**
 * Follows a run until it is settled and every event was delivered, or the signal aborts. Yields the
 * frames that are there together; a consumer that empties the array keeps none of them in memory. No event is missed or delivered twice. The text deltas of a message
 * continue exactly where the snapshot's text or the previous delta ended; text whose signals are lost
 * is read from the store. The last deltas come before `message.completed`, which has the whole text. A
 * slow reader delays no other reader: its deltas are dropped when too many wait.
 */
export async function* followRun(
  dependencies: { read: FollowReader; watch: SignalWatch },
  options: FollowOptions,
): AsyncGenerator<RunFrame[], void> {
  const { read, watch } = dependencies;
  const { runId, signal } = options;
  const mailbox = new Mailbox(options.after);
  const unsubscribe = watch.subscribe(`run:${runId}`, {
    onSignal: (received) => {
      mailbox.receive(received);
      if (options.onFrames === undefined || signal.aborted) mailbox.wake();
      else deliverAtOnce(mailbox, options.onFrames);
    },
    onLook: () => look(read, mailbox, runId),
  });
  const stop = (): void => mailbox.wake();
  signal.addEventListener('abort', stop);
  try {
    yield* snapshotOf(read, mailbox, runId);
    while (!signal.aborted) {
      const isOver = yield* waitingFrames(read, mailbox, runId);
      if (isOver) break;
      await mailbox.changed();
      if (mailbox.takeRefusal()) yield [];
    }
  } finally {
    signal.removeEventListener('abort', stop);
    unsubscribe();
  }
}

/** Delivers what waits, or wakes the reader if that needs a read. */
function deliverAtOnce(mailbox: Mailbox, onFrames: (frames: readonly RunFrame[]) => boolean): void {
  if (mailbox.isIdle) {
    const frames = mailbox.takeEvents().flatMap((event) => framesOf(mailbox, event));
    if (!mailbox.needsRead()) frames.push(...framesOfDeltas(mailbox));
    const isAccepted = frames.length === 0 || onFrames(frames);
    if (!isAccepted) mailbox.refuse();
    else if (!mailbox.needsRead()) return;
  }
  mailbox.wake();
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

/** Finds the events and the text whose signals were lost. */
async function look(read: FollowReader, mailbox: Mailbox, runId: string): Promise<void> {
  const run = await read.run(runId).catch(() => undefined);
  // A reader of a run that cannot be read fails with the same error.
  if (run === undefined || isSettled(run) || run.lastSeq > mailbox.last) return mailbox.addNews();
  mailbox.addText(runId, await read.partial(runId));
}

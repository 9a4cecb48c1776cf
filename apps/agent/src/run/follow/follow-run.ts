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
}

const PAGE = 500;

/**
 * Follows a run until it is settled and every event was delivered, or the signal aborts. No event
 * is missed or delivered twice. The text deltas of a message continue exactly where the snapshot's
 * text or the previous delta ended; text whose signals are lost is read from the store. The last
 * deltas come before `message.completed`, which has the whole text. A slow reader delays no other reader: its deltas are dropped when too many wait.
 */
export async function* followRun(
  dependencies: { read: FollowReader; watch: SignalWatch },
  options: FollowOptions,
): AsyncGenerator<RunFrame, void> {
  const { read, watch } = dependencies;
  const mailbox = new Mailbox(options.after);
  const unsubscribe = watch.subscribe(`run:${options.runId}`, {
    onSignal: (signal) => mailbox.receive(signal),
    onLook: () => look(read, mailbox, options.runId),
  });
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
  { runId, signal }: FollowOptions,
): AsyncGenerator<RunFrame, void> {
  let isOver = false;
  while (!signal.aborted) {
    for (const event of mailbox.takeEvents()) yield* framesOf(mailbox, event);
    if (mailbox.takeNews()) isOver = yield* newEvents(read, mailbox, runId);
    if (mailbox.hasGap()) mailbox.knowText(await read.partial(runId));
    // The waiting deltas continue the text of the snapshot.
    if (mailbox.takeOverflow()) {
      yield { type: 'gap', runId };
      yield* snapshotOf(read, mailbox, runId);
      continue;
    }
    yield* framesOfDeltas(mailbox);
    if (isOver) return;
    await mailbox.changed();
  }
}

function* framesOf(mailbox: Mailbox, event: RunEvent): Generator<RunFrame, void> {
  if (event.type === 'message.completed') yield* framesOfDeltas(mailbox, event.data['message_id']);
  mailbox.last = event.seq;
  yield { type: 'event', event };
}

function* framesOfDeltas(mailbox: Mailbox, completed?: unknown): Generator<RunFrame, void> {
  for (const delta of mailbox.takeDeltas(completed)) yield { type: 'delta', delta };
}

/** Delivers the stored events. Returns whether the run is settled and all its events were delivered. */
async function* newEvents(
  read: FollowReader,
  mailbox: Mailbox,
  runId: string,
): AsyncGenerator<RunFrame, boolean> {
  // The status is read before the events: a run that is settled here has all its events already.
  const run = await read.run(runId);
  for await (const event of eventsAfter(read, runId, mailbox.last)) yield* framesOf(mailbox, event);
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

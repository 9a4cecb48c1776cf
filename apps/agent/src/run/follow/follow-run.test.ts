import { expect, test } from 'vitest';
import type { PartialMessage } from '../../ports/store/message.ts';
import type { Run } from '../../ports/store/run.ts';
import type { RunEvent } from '../../ports/store/run-event.ts';
import type { StoreReader } from '../../ports/store.ts';
import { createInProcessSignalBus } from '../../queue/in-process-signal-bus.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { SignalWatch } from '../../signals/signal-watch.ts';
import { framesOf } from '../../http/frame-encoder.ts';
import { RunFollower, type RunFrame } from './follow-run.ts';
import type { RunSignal } from './mailbox.ts';

/** A run whose rows the test writes, and a reader of it. */
function followed(atOnce?: { readonly onNext: (signal: RunSignal) => boolean }) {
  const clock = new ManualClock();
  const bus = createInProcessSignalBus();
  const events: RunEvent[] = [];
  const state: { status: Run['status']; partial: PartialMessage | undefined } = {
    status: 'running',
    partial: undefined,
  };
  const reads: number[] = [];
  const read: Partial<StoreReader> = {
    run: () => Promise.resolve({ id: 'r1', status: state.status, lastSeq: events.length } as Run),
    partial: () => Promise.resolve(state.partial),
    openInbox: () => Promise.resolve([]),
    events: (_id, { after, limit }) => {
      reads.push(after);
      return Promise.resolve(events.slice(after, after + limit));
    },
  };
  const frames: RunFrame[] = [];
  let emptyBatches = 0;
  const follower = new RunFollower(
    { read: read as StoreReader, watch: new SignalWatch(bus, clock) },
    { runId: 'r1', after: 0, ...atOnce },
  );
  const reading = (async () => {
    for await (const batch of follower) {
      frames.push(...batch);
      if (batch.length === 0) emptyBatches += 1;
    }
  })();
  return {
    state,
    frames,
    delta: (offset: number, text: string) =>
      bus.publish({ type: 'delta', runId: 'r1', messageId: 'm1', kind: 'text', offset, text }),
    append(type: string, { isSignalled = true, isAttached = false } = {}) {
      const event = {
        runId: 'r1',
        seq: events.length + 1,
        type,
        version: 1,
        at: 0,
        data: { message_id: 'm1' },
      };
      events.push(event);
      if (isSignalled)
        bus.publish({
          type: 'events',
          runId: 'r1',
          lastSeq: events.length,
          ...(isAttached ? { events: [event] } : {}),
        });
    },
    reads,
    emptyBatches: () => emptyBatches,
    seqs: () => frames.flatMap((frame) => (frame.type === 'event' ? [frame.event.seq] : [])),
    async until(count: number) {
      await expect.poll(() => frames.length).toBe(count);
    },
    text: () => frames.map((frame) => (frame.type === 'delta' ? frame.delta.text : '')).join(''),
    async stop() {
      follower.stop();
      await reading;
    },
    reading,
  };
}

test('text between the stored text and the first delta is filled in from the next stored text', async () => {
  const run = followed();
  run.state.partial = { messageId: 'm1', text: 'The ' };
  await run.until(1);
  run.delta(10, 'fox');
  run.delta(13, ' jumps');
  await new Promise((resolve) => setImmediate(resolve));
  expect(run.text()).toBe('');
  run.state.partial = { messageId: 'm1', text: 'The quick fox ju' };
  run.delta(19, ' over');
  await expect.poll(run.text).toBe('quick fox jumps over');
  expect(
    run.frames.filter((frame) => frame.type === 'delta').map((frame) => frame.delta.offset),
  ).toEqual([4, 10]);
  await run.stop();
});

test('a delta that repeats text of the snapshot is reduced to its new text', async () => {
  const run = followed();
  run.state.partial = { messageId: 'm1', text: 'The quick' };
  await run.until(1);
  run.delta(0, 'The ');
  run.delta(4, 'quick fox');
  await expect.poll(run.text).toBe(' fox');
  await run.stop();
});

test('text that is missing when the message is completed is in the event of the message', async () => {
  const run = followed();
  await run.until(1);
  run.delta(10, 'fox');
  run.append('message.completed');
  await run.until(2);
  expect(run.frames.map((frame) => frame.type)).toEqual(['snapshot', 'event']);
  run.state.status = 'completed';
  run.append('run.completed');
  await run.reading;
  expect(run.frames.at(-1)).toMatchObject({ event: { type: 'run.completed' } });
});

test('events that come with their signal are not read from the store, and lost signals lose no event', async () => {
  const run = followed();
  await run.until(1);
  run.append('run.started', { isAttached: true });
  run.append('turn.started', { isAttached: true });
  await run.until(3);
  expect(run.reads).toEqual([0]);
  run.append('message.started', { isSignalled: false });
  run.append('message.completed', { isAttached: true });
  await run.until(5);
  expect(run.seqs()).toEqual([1, 2, 3, 4]);
  expect(run.reads).toEqual([0, 2]);
  run.append('usage.updated');
  run.append('turn.completed', { isAttached: true });
  await run.until(7);
  run.state.status = 'completed';
  run.append('run.completed', { isAttached: true });
  await run.reading;
  expect(run.seqs()).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('a reader that is far behind reads from the store', async () => {
  const run = followed();
  await run.until(1);
  for (let count = 0; count < 250; count += 1)
    run.append('tool_call.progress', { isAttached: true });
  await run.until(251);
  expect(run.seqs()).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
  expect(run.reads).toEqual([0, 0]);
  await run.stop();
});

test('the reader can stop at any time', async () => {
  const run = followed();
  await run.until(1);
  await run.stop();
  run.append('run.started');
  expect(run.frames).toHaveLength(1);
});

test('a stream ends when its run is deleted while its events are read', async () => {
  const bus = createInProcessSignalBus();
  let isDeleted = false;
  const read: Partial<StoreReader> = {
    run: () =>
      Promise.resolve(
        isDeleted ? undefined : ({ id: 'r1', status: 'completed', lastSeq: 9 } as Run),
      ),
    partial: () => Promise.resolve(undefined),
    openInbox: () => Promise.resolve([]),
    events: () => {
      isDeleted = true;
      return Promise.resolve([]);
    },
  };
  const types: string[] = [];
  for await (const [frame] of new RunFollower(
    { read: read as StoreReader, watch: new SignalWatch(bus, new ManualClock()) },
    { runId: 'r1', after: 3 },
  ))
    if (frame !== undefined) types.push(frame.type);
  expect(types).toEqual(['snapshot']);
});

test('frames of a signal reach a waiting consumer at once; a consumer that can take no more is asked to wait, and gets every event once', async () => {
  const taken: RunFrame[] = [];
  let canTakeMore = true;
  const run = followed({
    onNext: (signal) => {
      taken.push(...framesOf(signal));
      return canTakeMore;
    },
  });
  run.append('run.started', { isAttached: true });
  await run.until(2);
  await new Promise(setImmediate);
  run.append('tool_call.progress', { isAttached: true });
  expect(taken).toMatchObject([{ type: 'event', event: { seq: 2 } }]);
  canTakeMore = false;
  run.delta(0, 'Hel');
  run.append('tool_call.progress', { isAttached: true });
  run.delta(3, 'lo');
  expect(taken.slice(1)).toMatchObject([{ type: 'delta', delta: { text: 'Hel' } }]);
  await run.until(4);
  expect(run.emptyBatches()).toBe(1);
  expect(run.seqs()).toEqual([1, 3]);
  expect(run.text()).toBe('lo');
  run.state.status = 'completed';
  run.append('run.completed', { isAttached: true });
  await run.reading;
  expect(run.seqs()).toEqual([1, 3]);
  expect(taken.at(-1)).toMatchObject({ type: 'event', event: { seq: 4 } });
});

test('a run that ends between the reads of its status and of its events needs no further signal', async () => {
  let status: Run['status'] = 'running';
  const end = { runId: 'r1', seq: 1, type: 'run.completed', version: 1, at: 0, data: {} };
  const read: Partial<StoreReader> = {
    run: () => Promise.resolve({ id: 'r1', status, lastSeq: 1 } as Run),
    partial: () => Promise.resolve(undefined),
    openInbox: () => Promise.resolve([]),
    events: (_id, { after }) => {
      status = 'completed';
      return Promise.resolve(after === 0 ? [end] : []);
    },
  };
  const types: string[] = [];
  const watch = new SignalWatch(createInProcessSignalBus(), new ManualClock());
  const dependencies = { read: read as StoreReader, watch };
  for await (const batch of new RunFollower(dependencies, { runId: 'r1', after: 0 }))
    types.push(...batch.map(({ type }) => type));
  expect(types).toEqual(['snapshot', 'event']);
});

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Signal } from '../ports/signal-bus.ts';
import { eraseRun } from '../ports/testing/erase-run.ts';
import { queuedRun } from '../ports/testing/queued-run.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { POLL_EVERY_MS } from './change-feed.ts';
import { openStore } from './open-store.ts';
import type { OpenedStore } from './opened-store.ts';
import { databaseFolder, provideMigratedDatabase } from './testing/migrated-database.ts';

interface Shared {
  /** A store as another process opens it. */
  readonly other: OpenedStore;
  readonly own: OpenedStore;
  readonly clock: ManualClock;
  /** Lets the feed of `own` poll once, and returns what it published. */
  readonly poll: () => readonly Signal[];
}

async function open(dataDir: string, clock = new ManualClock()): Promise<OpenedStore> {
  const store = await openStore({ dataDir, durability: 'process', clock, role: 'worker' });
  onTestFinished(() => store.close());
  return store;
}

/** Opens two stores on one data directory. `before` writes before the feed starts. */
async function shared(
  before: (store: OpenedStore) => Promise<void> = async () => undefined,
): Promise<Shared> {
  const dataDir = join(databaseFolder(), 'data');
  await provideMigratedDatabase(dataDir);
  const clock = new ManualClock();
  const [other, own] = [await open(dataDir), await open(dataDir, clock)];
  await before(other);
  const published: Signal[] = [];
  own.shareSignals({
    publish: (signal) => void published.push(signal),
    subscribe: () => () => undefined,
  });
  const poll = (): readonly Signal[] => {
    clock.advance(POLL_EVERY_MS);
    return published.splice(0);
  };
  return { other, own, poll, clock };
}

/** Appends events of a run, and inserts the run before its first event. */
async function append(
  store: OpenedStore,
  runId: string,
  ...types: readonly string[]
): Promise<number> {
  return store.write({ run: runId }, async (sql) => {
    if ((await sql.run(runId)) === undefined) await sql.insertRun(queuedRun(runId));
    return sql.append(
      runId,
      types.map((type) => ({
        type,
        data: type.startsWith('inbox.') ? { inbox_item_id: 'i1' } : {},
      })),
    );
  });
}

const events = (runId: string, lastSeq: number): Signal => ({ type: 'events', runId, lastSeq });

test('commits of another process are published within one poll, with cancellations and closed inbox items', async () => {
  const { other, poll } = await shared(async (store) => void (await append(store, 'old', 'a')));
  expect(poll()).toEqual([]);
  await append(other, 'r1', 'run.queued', 'run.started');
  await append(other, 'r2', 'run.queued', 'inbox.opened');
  expect(poll()).toEqual([events('r1', 2), events('r2', 2)]);
  await append(other, 'r2', 'inbox.answered', 'run.cancelling');
  expect(poll()).toEqual([
    events('r2', 4),
    { type: 'inbox', itemId: 'i1' },
    { type: 'cancel', runId: 'r2' },
  ]);
  expect(poll()).toEqual([]);
});

test('commits of this process alone are not read', async () => {
  const { own, other, poll } = await shared();
  await append(own, 'r1', 'run.queued');
  expect(poll()).toEqual([]);
  await append(other, 'r2', 'run.queued');
  expect(poll()).toContainEqual(events('r2', 1));
});

test('a job for the workers is published until one of them has taken it', async () => {
  const { own, other, poll } = await shared();
  await other.handedJobs.hand({ type: 'advance-run', runId: 'r1' });
  expect(poll()).toEqual([{ type: 'servers' }]);
  expect(await own.handedJobs.take(1, 'w1')).toHaveLength(1);
  await append(other, 'r1', 'run.queued');
  expect(poll()).toEqual([events('r1', 1)]);
});

test('after the newest run was deleted, its row numbers are used again, and no later event is missed', async () => {
  const { other, poll } = await shared();
  await append(other, 'kept', 'run.queued');
  await append(other, 'deleted', 'run.queued', 'run.started', 'run.completed');
  poll();
  await eraseRun(other, 'deleted');
  await append(other, 'new', 'run.queued');
  await append(other, 'newer', 'run.queued', 'run.started', 'run.completed', 'x');
  const signals = poll();
  expect(signals).toContainEqual(events('new', 1));
  expect(signals).toContainEqual(events('newer', 4));
  await append(other, 'new', 'run.started');
  expect(poll()).toContainEqual(events('new', 2));
});

test('after every run was deleted the next run is published', async () => {
  const { other, poll } = await shared(
    async (store) => void (await append(store, 'a', 'run.queued')),
  );
  await eraseRun(other, 'a');
  poll();
  await append(other, 'b', 'run.queued');
  expect(poll()).toEqual([events('b', 1)]);
});

test('many events are read in batches, one after the other', async () => {
  const { other, poll, clock } = await shared();
  const types = Array.from({ length: 2500 }, () => 'tool_call.progress');
  await append(other, 'r1', ...types);
  expect(poll()).toEqual([events('r1', 1000), events('r1', 2000), events('r1', 2500)]);
  expect(clock.waits).toEqual([POLL_EVERY_MS]);
});

test('closing the store ends the polls', async () => {
  const { own, clock } = await shared();
  await own.close();
  expect(clock.waits).toEqual([]);
});

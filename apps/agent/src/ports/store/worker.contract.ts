import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import { openItem } from '../testing/open-item.ts';
import { plannedCall } from '../testing/planned-call.ts';
import { queuedRun } from '../testing/queued-run.ts';
import type { Store } from '../store.ts';
import { LEASE_MS } from './worker.ts';

const OTHER = { id: 'other', role: 'worker', pid: 2 } as const;

/** Describes the behavior of every store adapter for workers and their leases. */
export function workerContract(name: string, open: OpenStore): void {
  describe(`store contract, workers: ${name}`, () => {
    const openStore = openForTest(open);

    async function openWithOther(): Promise<{
      readonly store: Store;
      readonly clock: ManualClock;
    }> {
      const clock = new ManualClock();
      const store = await openStore(clock);
      await store.write({}, (sql) => sql.addWorker(OTHER));
      return { store, clock };
    }

    test('a store joins as a worker, and again under a new id', async () => {
      const store = await openStore();
      const first = store.workerId;
      expect(await store.read.workers()).toMatchObject([{ id: first, pid: process.pid }]);
      await store.join();
      expect(store.workerId).not.toBe(first);
      expect((await store.read.workers()).map(({ id }) => id).toSorted()).toEqual(
        [first, store.workerId].toSorted(),
      );
    });

    test('a worker is alive until its lease ends, and a heartbeat renews the lease', async () => {
      const { store, clock } = await openWithOther();
      clock.advance(LEASE_MS - 1);
      expect(await store.read.isAlive('other')).toBe(true);
      clock.advance(1);
      expect(await store.read.isAlive('other')).toBe(false);
      expect(await store.read.hasLease('other')).toBe(true);
      expect(await store.write({}, (sql) => sql.beat('other'))).toBe(true);
      expect(await store.read.isAlive('other')).toBe(true);
      expect(await store.read.isAlive('nobody')).toBe(false);
    });

    test('only workers whose lease is over are ended, and they cannot renew it', async () => {
      const { store, clock } = await openWithOther();
      clock.advance(LEASE_MS - 1);
      const end = (): Promise<readonly string[]> =>
        store.write({}, (sql) => sql.endExpiredWorkers({ except: store.workerId }));
      expect(await end()).toEqual([]);
      clock.advance(1);
      expect(await end()).toEqual(['other']);
      expect(await store.write({}, (sql) => sql.beat('other'))).toBe(false);
      expect(await store.read.hasLease('other')).toBe(false);
      expect(await store.read.hasLease(store.workerId)).toBe(true);
      expect((await store.read.workers()).map(({ id }) => id)).toEqual([store.workerId]);
      expect(await store.read.endedWorkers()).toEqual(['other']);
    });

    test('the lease of a worker is not longer when the clock was set back', async () => {
      const { store, clock } = await openWithOther();
      const end = (): Promise<readonly string[]> =>
        store.write({}, (sql) => sql.endExpiredWorkers({ except: store.workerId }));
      clock.adjust(-60 * LEASE_MS);
      expect(await end()).toEqual([]);
      clock.advance(LEASE_MS);
      expect(await end()).toEqual(['other']);
    });

    test('runs of an ended worker are orphaned by its turns, sent calls and held items', async () => {
      const { store } = await openWithOther();
      const runs = ['turn', 'call', 'item', 'planned', 'settled', 'settled-call', 'mine'];
      await store.write({}, async (sql) => {
        for (const id of runs)
          await sql.insertRun(
            queuedRun(id, { status: id.startsWith('settled') ? 'failed' : 'running' }),
          );
        for (const runId of ['turn', 'settled'])
          await sql.startTurn({ runId, turn: 1, owner: 'other', messageId: `m-${runId}` });
        await sql.startTurn({ runId: 'mine', turn: 1, owner: store.workerId, messageId: 'm-mine' });
        const sent = { state: 'dispatched', attempt: 1, owner: 'other' } as const;
        await sql.insertToolCall({ ...plannedCall('c'), runId: 'call', ...sent });
        await sql.insertToolCall({ ...plannedCall('s'), runId: 'settled-call', ...sent });
        await sql.insertToolCall({ ...plannedCall('p'), runId: 'planned' });
        await sql.insertInboxItem({ ...openItem('i'), runId: 'item', owner: 'other' });
      });
      expect(await store.read.orphanedRuns({ limit: 9 })).toEqual([]);
      const owned = await store.read.ownedWork('other');
      expect(owned).toHaveLength(3);
      expect(owned).toEqual(
        expect.arrayContaining([
          { runId: 'turn', callId: undefined },
          { runId: 'call', callId: 'c' },
          { runId: 'settled-call', callId: 's' },
        ]),
      );
      expect(await store.read.ownedWork(store.workerId)).toEqual([
        { runId: 'mine', callId: undefined },
      ]);
      await store.write({}, (sql) => sql.endWorker('other'));
      expect((await store.read.orphanedRuns({ limit: 9 })).toSorted()).toEqual([
        'call',
        'item',
        'settled-call',
        'turn',
      ]);
      expect(await store.read.orphanedRuns({ limit: 1 })).toHaveLength(1);
      await store.write({}, (sql) => sql.removeEndedWorkers());
      expect(await store.read.endedWorkers()).toEqual(['other']);
      await store.write({}, async (sql) => {
        await sql.endTurn('m-turn', 'interrupted');
        for (const id of ['c', 's'])
          await sql.updateToolCall(
            id,
            { state: ['dispatched'] },
            { state: 'failed', finishedAt: 1 },
          );
        await sql.updateInboxItem('i', 'open', { state: 'void' });
        await sql.removeEndedWorkers();
      });
      expect(await store.read.orphanedRuns({ limit: 9 })).toEqual([]);
      expect(await store.read.endedWorkers()).toEqual([]);
    });

    test('runs are orphaned also when the owner of their turns, sent calls and held items was removed', async () => {
      const { store } = await openWithOther();
      await store.write({}, async (sql) => {
        for (const id of ['turn', 'call', 'item', 'unowned'])
          await sql.insertRun(queuedRun(id, { status: 'running' }));
        await sql.startTurn({ runId: 'turn', turn: 1, owner: 'removed', messageId: 'm' });
        const sent = { state: 'dispatched', attempt: 1 } as const;
        await sql.insertToolCall({ ...plannedCall('c'), ...sent, runId: 'call', owner: 'removed' });
        await sql.insertInboxItem({ ...openItem('i'), runId: 'item', owner: 'removed' });
        await sql.insertToolCall({ ...plannedCall('u'), ...sent, runId: 'unowned' });
        await sql.insertInboxItem({ ...openItem('v'), runId: 'unowned' });
      });
      expect((await store.read.orphanedRuns({ limit: 9 })).toSorted()).toEqual([
        'call',
        'item',
        'turn',
      ]);
    });
  });
}

import { describe, expect, test } from 'vitest';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import { openItem } from '../testing/open-item.ts';
import { plannedCall } from '../testing/planned-call.ts';
import { PATIENCE_MS } from '../priority.ts';
import { queuedRun } from '../testing/queued-run.ts';
import type { Store } from '../store.ts';
import type { Run } from './run.ts';
import type { ToolCall } from './tool-call.ts';

const running = (id: string, fields: Partial<Run> = {}): Run =>
  queuedRun(id, { status: 'running', ...fields });

/** Returns the ids of the runs that may begin. */
async function runnable({ read }: Store, perKey: number): Promise<readonly string[]> {
  return (await read.runnableRuns({ perKey })).map(({ id }) => id);
}

/** Describes the behavior of every store adapter for the reads of the regular sweep. */
export function sweepContract(name: string, open: OpenStore): void {
  describe(`store contract, sweep: ${name}`, () => {
    const openStore = openForTest(open);

    async function openWith(runs: readonly Run[], calls: readonly ToolCall[] = []): Promise<Store> {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const run of runs) await sql.insertRun(run);
        for (const call of calls) await sql.insertToolCall(call);
      });
      return store;
    }

    test('deadlines up to a time are returned earliest first', async () => {
      const store = await openWith([
        running('late', { deadlineAt: 31 }),
        running('second', { deadlineAt: 30 }),
        running('first', { deadlineAt: 10 }),
        running('none'),
        running('r1'),
      ]);
      expect(await store.read.runDeadlines({ until: 30, limit: 9 })).toEqual([
        { id: 'first', runId: 'first', at: 10 },
        { id: 'second', runId: 'second', at: 30 },
      ]);
      expect(await store.read.runDeadlines({ until: 30, limit: 1 })).toHaveLength(1);
      await store.write({}, async (sql) => {
        await sql.insertInboxItem({ ...openItem('i2'), expiresAt: 7 });
        await sql.insertInboxItem({ ...openItem('i1'), expiresAt: 5 });
        await sql.insertInboxItem({ ...openItem('i3'), expiresAt: 8 });
        await sql.insertInboxItem({ ...openItem('closed'), state: 'void', expiresAt: 5 });
      });
      expect(await store.read.inboxDeadlines({ until: 7, limit: 9 })).toEqual([
        { id: 'i1', runId: 'r1', at: 5 },
        { id: 'i2', runId: 'r1', at: 7 },
      ]);
    });

    test('queued runs may begin once the earlier runs of their thread have ended', async () => {
      const inThread = (threadPosition: number): Partial<Run> => ({
        threadId: 't',
        threadPosition,
      });
      const store = await openWith([
        queuedRun('new', { createdAt: 3 }),
        queuedRun('old', { createdAt: 1 }),
        queuedRun('ended', { status: 'failed', ...inThread(0) }),
        queuedRun('next', { createdAt: 2, ...inThread(1) }),
        queuedRun('later', { createdAt: 2, ...inThread(2) }),
        queuedRun('cancelled', { status: 'cancelled', ...inThread(3) }),
        queuedRun('last', { createdAt: 2, ...inThread(4) }),
      ]);
      expect(await runnable(store, 9)).toEqual(['old', 'next', 'new']);
      expect(await runnable(store, 1)).toEqual(['old']);
    });

    test('queued runs begin by priority, but not after younger runs when their patience has ended', async () => {
      const { normal, low } = PATIENCE_MS;
      const store = await openWith([
        queuedRun('low', { priority: 'low', createdAt: 1 }),
        queuedRun('b', { createdAt: 2 }),
        queuedRun('a', { createdAt: 1 }),
        queuedRun('urgent', { priority: 'high', createdAt: normal }),
        queuedRun('late', { priority: 'high', createdAt: normal + 3 }),
        queuedRun('latest', { priority: 'high', createdAt: low + 2 }),
      ]);
      expect(await runnable(store, 9)).toEqual(['urgent', 'a', 'b', 'late', 'low', 'latest']);
    });

    test('API keys take turns, beginning with the key whose last run began longest ago', async () => {
      const of = (apiKey: string, id: string, fields: Partial<Run> = {}): Run =>
        queuedRun(id, { apiKey, ...fields });
      const store = await openWith([
        of('a', 'a1', { createdAt: 1 }),
        of('a', 'a2', { createdAt: 2 }),
        of('a', 'a3', { createdAt: 3, priority: 'high' }),
        of('b', 'b1', { createdAt: 4 }),
        of('b', 'b2', { createdAt: 5 }),
        of('c', 'c1', { createdAt: 6, priority: 'low' }),
        of('a', 'a-old', { status: 'completed', startedAt: 7 }),
        of('b', 'b-old', { status: 'running', startedAt: 9 }),
        of('b', 'b-older', { status: 'failed', startedAt: 8 }),
      ]);
      expect(await store.read.runnableRuns({ perKey: 1 })).toEqual([
        { id: 'c1', apiKey: 'c', lastStartAt: undefined },
        { id: 'a3', apiKey: 'a', lastStartAt: 7 },
        { id: 'b1', apiKey: 'b', lastStartAt: 9 },
      ]);
      expect(await runnable(store, 2)).toEqual(['c1', 'a3', 'b1', 'a1', 'b2']);
    });

    test('a running run is idle without a turn, an open call, an open item and a retry', async () => {
      const call = { ...plannedCall('c'), runId: 'call' };
      const ended = { ...plannedCall('e'), runId: 'idle', state: 'failed', finishedAt: 1 } as const;
      const store = await openWith(
        [
          ...['idle', 'turn', 'call', 'item'].map((id) => running(id)),
          running('retry', { retryAt: 9 }),
          queuedRun('queued'),
        ],
        [call, ended],
      );
      await store.write({}, async (sql) => {
        await sql.startTurn({ runId: 'turn', turn: 1, owner: 'w', messageId: 'm' });
        await sql.insertInboxItem({ ...openItem('i'), runId: 'item' });
      });
      expect(await store.read.idleRuns({ limit: 9 })).toEqual(['idle']);
    });

    test('planned and parked calls without an owner are returned when they are due', async () => {
      const sent = { state: 'working', attempt: 1, taskId: 't' } as const;
      const call = (id: string, position: number, fields: Partial<ToolCall>): ToolCall => ({
        ...plannedCall(id),
        position,
        ...fields,
      });
      const store = await openWith(
        [running('r1'), queuedRun('over', { status: 'completed' })],
        [
          call('now', 0, {}),
          call('due', 1, { dueAt: 5 }),
          call('later', 2, { dueAt: 6 }),
          call('parked', 3, sent),
          call('owned', 4, { ...sent, owner: 'w' }),
          call('asks', 5, { state: 'awaiting_approval' }),
          call('ended', 6, { state: 'failed', finishedAt: 1 }),
          call('of-ended-run', 0, { runId: 'over' }),
        ],
      );
      const unowned = await store.read.unownedCalls({ now: 5, limit: 9 });
      expect(unowned).toEqual([
        { id: 'now', dueAt: 0 },
        { id: 'parked', dueAt: 0 },
        { id: 'due', dueAt: 5 },
      ]);
      const page = await store.read.unownedCalls({ now: 5, limit: 2 });
      expect(page).toEqual(unowned.slice(0, 2));
      expect(await store.read.unownedCalls({ now: 5, limit: 2, after: page[0] })).toEqual(
        unowned.slice(1),
      );
      expect(await store.read.unownedCalls({ now: 5, limit: 2, after: unowned[2] })).toEqual([]);
    });

    test('a call changes only for its owner', async () => {
      const sent = { ...plannedCall('c'), state: 'dispatched', attempt: 1, owner: 'w' } as const;
      const store = await openWith([running('r1')], [sent]);
      const change = (owner: string | null): Promise<boolean> =>
        store.write({}, (sql) =>
          sql.updateToolCall('c', { state: ['dispatched'], owner }, { owner: undefined }),
        );
      expect([await change('other'), await change(null)]).toEqual([false, false]);
      expect(await change('w')).toBe(true);
      expect([await change('w'), await change(null)]).toEqual([false, true]);
    });
  });
}

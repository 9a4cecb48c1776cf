import { describe, expect, test } from 'vitest';
import type { RatedCall } from './call-rate.ts';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import { plannedCall } from '../testing/planned-call.ts';
import { queuedRun } from '../testing/queued-run.ts';

const rated = (callId: string, attempt = 0, server = 'files'): RatedCall => ({
  server,
  callId,
  attempt,
});

/** Describes the behavior of every store adapter for the rate limits of servers. */
export function callRateContract(name: string, open: OpenStore): void {
  describe(`store contract, rates of calls: ${name}`, () => {
    const openStore = openForTest(open);

    test('calls are in line in order of arrival until they are sent or no longer planned', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1', { status: 'running' }));
        for (const [position, id] of ['c1', 'c2', 'c3', 'c4'].entries())
          await sql.insertToolCall({ ...plannedCall(id), position });
        await sql.lockCallRate('files');
        expect(await sql.joinCallLine(rated('c3'), 5)).toBe(true);
        for (const id of ['c4', 'c2', 'c1']) await sql.joinCallLine(rated(id), 7);
        await sql.joinCallLine(rated('c0', 0, 'other'), 1);
        expect(await sql.joinCallLine(rated('c4'), 1)).toBe(false);
      });
      const ahead = (id: string, limit = 9): Promise<number> =>
        store.write({}, (sql) => sql.callsAhead(rated(id), limit));
      expect([await ahead('c3'), await ahead('c1'), await ahead('c4')]).toEqual([0, 1, 3]);
      expect(await ahead('c4', 2)).toBe(2);
      await store.write({}, (sql) => sql.leaveCallLine(rated('c3'), { sentAt: 8, forgetUntil: 0 }));
      expect([await ahead('c1'), await ahead('c4')]).toEqual([0, 2]);
      await store.write({}, (sql) =>
        sql.updateToolCall('c1', { state: ['planned'] }, { state: 'cancelled' }),
      );
      await store.write({}, (sql) =>
        sql.updateToolCall('c2', { state: ['planned'] }, { attempt: 1 }),
      );
      expect(await ahead('c4')).toBe(0);
    });

    test('calls of a run that has ended are not in line', async () => {
      const store = await openStore();
      const ahead = await store.write({ run: 'r1' }, async (sql) => {
        await sql.insertRun(queuedRun('r1', { status: 'running' }));
        for (const [position, id] of ['c1', 'c2'].entries()) {
          await sql.insertToolCall({ ...plannedCall(id), position });
          await sql.joinCallLine(rated(id), 1);
        }
        await sql.updateRun('r1', { status: 'failed' });
        return sql.callsAhead(rated('c2'), 9);
      });
      expect(ahead).toBe(0);
    });

    test('calls in line are listed by run and by server until they are sent, retried or cancelled, or their run ends', async () => {
      const store = await openStore();
      await store.write({ run: 'r1' }, async (sql) => {
        await sql.insertRun(queuedRun('r1', { status: 'running' }));
        await sql.insertRun(queuedRun('r2', { status: 'running' }));
        for (const [position, id] of ['c1', 'c2', 'c3', 'c4', 'c5'].entries())
          await sql.insertToolCall({ ...plannedCall(id), position, dueAt: 60 - position });
        await sql.insertToolCall({ ...plannedCall('d1'), runId: 'r2' });
        for (const id of ['c1', 'c2', 'c3', 'c4', 'd1']) await sql.joinCallLine(rated(id), 7);
        await sql.joinCallLine(rated('c5', 0, 'other'), 8);
      });
      const { read } = store;
      const ids = async (): Promise<readonly string[]> =>
        (await read.callsInLine('r1')).map(({ callId }) => callId).toSorted();
      const lines = async (): Promise<unknown> =>
        (await read.rateLines()).toSorted((a, b) => a.server.localeCompare(b.server));
      expect(await ids()).toEqual(['c1', 'c2', 'c3', 'c4', 'c5']);
      expect(await read.callsInLine('r2')).toEqual([
        { callId: 'd1', server: 'files', since: 7, dueAt: 7 },
      ]);
      expect(await lines()).toEqual([
        { server: 'files', calls: 5, nextAt: 7 },
        { server: 'other', calls: 1, nextAt: 56 },
      ]);
      await store.write({ run: 'r1' }, async (sql) => {
        await sql.leaveCallLine(rated('c1'), { sentAt: 8, forgetUntil: 0 });
        await sql.updateToolCall('c2', { state: ['planned'] }, { attempt: 1 });
        await sql.updateToolCall('c3', { state: ['planned'] }, { state: 'cancelled' });
        await sql.updateRun('r2', { status: 'failed' });
      });
      expect(await read.callsInLine('r1')).toContainEqual({
        callId: 'c4',
        server: 'files',
        since: 7,
        dueAt: 57,
      });
      expect(await ids()).toEqual(['c4', 'c5']);
      expect(await lines()).toEqual([
        { server: 'files', calls: 1, nextAt: 57 },
        { server: 'other', calls: 1, nextAt: 56 },
      ]);
    });

    test('sent calls are counted by attempt, and forgotten when they are old', async () => {
      const store = await openStore();
      const nth = (n: number, since = 0): Promise<number | undefined> =>
        store.write({}, (sql) => sql.nthLatestCall('files', { nth: n, since }));
      const send = (call: RatedCall, sentAt: number, forgetUntil = 0): Promise<void> =>
        store.write({}, async (sql) => {
          await sql.joinCallLine(call, sentAt);
          await sql.leaveCallLine(call, { sentAt, forgetUntil });
        });
      await send(rated('c1'), 10);
      await send(rated('c1', 1), 20);
      await send(rated('c2', 0, 'other'), 25);
      await send(rated('c3'), 30);
      expect([await nth(1), await nth(2), await nth(3), await nth(4)]).toEqual([
        30,
        20,
        10,
        undefined,
      ]);
      expect([await nth(2, 19), await nth(2, 20)]).toEqual([20, undefined]);
      await send(rated('c4'), 40, 20);
      expect([await nth(2), await nth(3)]).toEqual([30, undefined]);
    });
  });
}

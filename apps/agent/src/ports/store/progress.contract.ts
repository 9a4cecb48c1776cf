import { describe, expect, test } from 'vitest';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import { openItem } from '../testing/open-item.ts';
import { plannedCall } from '../testing/planned-call.ts';
import { queuedRun } from '../testing/queued-run.ts';
import { RUN_STATUSES } from './run.ts';

/** Describes the behavior of every store adapter for the reads that decide the next step of a run. */
export function progressContract(name: string, open: OpenStore): void {
  describe(`store contract, progress: ${name}`, () => {
    const openStore = openForTest(open);

    test('a run is active when it is neither queued nor settled, and runs are counted by status and kind', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const status of RUN_STATUSES) await sql.insertRun(queuedRun(status, { status }));
        await sql.insertRun(queuedRun('call', { status: 'running', kind: 'call' }));
      });
      const { read } = store;
      const active = await Promise.all(RUN_STATUSES.map((id) => read.activeRun(id)));
      expect(active.flatMap((run) => (run === undefined ? [] : [run.status]))).toEqual([
        'running',
        'input_required',
        'cancelling',
      ]);
      expect(await read.activeRun('none')).toBeUndefined();
      expect([
        await read.countRuns({ status: 'running' }),
        await read.countRuns({ status: 'running', kind: 'call' }),
        await read.countRuns({ status: 'queued', kind: 'call' }),
      ]).toEqual([2, 1, 0]);
      await store.write({}, async (sql) => {
        for (const limit of [1, 1_000_000])
          expect(await sql.countRunsToAdmit({ status: 'running' }, limit)).toBe(2);
        expect(await sql.countRunsToAdmit({ status: 'running', kind: 'call' }, 2)).toBe(1);
      });
    });

    test('calls that have not ended, and cancelled calls, are found', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const id of ['r1', 'r2']) await sql.insertRun(queuedRun(id));
        await sql.insertToolCall(plannedCall('c1'));
        await sql.insertToolCall({
          ...plannedCall('c2'),
          position: 1,
          state: 'dispatched',
          attempt: 1,
          owner: 'w1',
          cancelRequestedAt: 5,
        });
        await sql.insertToolCall({ ...plannedCall('c3'), position: 2, state: 'succeeded' });
        await sql.insertToolCall({ ...plannedCall('c4'), runId: 'r2' });
      });
      const { read } = store;
      const calls = await read.openCalls('r1');
      expect(calls.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        { id: 'c1', state: 'planned', attempt: 0, owner: undefined },
        { id: 'c2', state: 'dispatched', attempt: 1, owner: 'w1' },
      ]);
      expect(await read.cancelledCalls(['c1', 'c2', 'none'])).toEqual(['c2']);
      expect(await read.cancelledCalls([])).toEqual([]);
      expect(await read.callTarget('c1')).toEqual({
        server: 'files',
        tool: 'read',
        arguments: { path: 'a' },
      });
      expect(await read.callTarget('none')).toBeUndefined();
      expect(await read.runOfCall('c4')).toBe('r2');
      expect(await read.runOfCall('none')).toBeUndefined();
    });

    test('inbox items are found by run, call and state without their requests, and are counted', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        for (const [position, id] of ['c1', 'c2'].entries())
          await sql.insertToolCall({ ...plannedCall(id), position });
        await sql.insertInboxItem({ ...openItem('late'), callId: 'c1', createdAt: 3 });
        await sql.insertInboxItem({ ...openItem('early'), callId: 'c1', createdAt: 2 });
        await sql.insertInboxItem({ ...openItem('other'), callId: 'c2', state: 'answered' });
      });
      const { read } = store;
      const ids = async (options: Omit<Parameters<typeof read.inboxEntries>[0], 'runId'>) =>
        (await read.inboxEntries({ runId: 'r1', ...options })).map(({ id }) => id);
      expect(await ids({ states: ['open'] })).toEqual(['early', 'late']);
      expect(await ids({ states: ['open', 'answered'], callId: 'c2' })).toEqual(['other']);
      expect(await ids({ states: ['void'] })).toEqual([]);
      const [entry] = await read.inboxEntries({ runId: 'r1', states: ['answered'] });
      expect(entry).toEqual({
        id: 'other',
        runId: 'r1',
        callId: 'c2',
        kind: 'tool_approval',
        state: 'answered',
        owner: undefined,
        questionKey: undefined,
        expiresAt: 2,
      });
      expect([
        await read.countInboxItems({ callId: 'c1' }),
        await read.countInboxItems({ callId: 'c2', state: 'open' }),
      ]).toEqual([2, 0]);
    });

    test('the latest item of an input request is found', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertToolCall(plannedCall('c1'));
        const asked = { ...openItem(''), callId: 'c1', questionKey: '1:name' };
        await sql.insertInboxItem({ ...asked, id: 'i1', state: 'void', createdAt: 1 });
        await sql.insertInboxItem({ ...asked, id: 'i2', createdAt: 2 });
      });
      expect((await store.read.inboxItemOf('c1', '1:name'))?.id).toBe('i2');
      expect(await store.read.inboxItemOf('c1', '2:name')).toBeUndefined();
    });

    test('the last message is found, also before a position and of one role, and the messages after a turn are deleted', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        for (const [turn, role] of (['user', 'assistant', 'user'] as const).entries())
          await sql.insertMessage('r1', { id: `m${turn}`, turn, role, content: [] });
      });
      const { read } = store;
      expect(await read.lastMessage('r1')).toEqual({
        id: 'm2',
        turn: 2,
        role: 'user',
        content: [],
        position: 2,
      });
      expect((await read.lastMessage('r1', { role: 'assistant' }))?.id).toBe('m1');
      expect((await read.lastMessage('r1', { role: 'user', before: 2 }))?.id).toBe('m0');
      expect(await read.lastMessage('r1', { before: 0 })).toBeUndefined();
      expect([
        await read.hasMessage('r1', { turn: 1, role: 'assistant' }),
        await read.hasMessage('r1', { turn: 1, role: 'user' }),
      ]).toEqual([true, false]);
      await store.write({ run: 'r1' }, (sql) => sql.deleteMessagesAfter('r1', 0));
      expect((await read.lastMessage('r1'))?.id).toBe('m0');
    });
  });
}

import { describe, expect, test } from 'vitest';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import { plannedCall } from '../testing/planned-call.ts';
import { queuedRun } from '../testing/queued-run.ts';
import type { ToolCall } from './tool-call.ts';

/** Describes the behavior of every store adapter for statistics. */
export function statsContract(name: string, open: OpenStore): void {
  describe(`store contract, statistics: ${name}`, () => {
    const openStore = openForTest(open);

    test('figures of the runs of a time span are read newest first, in pages', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const [id, createdAt] of [
          ['early', 99],
          ['a', 100],
          ['c', 150],
          ['b', 150],
          ['late', 200],
        ] as const)
          await sql.insertRun(
            queuedRun(id, { createdAt, kind: id === 'c' ? 'call' : 'agent', prompt: 'x' }),
          );
      });
      const span = { from: 100, to: 200, limit: 9 };
      const ids = async (options: object): Promise<readonly string[]> =>
        (await store.read.runFigures({ ...span, ...options })).map(({ id }) => id);
      expect(await ids({})).toEqual(['c', 'b', 'a']);
      expect(await ids({ kind: 'agent' })).toEqual(['b', 'a']);
      expect(await ids({ limit: 1 })).toEqual(['c']);
      expect(await ids({ limit: 1, before: { id: 'c', createdAt: 150 } })).toEqual(['b']);
      expect(await ids({ before: { id: 'b', createdAt: 150 } })).toEqual(['a']);
      expect(await ids({ before: { id: 'a', createdAt: 100 } })).toEqual([]);
    });

    test('latencies of the completed model calls of a time span are read newest first, in pages', async () => {
      let now = 0;
      const store = await openStore({ now: () => now, after: () => () => undefined });
      await store.write({}, (sql) => sql.insertRun(queuedRun('r1')));
      for (const [turn, startedAt, endedAt, status] of [
        [1, 99, 105, 'completed'],
        [2, 100, 105, 'completed'],
        [3, 150, 160, 'failed'],
        [4, 150, 170, 'completed'],
        [5, 200, 201, 'completed'],
        [6, 190, undefined, 'active'],
      ] as const)
        await store.write({}, async (sql) => {
          const messageId = `m${turn}`;
          now = startedAt;
          await sql.startTurn({ runId: 'r1', turn, owner: store.workerId, messageId });
          now = endedAt ?? now;
          if (status !== 'active') await sql.endTurn(messageId, status);
        });
      const page = { of: 'turns', from: 100, to: 200, limit: 1 } as const;
      const [first] = await store.read.latencies(page);
      expect(first).toEqual({ id: 'm4', startedAt: 150, endedAt: 170 });
      const [second] = await store.read.latencies({ ...page, before: first });
      expect(second).toEqual({ id: 'm2', startedAt: 100, endedAt: 105 });
      expect(await store.read.latencies({ ...page, before: second })).toEqual([]);
    });

    test('latencies of tool calls that succeeded or failed are measured from when they were sent', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertRun(queuedRun('r2', { kind: 'call' }));
        for (const [position, fields] of [
          { state: 'succeeded', sentAt: 100, finishedAt: 130 },
          { state: 'failed', sentAt: 150, finishedAt: 151, runId: 'r2' },
          { state: 'failed', sentAt: undefined, finishedAt: 151 },
          { state: 'cancelled', sentAt: 150, finishedAt: 151 },
          { state: 'dispatched', sentAt: 150 },
          { state: 'succeeded', sentAt: 99, finishedAt: 151 },
        ].entries())
          await sql.insertToolCall({
            ...plannedCall(`c${position}`),
            position,
            ...(fields as Partial<ToolCall>),
          });
      });
      const span = { of: 'tool calls', from: 100, to: 200, limit: 9 } as const;
      const called = { id: 'c1', startedAt: 150, endedAt: 151 };
      const used = { id: 'c0', startedAt: 100, endedAt: 130 };
      expect(await store.read.latencies(span)).toEqual([called, used]);
      expect(await store.read.latencies({ ...span, before: called })).toEqual([used]);
      expect(await store.read.latencies({ ...span, kind: 'call' })).toEqual([called]);
      expect(await store.read.latencies({ ...span, kind: 'agent' })).toEqual([used]);
    });

    test('figures have counts, usage, error and times, without texts', async () => {
      const store = await openStore();
      const usage = {
        input: 10,
        cacheRead: 1,
        cacheWrite: 2,
        output: 5,
        reasoning: 3,
        source: 'reported' as const,
        costUsd: 0.25,
      };
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1', { createdAt: 5 }));
        await sql.updateRun('r1', {
          status: 'failed',
          turns: 2,
          toolCalls: 3,
          usage,
          error: { code: 'limit_exceeded', message: 'too many' },
          waitedMs: 7,
          startedAt: 10,
          finishedAt: 50,
        });
      });
      const [figures] = await store.read.runFigures({ from: 0, to: 9, limit: 9 });
      expect(figures).toEqual({
        id: 'r1',
        kind: 'agent',
        status: 'failed',
        provider: 'scripted',
        model: 'demo',
        turns: 2,
        toolCalls: 3,
        usage,
        error: { code: 'limit_exceeded', message: 'too many' },
        waitedMs: 7,
        createdAt: 5,
        startedAt: 10,
        finishedAt: 50,
      });
    });

    test('deleted runs have no figures', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.insertRun(queuedRun('r1', { createdAt: 5 })));
      await store.write({}, (sql) => sql.eraseRun('r1'));
      expect(await store.read.runFigures({ from: 0, to: 9, limit: 9 })).toEqual([]);
    });

    test('the work in progress is counted by worker', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const id of ['r1', 'r2']) await sql.insertRun(queuedRun(id));
        await sql.startTurn({ runId: 'r1', turn: 1, owner: 'w1', messageId: 'm1' });
        await sql.startTurn({ runId: 'r2', turn: 1, owner: 'w2', messageId: 'm2' });
        for (const [id, owner, state] of [
          ['c1', 'w1', 'dispatched'],
          ['c2', 'w1', 'working'],
          ['c3', 'w3', 'dispatched'],
          ['c4', undefined, 'planned'],
        ] as const)
          await sql.insertToolCall({
            ...plannedCall(id),
            position: Number(id.slice(1)),
            owner,
            state,
          });
      });
      await store.write({}, (sql) => sql.endTurn('m2', 'completed'));
      expect(await store.read.workerLoads()).toEqual(
        new Map([
          ['w1', { modelCalls: 1, toolCalls: 2 }],
          ['w3', { modelCalls: 0, toolCalls: 1 }],
        ]),
      );
    });
  });
}

import { describe, expect, test } from 'vitest';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import { plannedCall } from '../testing/planned-call.ts';
import { queuedRun } from '../testing/queued-run.ts';

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

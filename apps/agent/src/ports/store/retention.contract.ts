import { describe, expect, test } from 'vitest';
import { textArtifact as artifact } from '../testing/text-artifact.ts';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import { openItem } from '../testing/open-item.ts';
import { plannedCall } from '../testing/planned-call.ts';
import { request, RESPONSE } from '../testing/keyed-request.ts';
import { queuedRun } from '../testing/queued-run.ts';
import type { Store, StoreTransaction } from '../store.ts';
import type { DueRun } from './retention.ts';
import type { Run } from './run.ts';

const ended = (id: string, finishedAt: number, fields: Partial<Run> = {}): Run =>
  queuedRun(id, { status: 'completed', createdAt: finishedAt - 1, finishedAt, ...fields });
const inThread = (threadPosition: number): Partial<Run> => ({ threadId: 'th', threadPosition });

const CUTOFFS = { completed: 100, failed: 50 };

/** Describes the behavior of every store adapter for the deletion of old runs. */
export function retentionContract(name: string, open: OpenStore): void {
  describe(`store contract, retention: ${name}`, () => {
    const openStore = openForTest(open);

    async function openWith(runs: readonly Run[]): Promise<Store> {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const run of runs) await sql.insertRun(run);
      });
      return store;
    }

    const due = async (store: Store, after?: DueRun): Promise<readonly string[]> =>
      (await store.read.dueRuns({ status: 'completed', endedBy: 100, after, limit: 9 })).map(
        ({ id }) => id,
      );
    const erase = (store: Store, id: string, threadId?: string): Promise<number> =>
      store.write({}, (sql) => sql.eraseDueRuns({ id, threadId }, CUTOFFS));

    test('runs that ended before the time are due, oldest first; of a thread only its last run', async () => {
      const store = await openWith([
        ended('late', 101),
        ended('b', 100),
        ended('a', 90),
        ended('long', 101, { createdAt: 5 }),
        ended('failed', 9, { status: 'failed' }),
        queuedRun('queued'),
        ended('t0', 7, inThread(0)),
        ended('t1', 8, inThread(1)),
      ]);
      expect(await due(store)).toEqual(['t1', 'a', 'b']);
      const [first] = await store.read.dueRuns({ status: 'completed', endedBy: 100, limit: 1 });
      expect(first).toEqual({ id: 't1', threadId: 'th', createdAt: 7 });
      expect(await due(store, first)).toEqual(['a', 'b']);
    });

    test('a run that is not due is not erased', async () => {
      const store = await openWith([
        ended('late', 101),
        ended('failed', 51, { status: 'failed' }),
        ended('expired', 1, { status: 'expired' }),
        queuedRun('running', { status: 'running' }),
      ]);
      for (const id of ['late', 'failed', 'expired', 'running', 'absent'])
        expect(await erase(store, id)).toBe(0);
      expect(await store.write({}, (sql) => sql.deleteErased())).toBe(false);
      expect((await store.read.runs({ limit: 9 })).data).toHaveLength(4);
    });

    test.each<[string, Partial<Run>]>([
      ['ended too recently', { finishedAt: 101 }],
      ['has not ended', { status: 'input_required', finishedAt: undefined }],
      ['is kept forever', { status: 'cancelled' }],
    ])('the runs of a thread are kept while one of them %s, and go together', async (_, other) => {
      const store = await openWith([
        ended('t0', 7, { ...inThread(0), ...other }),
        ended('t1', 8, inThread(1)),
      ]);
      expect(await erase(store, 't1', 'th')).toBe(0);
      await store.write({}, (sql) => sql.updateRun('t0', { status: 'failed', finishedAt: 50 }));
      expect(await erase(store, 't1', 'th')).toBe(2);
      expect((await store.read.runs({ limit: 9 })).data).toEqual([]);
    });

    test('an erased run is hidden at once from every read, and a page cursor at it stays valid', async () => {
      const store = await openWith([ended('a', 10), ended('b', 20), ended('c', 30)]);
      await store.write({}, async (sql) => {
        await sql.insertInboxItem({ ...openItem('i1'), runId: 'b', state: 'void' });
        await sql.claimKey(request());
        await sql.finishKey(request(), { response: RESPONSE, runId: 'b' });
      });
      const page = await store.read.runs({ limit: 2 });
      expect(page.data.map(({ id }) => id)).toEqual(['c', 'b']);
      expect(await erase(store, 'b')).toBe(1);
      expect(await erase(store, 'b')).toBe(0);
      const { read } = store;
      expect(
        await Promise.all([
          read.run('b'),
          read.runCore('b'),
          read.runStatus('b'),
          read.inboxItem('i1'),
        ]),
      ).toEqual([undefined, undefined, undefined, undefined]);
      expect(await store.write({}, (sql) => sql.run('b'))).toBeUndefined();
      expect(await read.runCounts()).toEqual(new Map([['completed', 2]]));
      expect(await due(store)).toEqual(['a', 'c']);
      const used = await store.write({}, (sql) => sql.claimKey(request()));
      expect(used).toMatchObject({ isDone: true, response: undefined });
      const next = await read.runs({ limit: 2, cursor: page.nextCursor ?? '' });
      expect(next.data.map(({ id }) => id)).toEqual(['a']);
    });

    test('the rows of erased runs are deleted in parts, and artifacts of another run are kept', async () => {
      const store = await openWith([ended('a', 10), ended('kept', 101)]);
      const event = { type: 'run.queued', data: {} };
      await store.write({}, async (sql: StoreTransaction) => {
        await sql.insertArtifact(artifact('shared'));
        await sql.shareArtifacts(
          { id: 'a', threadId: undefined, threadPosition: undefined },
          'kept',
        );
        await sql.insertArtifact(artifact('own'));
        await sql.insertToolCall({ ...plannedCall('c'), runId: 'a' });
        for (let count = 0; count < 25; count += 1) {
          await sql.append(
            'a',
            Array.from({ length: 100 }, () => event),
          );
          await sql.insertMessage('a', { id: `m${count}`, turn: count, role: 'user', content: [] });
        }
        await sql.append('kept', [event]);
      });
      await erase(store, 'a');
      let transactions = 1;
      while (await store.write({}, (sql) => sql.deleteErased())) transactions += 1;
      expect(transactions).toBe(3);
      const { read } = store;
      expect(await read.events('a', { after: 0, limit: 9 })).toEqual([]);
      expect(await read.messages('a')).toEqual([]);
      expect(await read.toolCalls('a')).toEqual([]);
      expect(await read.artifact('own')).toBeUndefined();
      expect(await read.artifact('shared')).toMatchObject({ id: 'shared' });
      expect(await read.events('kept', { after: 0, limit: 9 })).toHaveLength(1);
    });

    test('every artifact of an erased run is deleted, also when a transaction ends between two of them', async () => {
      const store = await openWith([ended('a', 10), ended('b', 20)]);
      await store.write({}, async (sql) => {
        await sql.append(
          'a',
          Array.from({ length: 850 }, () => ({ type: 'run.queued', data: {} })),
        );
        for (const id of ['1', '2', '3']) await sql.insertArtifact({ ...artifact(id), runId: 'b' });
      });
      for (const id of ['a', 'b']) await erase(store, id);
      while (await store.write({}, (sql) => sql.deleteErased()));
      for (const id of ['1', '2', '3']) expect(await store.read.artifact(id)).toBeUndefined();
    });

    test('events are deleted from the last to the first, so that a reader in the middle misses none before its end', async () => {
      const store = await openWith([ended('a', 10)]);
      await store.write({}, (sql) =>
        sql.append(
          'a',
          Array.from({ length: 1500 }, () => ({ type: 'run.queued', data: {} })),
        ),
      );
      await erase(store, 'a');
      expect(await store.write({}, (sql) => sql.deleteErased())).toBe(true);
      const left = await store.read.events('a', { after: 0, limit: 2000 });
      expect(left.map(({ seq }) => seq)).toEqual(
        Array.from({ length: 500 }, (_, index) => index + 1),
      );
    });
  });
}

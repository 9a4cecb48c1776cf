import { describe, expect, test } from 'vitest';
import type { StoreTransaction } from '../store.ts';
import { request, RESPONSE } from '../testing/keyed-request.ts';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import { queuedRun } from '../testing/queued-run.ts';
import { textArtifact } from '../testing/text-artifact.ts';
import type { Thread } from './thread.ts';
import { SUPERSEDED, type Run } from './run.ts';
import { eraseRun } from '../testing/erase-run.ts';

const thread = (id: string, fields: Partial<Thread> = {}): Thread => ({
  id,
  title: undefined,
  metadata: {},
  createdAt: 1,
  updatedAt: 1,
  ...fields,
});

/** Describes the behavior of every store adapter for threads. */
export function threadContract(name: string, open: OpenStore): void {
  describe(`store contract, threads: ${name}`, () => {
    const openStore = openForTest(open);

    test('threads are read back as they were written, listed newest first and changed', async () => {
      const store = await openStore();
      const second = thread('t2', { title: 'two', metadata: { a: 'b' }, createdAt: 2 });
      await store.write({}, async (sql) => {
        for (const each of [thread('t1'), second]) await sql.insertThread(each);
      });
      expect(await store.read.thread('t2')).toEqual(second);
      const first = await store.read.threads({ limit: 1 });
      const last = await store.read.threads({ limit: 1, cursor: first.nextCursor ?? '' });
      expect([first.data[0]?.id, last.data[0]?.id, last.nextCursor]).toEqual([
        't2',
        't1',
        undefined,
      ]);
      const patch = { title: undefined, metadata: {}, updatedAt: 9 };
      expect(
        await store.write({}, async (sql) => [
          await sql.updateThread('t2', patch),
          await sql.updateThread('none', patch),
        ]),
      ).toEqual([true, false]);
      expect(await store.read.thread('t2')).toEqual(thread('t2', { createdAt: 2, updatedAt: 9 }));
    });

    test('runs have a position in their thread, are filtered, and are counted by status', async () => {
      const store = await openStore();
      const insert = (id: string, fields: Partial<Run>) =>
        store.write({}, async (sql) =>
          sql.insertRun(
            queuedRun(id, {
              ...fields,
              ...(fields.threadId === undefined
                ? {}
                : { threadPosition: await sql.nextThreadPosition(fields.threadId) }),
            }),
          ),
        );
      const forkedFrom = { runId: 'r0', turn: 2 };
      await insert('r1', {
        threadId: 't1',
        agentId: 'a1',
        agentVersion: 3,
        toolRules: { deny: ['x__*'], approvals: [{ tools: '*', policy: 'ask' }] },
        status: 'completed',
        metadata: { a: 'b' },
        forkedFrom,
        instructions: 'i',
        kind: 'call',
      });
      await insert('r2', { threadId: 't1', status: 'running' });
      await insert('r3', { threadId: 't2', agentId: 'a1' });
      expect(await store.read.run('r1')).toMatchObject({
        threadPosition: 0,
        agentVersion: 3,
        toolRules: { deny: ['x__*'], approvals: [{ tools: '*', policy: 'ask' }] },
        metadata: { a: 'b' },
        forkedFrom,
        instructions: 'i',
        kind: 'call',
      });
      expect((await store.read.run('r2'))?.threadPosition).toBe(1);
      const ids = async (options: object): Promise<readonly string[]> =>
        (await store.read.runs({ limit: 9, ...options })).data.map(({ id }) => id).toSorted();
      expect([
        await ids({ threadId: 't1' }),
        await ids({ agentId: 'a1' }),
        await ids({ threadId: 't1', agentId: 'a1' }),
        await ids({ threadId: 't1', status: ['running'] }),
      ]).toEqual([['r1', 'r2'], ['r1', 'r3'], ['r1'], ['r2']]);
      expect([
        await ids({ status: ['running', 'queued'] }),
        await ids({ kind: 'call' }),
        await ids({ metadata: { a: 'b' } }),
        await ids({ metadata: { a: 'c' } }),
      ]).toEqual([['r2', 'r3'], ['r1'], ['r1'], []]);
      expect((await store.read.unsettledRuns({ threadId: 't1' })).map(({ id }) => id)).toEqual([
        'r2',
      ]);
      expect(await store.read.runCounts()).toEqual(
        new Map([
          ['completed', 1],
          ['running', 1],
          ['queued', 1],
        ]),
      );
      await expect(
        store.write({}, (sql) =>
          sql.insertRun(queuedRun('r4', { threadId: 't1', threadPosition: 1 })),
        ),
      ).rejects.toBeInstanceOf(Error);
    });

    test('messages of a thread come in the order of its runs, before or after a position', async () => {
      const store = await openStore();
      const say = async (sql: StoreTransaction, runId: string, id: string): Promise<void> =>
        sql.insertMessage(runId, {
          id,
          turn: 0,
          role: 'user',
          content: [{ type: 'text', text: id }],
        });
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('late', { threadId: 't1', threadPosition: 1 }));
        await sql.insertRun(queuedRun('early', { threadId: 't1', threadPosition: 0 }));
        await sql.insertRun(queuedRun('other', { threadId: 't2', threadPosition: 0 }));
        for (const [runId, id] of [
          ['late', 'm3'],
          ['early', 'm1'],
          ['early', 'm2'],
          ['other', 'm9'],
        ] as const)
          await say(sql, runId, id);
      });
      const all = await store.read.threadMessages('t1');
      expect(
        all.map(({ id, runId, threadPosition, position }) => [id, runId, threadPosition, position]),
      ).toEqual([
        ['m1', 'early', 0, 0],
        ['m2', 'early', 0, 1],
        ['m3', 'late', 1, 0],
      ]);
      expect(all[0]).toMatchObject({
        role: 'user',
        turn: 0,
        content: [{ type: 'text', text: 'm1' }],
      });
      expect((await store.read.threadMessages('t1', { before: 1 })).map(({ id }) => id)).toEqual([
        'm1',
        'm2',
      ]);
      expect(
        (
          await store.read.threadMessages('t1', {
            after: { threadPosition: 0, position: 0 },
            limit: 1,
          })
        ).map(({ id }) => id),
      ).toEqual(['m2']);
      expect(
        (await store.read.threadMessages('t1', { after: { threadPosition: 0, position: 1 } })).map(
          ({ id }) => id,
        ),
      ).toEqual(['m3']);
    });

    test('the messages of a thread lack those of runs that were cancelled before they began', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.insertThread(thread('t1')));
      const runs = [
        ['withdrawn', { statusReason: undefined }],
        ['explained', { statusReason: 'not needed' }],
        ['superseded', { statusReason: SUPERSEDED }],
        ['stopped', { startedAt: 1 }],
      ] as const;
      await store.write({}, async (sql) => {
        for (const [threadPosition, [id, fields]] of runs.entries()) {
          const place = { threadId: 't1', threadPosition };
          await sql.insertRun(queuedRun(id, { ...place, status: 'cancelled', ...fields }));
          await sql.insertMessage(id, { id: `m-${id}`, turn: 0, role: 'user', content: [] });
        }
      });
      const listed = await store.read.threadMessages('t1');
      expect(listed.map(({ runId }) => runId)).toEqual(['superseded', 'stopped']);
      expect(await store.read.messages('withdrawn')).toHaveLength(1);
    });

    test('deleting a run deletes its rows and stored responses but keeps its idempotency keys used; deleting a thread deletes its runs', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertThread(thread('t1'));
        for (const [index, id] of ['r1', 'r2'].entries()) {
          await sql.insertRun(queuedRun(id, { threadId: 't1', threadPosition: index }));
          await sql.append(id, [{ type: 'a', data: {} }]);
          await sql.insertMessage(id, { id: `m-${id}`, turn: 0, role: 'user', content: [] });
          await sql.claimKey(request({ key: id }));
          await sql.finishKey(request({ key: id }), { response: RESPONSE, runId: id });
        }
      });
      const claim = (key: string) => store.write({}, (sql) => sql.claimKey(request({ key })));
      await eraseRun(store, 'r1');
      expect([
        await store.read.run('r1'),
        await store.read.events('r1', { after: 0, limit: 9 }),
        await store.read.messages('r1'),
      ]).toEqual([undefined, [], []]);
      expect([(await claim('r1'))?.response, (await claim('r2'))?.response]).toEqual([
        undefined,
        RESPONSE,
      ]);
      expect(
        await store.write({}, async (sql) => [
          await sql.deleteThread('t1'),
          await sql.deleteThread('t1'),
        ]),
      ).toEqual([true, false]);
      expect([
        await store.read.run('r2'),
        (await claim('r2'))?.isDone,
        (await claim('r2'))?.response,
      ]).toEqual([undefined, true, undefined]);
    });

    test('deleting a thread deletes the artifacts that only its runs own', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertThread(thread('t'));
        const runs = [
          queuedRun('a', { threadId: 't', threadPosition: 0 }),
          queuedRun('b', { threadId: 't', threadPosition: 1 }),
          queuedRun('fork'),
        ];
        for (const run of runs) await sql.insertRun(run);
        const ofRun = (id: string) => ({ id, threadId: undefined, threadPosition: undefined });
        await sql.insertArtifact(textArtifact('forked', 'a'));
        await sql.shareArtifacts(ofRun('a'), 'fork');
        await sql.insertArtifact(textArtifact('shared in the thread', 'a'));
        await sql.shareArtifacts(ofRun('a'), 'b');
        await sql.insertArtifact(textArtifact('own', 'b'));
        await sql.deleteThread('t');
      });
      while (await store.write({}, (sql) => sql.deleteErased()));
      const kept = ['forked', 'shared in the thread', 'own'].map((id) => store.read.artifact(id));
      expect(await Promise.all(kept)).toEqual([textArtifact('forked', 'a'), undefined, undefined]);
    });
  });
}

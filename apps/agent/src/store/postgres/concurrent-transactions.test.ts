import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { sendRatedCalls } from '../../ports/testing/rated-calls.ts';
import { catalogueTool } from '../../ports/testing/catalogue-tool.ts';
import { request, RESPONSE } from '../../ports/testing/keyed-request.ts';
import { queuedRun } from '../../ports/testing/queued-run.ts';
import type { StoreTransaction } from '../../ports/store.ts';
import type { OpenedStore } from '../opened-store.ts';
import { openPostgresStore } from './open-postgres-store.ts';
import { createClient } from './postgres-client.ts';
import { PostgresRows } from './postgres-rows.ts';
import { hasPostgres, postgresForTests } from './testing/postgres.ts';

const clock = { now: () => 1234, after: () => () => undefined };

/** Switches the advisory locks of transactions off. */
function withoutLocks(): void {
  const lock = vi.spyOn(PostgresRows.prototype, 'lock').mockResolvedValue(undefined);
  onTestFinished(() => lock.mockRestore());
}

/** Returns a function whose first two calls wait for each other. */
function meetingOfTwo(): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === 2) resolve();
    return promise;
  };
}

describe.skipIf(!hasPostgres)('transactions of two processes on PostgreSQL', () => {
  const postgres = postgresForTests();

  async function openTwo(): Promise<{
    readonly stores: readonly [OpenedStore, OpenedStore];
    /** Number of connections of the database that wait for a lock. */
    readonly waiting: () => Promise<number>;
  }> {
    const url = await postgres.newDatabase();
    const open = (): Promise<OpenedStore> => openPostgresStore({ url, clock, role: 'worker' });
    const stores = [await open(), await open()] as const;
    const client = createClient({ url });
    await client.connect();
    onTestFinished(async () => {
      await client.end();
      for (const store of stores) await store.close();
    });
    return {
      stores,
      async waiting() {
        const { rows } = await client.query<{ count: number }>(
          "select count(*) as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        );
        return rows[0]?.count ?? 0;
      },
    };
  }

  describe('that create runs at the same moment', () => {
    /** Creates runs with both stores until `limit` is reached and beyond. Returns the number of stored runs. */
    async function createBeyond(
      limit: number,
      countRuns: (sql: StoreTransaction, limit: number) => Promise<number>,
      beforeInsert = () => Promise.resolve(),
    ): Promise<number> {
      const { stores } = await openTwo();
      const create = (store: OpenedStore, id: string): Promise<void> =>
        store.write({}, async (sql) => {
          if ((await countRuns(sql, limit)) >= limit) return;
          await beforeInsert();
          await sql.insertRun(queuedRun(id));
        });
      await Promise.all(
        Array.from({ length: limit + 40 }, (_, index) =>
          create(stores[index % 2 === 0 ? 0 : 1], `r${index}`),
        ),
      );
      return stores[0].read.countRuns({ status: 'queued' });
    }

    // The server of the tests has 200 connections, so that the second limit is reached from afar.
    test.each([10, 210])('do not exceed a limit of %d', async (limit) => {
      const stored = await createBeyond(limit, (sql) =>
        sql.countRunsToAdmit({ status: 'queued' }, limit),
      );
      expect(stored).toBe(limit);
    });

    const countOfKey = async (sql: StoreTransaction): Promise<number> => {
      await sql.lockApiKey('anonymous');
      return sql.countRuns({ status: 'queued' });
    };

    test('do not exceed the limit of their API key', async () => {
      expect(await createBeyond(10, countOfKey)).toBe(10);
    });

    test('control: without the lock of the API key they exceed its limit', async () => {
      withoutLocks();
      expect(await createBeyond(1, countOfKey, meetingOfTwo())).toBeGreaterThan(1);
    });

    test('control: without the locks they exceed the limit', async () => {
      withoutLocks();
      const stored = await createBeyond(
        1,
        (sql) => sql.countRunsToAdmit({ status: 'queued' }, 1),
        meetingOfTwo(),
      );
      expect(stored).toBeGreaterThan(1);
    });
  });

  test('of which one takes over the key of an ended worker while the last transaction of this worker stores the response: it gets the response', async () => {
    const {
      stores: [first, second],
      waiting,
    } = await openTwo();
    await first.write({}, (sql) => sql.claimKey(request()));
    const finished = Promise.withResolvers<void>();
    const committing = Promise.withResolvers<void>();
    const last = first.write({}, async (sql) => {
      await sql.finishKey(request(), { response: RESPONSE, runId: undefined });
      finished.resolve();
      await committing.promise;
    });
    await finished.promise;
    // No worker has the id worker-1, so that it counts as ended.
    const claim = second.write({}, (sql) => sql.claimKey(request({ owner: 'worker-2' })));
    await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 10_000 });
    committing.resolve();
    await last;
    expect(await claim).toMatchObject({ owner: 'worker-1', isDone: true, response: RESPONSE });
  });

  describe('that send calls of a server at the same moment', () => {
    test('do not exceed its rate', async () => {
      expect(await sendRatedCalls((await openTwo()).stores, { calls: 40, limit: 10 })).toBe(10);
    });

    test('control: without the lock of the rate they exceed it', async () => {
      const { stores } = await openTwo();
      withoutLocks();
      const rate = { calls: 40, limit: 1, beforeSend: meetingOfTwo() };
      expect(await sendRatedCalls(stores, rate)).toBeGreaterThan(1);
    });
  });

  describe('of which one stores an epoch while the other deletes unused tools', () => {
    const EPOCH = { id: 'e', system: 's', tools: [catalogueTool('x')], policies: {} };

    /** Returns the tools of a stored epoch whose tools were unused before. */
    async function storeWhileOthersDelete(): Promise<readonly unknown[] | undefined> {
      const {
        stores: [first, second],
        waiting,
      } = await openTwo();
      await first.write({}, async (sql) => {
        for (const id of ['old', 'new']) await sql.insertRun(queuedRun(id));
        await sql.insertEpoch({ ...EPOCH, runId: 'old' });
      });
      const stored = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      const storing = first.write({}, async (sql) => {
        await sql.insertEpoch({ ...EPOCH, runId: 'new' });
        stored.resolve();
        await gate.promise;
      });
      await stored.promise;
      let isDeleted = false;
      const deleting = second
        .write({}, async (sql) => {
          await sql.eraseRun('old');
          while (await sql.deleteErased());
        })
        .then(() => (isDeleted = true));
      await vi.waitFor(async () => expect(isDeleted || (await waiting()) > 0).toBe(true), 5000);
      gate.resolve();
      await Promise.all([storing, deleting]);
      return (await second.read.epoch('new'))?.tools;
    }

    test('the epoch has its tools', async () => {
      expect(await storeWhileOthersDelete()).toEqual(EPOCH.tools);
    });

    test('control: without the lock of the tools the epoch has lost them', async () => {
      withoutLocks();
      expect(await storeWhileOthersDelete()).toBeUndefined();
    });
  });

  describe('that claim servers at the same moment', () => {
    /** Claims servers with both stores at once. Returns the servers of which both became the owner. */
    async function claimedTwice(): Promise<readonly string[]> {
      const { stores } = await openTwo();
      const twice: string[] = [];
      for (let index = 0; index < 20; index += 1) {
        const server = `s${index}`;
        const [first, second] = await Promise.all(
          stores.map(({ serverOwners, workerId }) => serverOwners.claim(server, workerId)),
        );
        if (first !== second) twice.push(server);
      }
      return twice;
    }

    test('agree about the owner', async () => {
      expect(await claimedTwice()).toEqual([]);
    });

    test('control: without the lock of claims both become the owner', async () => {
      withoutLocks();
      expect(await claimedTwice()).not.toEqual([]);
    });
  });

  test('that begins a turn while another removes its worker: the turn is found as left behind', async () => {
    const {
      stores: [first, second],
    } = await openTwo();
    await first.write({}, (sql) => sql.insertRun(queuedRun('r', { status: 'running' })));
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const beginning = first.write({ run: 'r' }, async (sql) => {
      await sql.startTurn({ runId: 'r', turn: 1, owner: first.workerId, messageId: 'm' });
      begun.resolve();
      await gate.promise;
    });
    await begun.promise;
    await second.write({}, (sql) => sql.endWorker(first.workerId));
    await second.write({}, (sql) => sql.removeEndedWorkers());
    expect(await second.read.endedWorkers()).toEqual([]);
    gate.resolve();
    await beginning;
    expect(await second.read.orphanedRuns({ limit: 9 })).toEqual(['r']);
  });

  describe('of which one gives an artifact to a run while the other deletes unused artifacts', () => {
    const artifact = (runId: string) => ({
      id: 'a',
      runId,
      callId: '',
      mediaType: 'text/plain',
      text: 'kept',
      data: undefined,
      bytes: 4,
      originalBytes: 4,
      createdAt: 0,
    });

    /** Gives the artifact to the run `new`, and begins the deletion before the gift is committed. Returns whether the run has it. */
    async function giveDuring(
      { stores, waiting }: Awaited<ReturnType<typeof openTwo>>,
      give: (sql: StoreTransaction) => Promise<unknown>,
      deleteUnused: (sql: StoreTransaction) => Promise<unknown>,
    ): Promise<boolean> {
      const [first, second] = stores;
      const given = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      const giving = first.write({}, async (sql) => {
        await sql.insertRun(queuedRun('new'));
        await give(sql);
        given.resolve();
        await gate.promise;
      });
      await given.promise;
      const deleting = second.write({}, deleteUnused);
      await vi.waitUntil(async () => (await waiting()) > 0, { timeout: 60_000 });
      gate.resolve();
      await Promise.all([giving, deleting]);
      return second.read.ownsArtifact({ id: 'new', threadId: undefined }, 'a');
    }

    const upload = async () => {
      const opened = await openTwo();
      await opened.stores[0].write({}, (sql) => sql.insertArtifact(artifact('')));
      return opened;
    };
    const attach = (sql: StoreTransaction) => sql.attachArtifact('a', 'new');
    const deleteUploads = (sql: StoreTransaction) => sql.deleteUploads(1);

    test('the run of an upload keeps it', async () => {
      expect(await giveDuring(await upload(), attach, deleteUploads)).toBe(true);
    });

    test('control: without the lock of artifacts the run loses its upload', async () => {
      withoutLocks();
      expect(await giveDuring(await upload(), attach, deleteUploads)).toBe(false);
    });

    test('the fork of a run that is deleted meanwhile keeps its artifacts', async () => {
      const opened = await openTwo();
      await opened.stores[0].write({}, async (sql) => {
        await sql.insertRun(queuedRun('source', { status: 'completed' }));
        await sql.insertArtifact(artifact('source'));
      });
      const isKept = await giveDuring(
        opened,
        (sql) => sql.shareArtifacts(queuedRun('source'), 'new'),
        async (sql) => {
          await sql.eraseRun('source');
          await sql.deleteErased();
        },
      );
      expect(isKept).toBe(true);
    });
  });

  describe('that send calls of two rate-limited servers in opposite order', () => {
    /** Returns the number of stored works, and the deadlocks that the database has ended. */
    async function lockInBothOrders(): Promise<{
      readonly stored: number;
      readonly deadlocks: number;
    }> {
      const {
        stores: [first, second],
      } = await openTwo();
      const runs = ['r0', 'r1', 'r2', 'r3'];
      await first.write({}, async (sql) => {
        for (const id of runs) await sql.insertRun(queuedRun(id));
      });
      const bothHold = Promise.withResolvers<void>();
      let [holding, deadlocks] = [0, 0];
      const send = (store: OpenedStore, run: string, server: string, isFirst: boolean) =>
        store.write({ run }, async (sql) => {
          try {
            if (!isFirst) await bothHold.promise;
            await sql.lockCallRate(server);
            // The result arrives when the transaction has the lock, or the error of a deadlock.
            await sql.run(run).catch((error: unknown) => {
              deadlocks += 1;
              throw error;
            });
          } finally {
            if (isFirst && (holding += 1) === 2) bothHold.resolve();
          }
          await sql.updateRun(run, { turns: 1 });
        });
      await Promise.all([
        send(first, 'r0', 'a', true),
        send(first, 'r1', 'b', false),
        send(second, 'r2', 'b', true),
        send(second, 'r3', 'a', false),
      ]);
      const stored = await Promise.all(runs.map((id) => first.read.run(id)));
      return { stored: stored.filter((run) => run?.turns === 1).length, deadlocks };
    }

    test('never wait for each other, because each lock is taken in a transaction of its own', async () => {
      expect(await lockInBothOrders()).toEqual({ stored: 4, deadlocks: 0 });
    });

    test('control: in shared transactions they end in a deadlock, and are stored after it', async () => {
      const alone = vi.spyOn(PostgresRows.prototype, 'alone').mockReturnValue(undefined);
      onTestFinished(() => alone.mockRestore());
      const { stored, deadlocks } = await lockInBothOrders();
      expect(stored).toBe(4);
      expect(deadlocks).toBeGreaterThan(0);
    });
  });
});

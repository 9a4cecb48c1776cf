import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from './store.ts';
import { eraseRun } from './testing/erase-run.ts';
import { request } from './testing/keyed-request.ts';
import { openItem } from './testing/open-item.ts';
import { plannedCall } from './testing/planned-call.ts';
import { queuedRun } from './testing/queued-run.ts';
import { sendRatedCalls } from './testing/rated-calls.ts';

/** Opens two stores on one empty database, as two processes would. */
export type OpenTwoStores = () => Promise<readonly [Store, Store]>;

const WRITES = 12;
const EVENT = { type: 'run.queued', data: {} };
const THREAD = { id: 't1', title: undefined, metadata: {}, createdAt: 1, updatedAt: 1 };
const DECISION = {
  who: 'policy',
  callId: undefined,
  itemId: undefined,
  kind: 'tool_call',
  server: 's',
  tool: 't',
  argumentsSha256: undefined,
  decision: 'allow',
  outcome: undefined,
} as const;

/** Numbers from 1 to the number of writes of two stores. */
const ALL = Array.from({ length: 2 * WRITES }, (_, index) => index + 1);

/** Describes the behavior of two processes on the database of every store adapter. */
export function sharedStoreContract(name: string, openTwo: OpenTwoStores): void {
  describe(`shared store contract: ${name}`, () => {
    let stores: readonly [Store, Store];
    beforeEach(async () => {
      stores = await openTwo();
      await stores[0].write({}, async (sql) => {
        await sql.insertThread(THREAD);
        for (const id of ['r1', 'r2']) await sql.insertRun(queuedRun(id));
      });
    });
    afterEach(async () => {
      for (const store of stores) await store.close();
    });

    /** Writes several times with each store, all at once. */
    const writeWithBoth = (write: (store: Store, index: number) => Promise<unknown>) =>
      Promise.all(
        stores.flatMap((store, index) =>
          Array.from({ length: WRITES }, (_, count) => write(store, index * WRITES + count)),
        ),
      );

    /** Reads with the second store, page after page, until every number was read. */
    async function follow(
      page: (after: number) => Promise<readonly { readonly seq: number }[]>,
    ): Promise<readonly number[]> {
      const seen: number[] = [];
      while (seen.length < ALL.length) {
        seen.push(...(await page(seen.at(-1) ?? 0)).map(({ seq }) => seq));
        await new Promise((resolve) => void setImmediate(resolve));
      }
      return seen;
    }

    test('each store reads what the other has committed', async () => {
      const [first, second] = stores;
      await first.write({ run: 'r1' }, (sql) => sql.updateRun('r1', { turns: 7 }));
      expect(await second.read.run('r1')).toMatchObject({ turns: 7 });
      expect(await second.write({ run: 'r1' }, (sql) => sql.run('r1'))).toMatchObject({ turns: 7 });
    });

    test('runs that both create at the same moment do not exceed an admission limit', async () => {
      const limit = 2 + 7;
      const created = await writeWithBoth((store, index) =>
        store.write({}, async (sql) => {
          if ((await sql.countRunsToAdmit({ status: 'queued' }, limit)) >= limit) return false;
          await sql.insertRun(queuedRun(`new-${index}`));
          return true;
        }),
      );
      expect(created.filter(Boolean)).toHaveLength(7);
      expect(await stores[0].read.countRuns({ status: 'queued' })).toBe(limit);
    });

    test('calls that both send at the same moment do not exceed the rate of their server', async () => {
      expect(await sendRatedCalls(stores, { calls: 2 * WRITES, limit: 7 })).toBe(7);
    });

    test('secrets of a webhook that both replace at the same moment are all kept', async () => {
      await stores[0].write({}, (sql) =>
        sql.insertWebhook({
          id: 'w1',
          url: 'https://example.com',
          eventTypes: ['run.completed'],
          description: undefined,
          disabledAt: undefined,
          createdAt: 1,
          secret: 'first',
        }),
      );
      await writeWithBoth((store, index) =>
        store.write({}, async (sql) => {
          const { secret = '', earlierSecrets = [] } = (await sql.webhookToChange('w1')) ?? {};
          await sql.updateWebhook('w1', {
            secret: String(index),
            earlierSecrets: [...earlierSecrets, { secret, validUntil: 9 }],
          });
        }),
      );
      const webhook = await stores[1].write({}, (sql) => sql.webhookToChange('w1'));
      expect(webhook?.earlierSecrets).toHaveLength(ALL.length);
    });

    test('changes to a run by both follow each other, and none is lost', async () => {
      await writeWithBoth((store) =>
        store.write({ run: 'r1' }, async (sql) => {
          const turns = (await sql.run('r1'))?.turns ?? 0;
          await sql.updateRun('r1', { turns: turns + 1 });
        }),
      );
      expect(await stores[1].read.run('r1')).toMatchObject({ turns: ALL.length });
    });

    test('control: changes are lost when a run is read before its lock is taken', async () => {
      await writeWithBoth(async (store) => {
        const turns = (await store.read.run('r1'))?.turns ?? 0;
        await store.write({ run: 'r1' }, (sql) => sql.updateRun('r1', { turns: turns + 1 }));
      });
      expect((await stores[1].read.run('r1'))?.turns).toBeLessThan(ALL.length);
    });

    test('events of a run that both write are numbered in commit order, and a reader sees each once', async () => {
      const seen = follow((after) => stores[1].read.events('r1', { after, limit: 100 }));
      await writeWithBoth((store) =>
        store.write({ run: 'r1' }, (sql) => sql.append('r1', [EVENT])),
      );
      expect(await seen).toEqual(ALL);
    });

    test('audit entries of different runs are numbered in commit order, and a reader sees each once', async () => {
      const seen = follow((after) => stores[1].read.audit({ after, limit: 100 }));
      await writeWithBoth((store, index) => {
        const runId = index % 2 === 0 ? 'r1' : 'r2';
        return store.write({ run: runId }, async (sql) => {
          await sql.appendAudit([{ ...DECISION, runId }]);
          // The transaction commits later than it takes its number.
          await sql.run(runId);
        });
      });
      expect(await seen).toEqual(ALL);
    });

    test('the lock of a run includes its thread', async () => {
      const [first, second] = stores;
      await first.write({ thread: 't1' }, (sql) =>
        sql.insertRun(queuedRun('in-thread', { threadId: 't1', threadPosition: 0 })),
      );
      const order: string[] = [];
      const begun = Promise.withResolvers<void>();
      const holding = first.write({ run: 'in-thread' }, async (sql) => {
        await sql.run('in-thread');
        begun.resolve();
        for (let reads = 0; reads < 50; reads += 1) await sql.run('in-thread');
        order.push('the run');
      });
      await begun.promise;
      await second.write({ thread: 't1' }, async (sql) => {
        await sql.thread('t1');
        order.push('the thread');
      });
      await holding;
      expect(order).toEqual(['the run', 'the thread']);
    });

    test('runs that both add to a thread get positions without gaps', async () => {
      await writeWithBoth((store, index) =>
        store.write({ thread: 't1' }, async (sql) => {
          const threadPosition = await sql.nextThreadPosition('t1');
          await sql.insertRun(queuedRun(`t-${index}`, { threadId: 't1', threadPosition }));
        }),
      );
      const { data } = await stores[1].read.runs({ threadId: 't1', limit: 100 });
      const positions = data.map(({ threadPosition = -1 }) => threadPosition);
      expect(positions.toSorted((a, b) => a - b)).toEqual(ALL.map((number) => number - 1));
    });

    test('messages that both add to a run get positions without gaps', async () => {
      await writeWithBoth((store, index) =>
        store.write({ run: 'r1' }, (sql) =>
          sql.insertMessage('r1', { id: `m${index}`, turn: 0, role: 'user', content: [] }),
        ),
      );
      expect(await stores[1].read.messages('r1')).toHaveLength(ALL.length);
      expect(await stores[1].read.lastMessage('r1')).toMatchObject({ position: ALL.length - 1 });
    });

    test('an epoch that is stored while its unused tools are deleted keeps its tools', async () => {
      const [first, second] = stores;
      const epoch = {
        id: 'e',
        system: 'be kind',
        tools: [{ name: 'a__x', description: 'x', inputSchema: {} }],
        policies: {},
      };
      const insert = (store: Store, runId: string): Promise<void> =>
        store.write({ run: runId }, async (sql) => {
          await sql.insertRun(queuedRun(runId));
          await sql.insertEpoch({ runId, ...epoch });
        });
      await insert(first, 'e-0');
      for (let count = 1; count <= WRITES; count += 1) {
        await Promise.all([eraseRun(second, `e-${count - 1}`), insert(first, `e-${count}`)]);
        expect((await second.read.epoch(`e-${count}`))?.tools).toEqual(epoch.tools);
      }
    });

    test('a turn, a call and an inbox item are claimed by one of two', async () => {
      const [first] = stores;
      await first.write({ run: 'r1' }, async (sql) => {
        await sql.insertToolCall(plannedCall('c1'));
        await sql.insertInboxItem(openItem('i1'));
      });
      const claims = await Promise.all(
        stores.map((store) =>
          store.write({ run: 'r1' }, async (sql) => [
            await sql.startTurn({
              runId: 'r1',
              turn: 1,
              owner: store.workerId,
              messageId: `m-${store.workerId}`,
            }),
            await sql.updateToolCall(
              'c1',
              { state: ['planned'], attempt: 0 },
              { state: 'dispatched', attempt: 1, owner: store.workerId },
            ),
            await sql.updateInboxItem('i1', 'open', { state: 'answered' }),
          ]),
        ),
      );
      expect(claims.map((claim) => claim.join()).toSorted()).toEqual([
        'false,false,false',
        'true,true,true',
      ]);
    });

    test('a parked call without an owner is claimed by one of two', async () => {
      const [first] = stores;
      await first.write({ run: 'r1' }, (sql) =>
        sql.insertToolCall({
          ...plannedCall('c1'),
          state: 'working',
          attempt: 1,
          taskId: 'task-1',
        }),
      );
      const claims = await Promise.all(
        stores.map((store) =>
          store.write({ run: 'r1' }, (sql) =>
            sql.updateToolCall(
              'c1',
              { state: ['working'], attempt: 1, owner: null },
              { owner: store.workerId },
            ),
          ),
        ),
      );
      expect(claims.filter(Boolean)).toHaveLength(1);
    });

    test('an idempotency key is claimed by one of two, and is not taken from a living owner', async () => {
      const claim = (store: Store) =>
        store.write({}, (sql) => sql.claimKey(request({ owner: store.workerId })));
      const claims = await Promise.all(stores.map(claim));
      const owner = claims.find((used) => used !== undefined)?.owner;
      expect(claims.filter((used) => used === undefined)).toHaveLength(1);
      for (const store of stores) expect(await claim(store)).toMatchObject({ owner });
    });

    test('control: an idempotency key is taken from an owner that has ended', async () => {
      const [first, second] = stores;
      await first.write({}, (sql) => sql.claimKey(request({ owner: first.workerId })));
      await second.write({}, (sql) => sql.endWorker(first.workerId));
      const claimed = await second.write({}, (sql) =>
        sql.claimKey(request({ owner: second.workerId })),
      );
      expect(claimed).toBeUndefined();
    });
  });
}

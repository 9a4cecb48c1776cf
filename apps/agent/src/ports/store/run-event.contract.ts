import { describe, expect, test } from 'vitest';
import { queuedRun } from '../testing/queued-run.ts';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';

/** Describes the behavior of every store adapter for events and transactions. */
export function eventContract(name: string, open: OpenStore): void {
  describe(`store contract, events and transactions: ${name}`, () => {
    const openStore = openForTest(open);

    test('events take the next numbers in commit order, without gap or duplicate, under concurrent writers', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.insertRun(queuedRun('r1')));
      const last = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          store.write({}, (sql) =>
            sql.append('r1', [
              { type: 'a', data: { index } },
              { type: 'b', data: { index } },
            ]),
          ),
        ),
      );
      const events = await store.read.events('r1', { after: 0, limit: 1000 });
      expect(events.map((event) => event.seq)).toEqual(
        Array.from({ length: 60 }, (_, index) => index + 1),
      );
      expect(new Set(last).size).toBe(30);
      expect(
        events
          .filter((_, index) => index % 2 === 1)
          .every((event, pair) => event.data['index'] === events[pair * 2]?.data['index']),
      ).toBe(true);
      expect((await store.read.run('r1'))?.lastSeq).toBe(60);
    });

    test('a page of events starts after a number and is limited', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.append(
          'r1',
          ['a', 'b', 'c', 'd'].map((type) => ({ type, data: {} })),
        );
      });
      expect(
        (await store.read.events('r1', { after: 1, limit: 2 })).map((event) => event.type),
      ).toEqual(['b', 'c']);
      expect(await store.read.events('r1', { after: 4, limit: 2 })).toEqual([]);
    });

    test('of transactions that begin at once, one that throws leaves nothing, and the others are stored once', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.insertRun(queuedRun('r1')));
      const ended = await Promise.allSettled(
        [0, 1, 2, 3].map((index) =>
          store.write({ run: 'r1' }, async (sql) => {
            const lastSeq = await sql.append('r1', [{ type: 'a', data: { index } }]);
            if (index === 2) throw new Error('no');
            return lastSeq;
          }),
        ),
      );
      expect(ended.map(({ status }) => status)).toEqual([
        'fulfilled',
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
      const events = await store.read.events('r1', { after: 0, limit: 9 });
      expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
      // Each write returned the number of its own event.
      expect(
        ended.map((write, index) =>
          write.status === 'rejected'
            ? 'rejected'
            : events.find(({ data }) => data['index'] === index)?.seq === write.value,
        ),
      ).toEqual([true, true, 'rejected', true]);
    });

    test('a transaction that throws leaves no rows and uses no event numbers', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.insertRun(queuedRun('r1')));
      const failed = store.write({}, async (sql) => {
        await sql.append('r1', [{ type: 'lost', data: {} }]);
        await sql.updateRun('r1', { status: 'running' });
        throw new Error('no');
      });
      await expect(failed).rejects.toThrow('no');
      expect(await store.read.run('r1')).toMatchObject({ status: 'queued', lastSeq: 0 });
      expect(await store.write({}, (sql) => sql.append('r1', [{ type: 'kept', data: {} }]))).toBe(
        1,
      );
    });

    test('an event of a run that does not exist is refused', async () => {
      const store = await openStore();
      await expect(
        store.write({}, (sql) => sql.append('nobody', [{ type: 'a', data: {} }])),
      ).rejects.toBeInstanceOf(Error);
    });

    test('readers see no writes of a transaction before its commit, but the transaction sees its own writes', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        expect(await sql.run('r1')).toBeDefined();
        expect(await store.read.run('r1')).toBeUndefined();
      });
      expect(await store.read.run('r1')).toBeDefined();
    });
  });
}

import { describe, expect, test } from 'vitest';
import { openItem } from '../testing/open-item.ts';
import { queuedRun } from '../testing/queued-run.ts';
import { InvalidCursorError } from './errors.ts';
import type { Store } from '../store.ts';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';

/** Describes the behavior of every store adapter for inbox items. */
export function inboxContract(name: string, open: OpenStore): void {
  describe(`store contract, inbox: ${name}`, () => {
    const openStore = openForTest(open);

    test('exactly one of several responses to an inbox item wins', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertInboxItem(openItem('i1'));
      });
      const answers = await Promise.all(
        [1, 2, 3].map((n) =>
          store.write({}, (sql) =>
            sql.updateInboxItem('i1', 'open', {
              state: 'answered',
              response: { n },
              answeredAt: n,
            }),
          ),
        ),
      );
      expect(answers.filter((isFirst) => isFirst)).toHaveLength(1);
      const first = answers.indexOf(true) + 1;
      expect(await store.read.inboxItem('i1')).toEqual({
        ...openItem('i1'),
        state: 'answered',
        response: { n: first },
        answeredAt: first,
      });
    });

    test('inbox items are listed oldest first, by run and state', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertRun(queuedRun('r2'));
        await sql.insertInboxItem({ ...openItem('i1'), createdAt: 5 });
        await sql.insertInboxItem({ ...openItem('i2'), runId: 'r2', createdAt: 3 });
        await sql.insertInboxItem({ ...openItem('i3'), state: 'void', createdAt: 4 });
      });
      const ids = async (
        options: Parameters<Store['read']['inboxItems']>[0],
      ): Promise<readonly string[]> =>
        (await store.read.inboxItems(options)).map((item) => item.id);
      expect(await ids({})).toEqual(['i2', 'i3', 'i1']);
      expect(await ids({ runId: 'r1', state: 'open' })).toEqual(['i1']);
    });

    test('the inbox is paged oldest first, without gaps or duplicates', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        for (const id of ['i3', 'i1', 'i2'])
          await sql.insertInboxItem({ ...openItem(id), createdAt: 7 });
        await sql.insertInboxItem({ ...openItem('i0'), createdAt: 9 });
        await sql.insertInboxItem({ ...openItem('i4'), createdAt: 6, state: 'void' });
      });
      const first = await store.read.inbox({ limit: 2 });
      const second = await store.read.inbox({ limit: 2, cursor: first.nextCursor ?? '' });
      const third = await store.read.inbox({ limit: 2, cursor: second.nextCursor ?? '' });
      expect([first, second, third].map(({ data }) => data.map(({ id }) => id))).toEqual([
        ['i4', 'i1'],
        ['i2', 'i3'],
        ['i0'],
      ]);
      expect(third.nextCursor).toBeUndefined();
      expect(
        (await store.read.inbox({ limit: 9, runId: 'r1', state: 'void' })).data.map(({ id }) => id),
      ).toEqual(['i4']);
      await expect(store.read.inbox({ limit: 2, cursor: 'forged' })).rejects.toBeInstanceOf(
        InvalidCursorError,
      );
    });

    test('a list shows a long request truncated, and the item has the whole request', async () => {
      const store = await openStore();
      const request = {
        server: 'a',
        message: 'm'.repeat(8000),
        requested_schema: {
          type: 'object',
          properties: { f: { type: 'string', description: 'd'.repeat(60_000) } },
        },
      };
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertInboxItem({ ...openItem('i1'), request });
        await sql.insertInboxItem({ ...openItem('i2'), request: { message: 'short' } });
      });
      const [long, short] = (await store.read.inbox({ limit: 9 })).data;
      expect(long).toMatchObject({
        id: 'i1',
        isShortened: true,
        request: { server: 'a', message: `${'m'.repeat(500)}…`, requested_schema: {} },
      });
      expect(short).toMatchObject({ id: 'i2', isShortened: false, request: { message: 'short' } });
      expect((await store.read.inboxItem('i1'))?.request).toEqual(request);
      await store.write({}, (sql) =>
        sql.updateInboxItem('i2', 'open', { request: { message: 'n'.repeat(9000) } }),
      );
      expect((await store.read.inbox({ limit: 9 })).data[1]).toMatchObject({
        isShortened: true,
        request: { message: `${'n'.repeat(500)}…` },
      });
    });

    test('the open items of several runs are read at once, the oldest 20 of each', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const id of ['r1', 'r2', 'r3']) await sql.insertRun(queuedRun(id));
        for (let count = 0; count < 25; count += 1)
          await sql.insertInboxItem({ ...openItem(`a${count}`), createdAt: count });
        await sql.insertInboxItem({ ...openItem('b1'), runId: 'r2', createdAt: 3 });
        await sql.insertInboxItem({ ...openItem('b2'), runId: 'r2', createdAt: 2, state: 'void' });
        await sql.insertInboxItem({ ...openItem('c1'), runId: 'r3' });
      });
      const items = await store.read.openInbox(['r1', 'r2']);
      expect(items.filter(({ runId }) => runId === 'r1').map(({ id }) => id)).toEqual(
        Array.from({ length: 20 }, (_, index) => `a${index}`),
      );
      expect(items.filter(({ runId }) => runId !== 'r1').map(({ id }) => id)).toEqual(['b1']);
      expect(await store.read.openInbox([])).toEqual([]);
    });
  });
}

import { describe, expect, test } from 'vitest';
import { queuedRun } from '../testing/queued-run.ts';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';

/** Describes the behavior of every store adapter for messages and turns. */
export function messageContract(name: string, open: OpenStore): void {
  describe(`store contract, messages and turns: ${name}`, () => {
    const openStore = openForTest(open);

    test('messages keep their order, blocks and native items', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertMessage('r1', {
          id: 'm2',
          turn: 0,
          role: 'user',
          content: [{ type: 'text', text: '{"not":"parsed"}' }],
        });
        await sql.insertMessage('r1', {
          id: 'm1',
          turn: 1,
          role: 'assistant',
          content: [],
          native: { provider: 'p', model: 'm', items: [{ b: 1, a: 2 }] },
        });
      });
      expect(await store.read.messages('r1')).toEqual([
        { id: 'm2', turn: 0, role: 'user', content: [{ type: 'text', text: '{"not":"parsed"}' }] },
        {
          id: 'm1',
          turn: 1,
          role: 'assistant',
          content: [],
          native: { provider: 'p', model: 'm', items: [{ b: 1, a: 2 }] },
        },
      ]);
    });

    test('messages of a run are read in pages', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const runId of ['r1', 'r2']) {
          await sql.insertRun(queuedRun(runId));
          for (const id of ['m3', 'm1', 'm2'])
            await sql.insertMessage(runId, {
              id: `${runId}-${id}`,
              turn: 0,
              role: 'user',
              content: [{ type: 'text', text: id }],
            });
        }
      });
      const page = async (after: number | undefined, limit: number) =>
        (await store.read.messagePage('r1', { after, limit })).map(({ id, runId, position }) => [
          id,
          runId,
          position,
        ]);
      expect(await page(undefined, 2)).toEqual([
        ['r1-m3', 'r1', 0],
        ['r1-m1', 'r1', 1],
      ]);
      expect(await page(1, 2)).toEqual([['r1-m2', 'r1', 2]]);
      expect(await page(2, 2)).toEqual([]);
      expect((await store.read.messagePage('r1', { limit: 1 }))[0]).toMatchObject({
        turn: 0,
        role: 'user',
        content: [{ type: 'text', text: 'm3' }],
      });
    });

    test('the partial text of a run is one row that is overwritten and removed', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.insertRun(queuedRun('r1')));
      await store.write({}, (sql) => sql.savePartial('r1', { messageId: 'm1', text: 'a' }));
      await store.write({}, (sql) => sql.savePartial('r1', { messageId: 'm1', text: 'ab' }));
      expect(await store.read.partial('r1')).toEqual({ messageId: 'm1', text: 'ab' });
      await store.write({}, (sql) => sql.savePartial('r1', undefined));
      expect(await store.read.partial('r1')).toBeUndefined();
    });

    test('a run has at most one active attempt of a turn, and the next claim stores nothing', async () => {
      const store = await openStore();
      const claim = (runId: string, messageId: string): Promise<boolean> =>
        store.write({}, (sql) => sql.startTurn({ runId, turn: 1, owner: messageId, messageId }));
      await store.write({}, async (sql) => {
        for (const id of ['r1', 'r2']) await sql.insertRun(queuedRun(id));
      });
      const claims = await Promise.all([claim('r1', 'm1'), claim('r1', 'm2')]);
      expect(claims.filter(Boolean)).toHaveLength(1);
      const messageId = claims[0] ? 'm1' : 'm2';
      expect(await claim('r2', 'm3')).toBe(true);
      expect(await store.read.activeTurn('r1')).toMatchObject({ messageId, owner: messageId });
      await store.write({}, (sql) => sql.endTurn(messageId, 'failed'));
      expect(await store.read.activeTurn('r1')).toBeUndefined();
      expect(await claim('r1', 'm4')).toBe(true);
    });

    test('an attempt of a turn ends once', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.startTurn({ runId: 'r1', turn: 1, owner: 'boot', messageId: 'm1' });
      });
      expect(await store.read.activeTurn('r1')).toEqual({
        turn: 1,
        owner: 'boot',
        messageId: 'm1',
      });
      expect(await store.write({}, (sql) => sql.endTurn('m1', 'interrupted'))).toBe(true);
      expect(await store.write({}, (sql) => sql.endTurn('m1', 'completed'))).toBe(false);
      expect(await store.read.activeTurn('r1')).toBeUndefined();
    });
  });
}

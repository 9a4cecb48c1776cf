import { describe, expect, test } from 'vitest';
import type { KeyedRequest } from './idempotency.ts';
import { request, RESPONSE } from '../testing/keyed-request.ts';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';

/** Describes the behavior of every store adapter for idempotency keys. */
export function idempotencyContract(name: string, open: OpenStore): void {
  describe(`store contract, idempotency keys: ${name}`, () => {
    const openStore = openForTest(open);

    test('a key is claimed once, by the first request', async () => {
      const store = await openStore();
      const { workerId: owner } = store;
      const claim = (fields: Partial<KeyedRequest> = {}) =>
        store.write({}, (sql) => sql.claimKey(request({ owner, ...fields })));
      expect(await claim()).toBeUndefined();
      expect(await claim()).toEqual({
        ...request({ owner }),
        isDone: false,
        response: undefined,
        runId: undefined,
        createdAt: 1234,
      });
      expect(await claim({ requestSha256: 'bb' })).toMatchObject({ requestSha256: 'aa' });
      expect([await claim({ key: 'other' }), await claim({ principal: 'other' })]).toEqual([
        undefined,
        undefined,
      ]);
      const finished = await store.write({}, (sql) =>
        sql.finishKey(request({ owner }), { response: RESPONSE, runId: 'r1' }),
      );
      expect(finished).toBe(true);
      const done = { isDone: true, response: RESPONSE, runId: 'r1' };
      expect(await claim()).toMatchObject(done);
      await store.write({}, async (sql) => {
        await sql.releaseKey(request({ owner }));
        await sql.releaseKey(request({ owner, key: 'other' }));
      });
      expect(await claim()).toMatchObject(done);
      expect(await claim({ key: 'other' })).toBeUndefined();
    });

    test('a key in use is claimed by another worker only when its owner has ended, and only for the same request', async () => {
      const store = await openStore();
      const { workerId: living } = store;
      const claim = (owner: string, requestSha256 = 'aa') =>
        store.write({}, (sql) => sql.claimKey(request({ owner, requestSha256 })));
      await store.write({}, (sql) => sql.addWorker({ id: 'old', role: 'api', pid: 1 }));
      expect(await claim('old')).toBeUndefined();
      expect((await claim(living))?.owner).toBe('old');
      await store.write({}, (sql) => sql.endWorker('old'));
      expect((await claim(living, 'bb'))?.owner).toBe('old');
      expect(await claim(living)).toBeUndefined();
      expect((await claim('third'))?.owner).toBe(living);
    });

    test('a worker that lost its key to another can neither finish nor release it', async () => {
      const store = await openStore();
      const { workerId: owner } = store;
      await store.write({}, (sql) => sql.claimKey(request({ owner: 'ended' })));
      await store.write({}, (sql) => sql.claimKey(request({ owner })));
      const late = await store.write({}, async (sql) => {
        await sql.releaseKey(request({ owner: 'ended' }));
        return sql.finishKey(request({ owner: 'ended' }), { response: RESPONSE, runId: 'r1' });
      });
      expect(late).toBe(false);
      const used = await store.write({}, (sql) => sql.claimKey(request({ owner: 'third' })));
      expect(used).toMatchObject({ owner, isDone: false, response: undefined });
    });

    test('keys expire by their age', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.claimKey(request({ owner: store.workerId })));
      await store.write({}, (sql) => sql.releaseKeysBefore(1234));
      expect(
        await store.write({}, (sql) => sql.claimKey(request({ owner: store.workerId }))),
      ).toBeDefined();
      await store.write({}, (sql) => sql.releaseKeysBefore(1235));
      expect(
        await store.write({}, (sql) => sql.claimKey(request({ owner: store.workerId }))),
      ).toBeUndefined();
    });
  });
}

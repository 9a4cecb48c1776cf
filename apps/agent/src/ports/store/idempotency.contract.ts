import { describe, expect, test } from 'vitest';
import type { KeyedRequest } from './idempotency.ts';
import { request, RESPONSE } from '../testing/keyed-request.ts';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';

/** Describes the behavior of every store adapter for idempotency keys. */
export function idempotencyContract(name: string, open: OpenStore): void {
  describe(`store contract, idempotency keys: ${name}`, () => {
    const openStore = openForTest(open);

    test('a key is claimed once: by the first request, or by the same request after a restart when the first did not finish', async () => {
      const store = await openStore();
      const claim = (fields: Partial<KeyedRequest> = {}) =>
        store.write({}, (sql) => sql.claimKey(request(fields)));
      expect(await claim()).toBeUndefined();
      expect(await claim()).toEqual({
        ...request(),
        isDone: false,
        response: undefined,
        runId: undefined,
        createdAt: 1234,
      });
      expect([await claim({ key: 'other' }), await claim({ principal: 'other' })]).toEqual([
        undefined,
        undefined,
      ]);
      expect((await claim({ owner: 'boot-2', requestSha256: 'bb' }))?.owner).toBe('boot-1');
      expect([await claim({ owner: 'boot-2' }), (await claim({ owner: 'boot-2' }))?.owner]).toEqual(
        [undefined, 'boot-2'],
      );
      await store.write({}, (sql) =>
        sql.finishKey({ principal: 'p', key: 'k' }, { response: RESPONSE, runId: 'r1' }),
      );
      expect(await claim({ owner: 'boot-3' })).toMatchObject({
        isDone: true,
        response: RESPONSE,
        runId: 'r1',
      });
      await store.write({}, (sql) => sql.releaseKey({ principal: 'p', key: 'k' }));
      expect((await claim())?.isDone).toBe(true);
      await store.write({}, (sql) => sql.releaseKey({ principal: 'p', key: 'other' }));
      expect(await claim({ key: 'other' })).toBeUndefined();
    });

    test('keys expire by their age', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.claimKey(request()));
      await store.write({}, (sql) => sql.releaseKeysBefore(1234));
      expect(await store.write({}, (sql) => sql.claimKey(request()))).toBeDefined();
      await store.write({}, (sql) => sql.releaseKeysBefore(1235));
      expect(await store.write({}, (sql) => sql.claimKey(request()))).toBeUndefined();
    });
  });
}

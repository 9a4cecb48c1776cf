import { describe, expect, test } from 'vitest';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import { queuedRun } from '../testing/queued-run.ts';
import type { Store } from '../store.ts';
import type { Webhook, WebhookDelivery } from './webhook.ts';

const webhook = (id: string, fields: Partial<Webhook> = {}): Webhook => ({
  id,
  url: 'https://example.com/hook',
  eventTypes: ['run.completed'],
  description: undefined,
  disabledAt: undefined,
  createdAt: 1,
  ...fields,
});

const pending = (id: string, fields: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  id,
  webhookId: 'w1',
  runId: 'r1',
  seq: 1,
  type: 'run.completed',
  payload: '{"a":1}',
  state: 'pending',
  attempts: 0,
  earlierAttempts: 0,
  nextAt: 10,
  owner: undefined,
  lastStatus: undefined,
  lastError: undefined,
  createdAt: 1,
  finishedAt: undefined,
  ...fields,
});

const add = (store: Store, ...deliveries: readonly WebhookDelivery[]): Promise<void> =>
  store.write({}, async (sql) => {
    await sql.insertWebhook({ ...webhook('w1'), secret: 'whsec_1' });
    await sql.insertDeliveries(deliveries);
  });

const due = async (store: Store, until = 10, limit = 9): Promise<readonly string[]> => {
  const options = { webhookId: 'w1', until, owner: store.workerId, limit };
  return (await store.read.dueDeliveries(options)).map(({ id }) => id);
};

const claim = (store: Store, id: string, attempt = 1, owner = store.workerId) =>
  store.write({}, (sql) => sql.claimDelivery({ id, owner, attempt }));

/** Describes the behavior of every store adapter for webhooks. */
export function webhookContract(name: string, open: OpenStore): void {
  describe(`${name}: webhooks`, () => {
    const openStore = openForTest(open);

    test('webhooks are listed newest first without their secrets, until they are deleted', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const [index, id] of ['w1', 'w2', 'w3'].entries())
          await sql.insertWebhook({ ...webhook(id, { createdAt: index }), secret: 'whsec_x' });
      });
      expect(await store.read.webhook('w1')).toEqual(webhook('w1', { createdAt: 0 }));
      const page = await store.read.webhooks({ limit: 2 });
      expect(page.data.map(({ id }) => id)).toEqual(['w3', 'w2']);
      const rest = await store.read.webhooks({ limit: 2, cursor: page.nextCursor ?? '' });
      expect(rest.data).toEqual([webhook('w1', { createdAt: 0 })]);
      const deleteIt = () => store.write({}, (sql) => sql.deleteWebhook('w2', 5));
      expect([await deleteIt(), await deleteIt()]).toEqual([true, false]);
      expect(await store.read.webhook('w2')).toBeUndefined();
      expect(await store.read.countWebhooks()).toBe(2);
      const subscriptions = await store.read.webhookSubscriptions();
      expect(subscriptions.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        { id: 'w1', eventTypes: ['run.completed'] },
        { id: 'w3', eventTypes: ['run.completed'] },
      ]);
    });

    test('a webhook is changed, and its earlier secrets are given to the next attempt', async () => {
      const store = await openStore();
      await add(store, pending('d1'));
      const earlierSecrets = [{ secret: 'whsec_1', validUntil: 99 }];
      await store.write({}, async (sql) => {
        expect(await sql.webhookToChange('none')).toBeUndefined();
        expect(await sql.webhookToChange('w1')).toEqual({
          ...webhook('w1'),
          secret: 'whsec_1',
          earlierSecrets: [],
        });
        await sql.updateWebhook('w1', { disabledAt: 5 });
        await sql.updateWebhook('w1', {
          url: 'https://example.com/other',
          eventTypes: ['run.failed'],
          disabledAt: undefined,
          secret: 'whsec_2',
          earlierSecrets,
        });
      });
      const changed = webhook('w1', {
        url: 'https://example.com/other',
        eventTypes: ['run.failed'],
      });
      expect(await store.read.webhook('w1')).toEqual(changed);
      const secrets = { secret: 'whsec_2', earlierSecrets };
      expect(await claim(store, 'd1')).toMatchObject({ url: changed.url, ...secrets });
      await store.write({}, async (sql) => {
        expect(await sql.webhookToChange('w1')).toEqual({ ...changed, ...secrets });
        await sql.deleteWebhook('w1', 7);
        expect(await sql.webhookToChange('w1')).toBeUndefined();
      });
    });

    test('due deliveries of a webhook are read soonest first, up to a limit', async () => {
      const store = await openStore();
      await add(
        store,
        pending('d1', { nextAt: 9 }),
        pending('d2', { seq: 2, nextAt: 8 }),
        pending('d3', { seq: 3, nextAt: 12 }),
        pending('d4', { seq: 4, webhookId: 'w2', nextAt: 1 }),
      );
      expect(await due(store)).toEqual(['d2', 'd1']);
      expect(await due(store, 12, 2)).toEqual(['d2', 'd1']);
      expect(await due(store, 12)).toEqual(['d2', 'd1', 'd3']);
    });

    test('of several claims of the same attempt one succeeds, and it has what is needed to send it', async () => {
      const store = await openStore();
      await add(store, pending('d1'));
      const claims = await Promise.all([1, 2].map(() => claim(store, 'd1')));
      expect(claims.filter((each) => each !== undefined)).toEqual([
        {
          ...pending('d1', { attempts: 1, owner: store.workerId }),
          url: 'https://example.com/hook',
          secret: 'whsec_1',
          earlierSecrets: [],
        },
      ]);
    });

    test('an attempt of a living worker is left alone, and that of an ended worker is taken over', async () => {
      const store = await openStore();
      await add(store, pending('d1'));
      await store.write({}, (sql) => sql.addWorker({ id: 'other', role: 'worker', pid: 1 }));
      expect(await claim(store, 'd1', 1, 'other')).toBeDefined();
      expect([await due(store), await claim(store, 'd1', 2)]).toEqual([[], undefined]);
      await store.write({}, (sql) => sql.endWorker('other'));
      expect(await due(store)).toEqual(['d1']);
      expect(await claim(store, 'd1', 2)).toMatchObject({ attempts: 2, owner: store.workerId });
      const late = await store.write({}, (sql) =>
        sql.settleDelivery(
          { id: 'd1', owner: 'other', attempt: 1 },
          { state: 'delivered', nextAt: undefined },
        ),
      );
      expect([late, (await store.read.delivery('d1'))?.state]).toEqual([false, 'pending']);
    });

    test('a failed attempt waits for its next time, and an ended delivery is sent again only on request', async () => {
      const store = await openStore();
      await add(store, pending('d1'));
      const settle = (attempt: number, patch: Partial<WebhookDelivery>) =>
        store.write({}, (sql) =>
          sql.settleDelivery({ id: 'd1', owner: store.workerId, attempt }, patch),
        );
      await claim(store, 'd1');
      expect(await settle(1, { nextAt: 50, lastStatus: 500, lastError: 'bad' })).toBe(true);
      expect([await due(store), await due(store, 50)]).toEqual([[], ['d1']]);
      const resend = () => store.write({}, (sql) => sql.resendDelivery('d1', 70));
      expect(await resend()).toBe(false);
      await claim(store, 'd1', 2);
      await settle(2, { state: 'dead', nextAt: undefined, finishedAt: 60, lastError: undefined });
      const dead = pending('d1', {
        state: 'dead',
        attempts: 2,
        nextAt: undefined,
        lastStatus: 500,
        finishedAt: 60,
      });
      expect(await store.read.delivery('d1')).toEqual(dead);
      expect(await due(store, 99)).toEqual([]);
      expect(await resend()).toBe(true);
      expect(await store.read.delivery('d1')).toEqual({
        ...dead,
        state: 'pending',
        earlierAttempts: 2,
        nextAt: 70,
        finishedAt: undefined,
      });
    });

    test('a disabled or deleted webhook gets nothing more', async () => {
      const store = await openStore();
      await add(store, pending('d1'), pending('d2', { seq: 2 }));
      await claim(store, 'd1');
      await store.write({}, (sql) => sql.disableWebhook('w1', 'gone', 7));
      expect(await store.read.webhook('w1')).toEqual(webhook('w1', { disabledAt: 7 }));
      expect(await store.read.webhookSubscriptions()).toEqual([]);
      const { data } = await store.read.deliveries({ webhookId: 'w1', limit: 9 });
      expect(data.map(({ state, lastError }) => [state, lastError])).toEqual([
        ['dead', 'gone'],
        ['dead', 'gone'],
      ]);
      await store.write({}, (sql) => sql.resendDelivery('d2', 8));
      expect(await claim(store, 'd2')).toBeUndefined();
      await store.write({}, (sql) => sql.endDeliveriesOfDisabled('gone', 9));
      expect(await store.read.delivery('d2')).toMatchObject({ state: 'dead', finishedAt: 9 });
      await store.write({}, async (sql) => {
        await sql.insertWebhook({ ...webhook('w2'), secret: 's' });
        await sql.insertDeliveries([pending('d3', { webhookId: 'w2' })]);
        await sql.deleteWebhook('w2', 1);
      });
      expect(await claim(store, 'd3')).toBeUndefined();
      await store.write({}, (sql) => sql.endDeliveriesOfDisabled('gone', 9));
      expect(await store.read.delivery('d3')).toMatchObject({ state: 'pending' });
    });

    test('deliveries are listed newest first and by state, and the pending ones are counted', async () => {
      const store = await openStore();
      await add(
        store,
        pending('d1', { createdAt: 1 }),
        pending('d2', { seq: 2, createdAt: 2, state: 'dead', nextAt: undefined }),
        pending('d3', { seq: 3, createdAt: 3 }),
        pending('d4', { webhookId: 'w2', createdAt: 4 }),
      );
      const page = await store.read.deliveries({ webhookId: 'w1', limit: 2 });
      expect(page.data.map(({ id }) => id)).toEqual(['d3', 'd2']);
      const rest = await store.read.deliveries({
        webhookId: 'w1',
        limit: 2,
        cursor: page.nextCursor ?? '',
      });
      expect(rest).toEqual({ data: [pending('d1')], nextCursor: undefined });
      const dead = await store.read.deliveries({ webhookId: 'w1', state: 'dead', limit: 9 });
      expect(dead.data.map(({ id }) => id)).toEqual(['d2']);
      expect(await store.read.countPendingDeliveries()).toBe(3);
    });

    test('an event is announced to a webhook once', async () => {
      const store = await openStore();
      await add(store, pending('d1'));
      await expect(
        store.write({}, (sql) => sql.insertDeliveries([pending('again')])),
      ).rejects.toThrow(/unique/iu);
      await store.write({}, (sql) => sql.insertDeliveries([]));
    });

    test('ended deliveries are deleted by their age, and those of a deleted webhook with it', async () => {
      const store = await openStore();
      const ended = (id: string, finishedAt: number): WebhookDelivery =>
        pending(id, { seq: finishedAt, state: 'dead', nextAt: undefined, finishedAt });
      await add(
        store,
        ended('d1', 1),
        ended('d2', 2),
        ended('d3', 3),
        pending('d4', { seq: 4, webhookId: 'w2' }),
      );
      await store.write({}, async (sql) => {
        await sql.insertWebhook({ ...webhook('w2'), secret: 's' });
        await sql.deleteWebhook('w2', 1);
      });
      const sweep = () => store.write({}, (sql) => sql.deleteDeliveries({ before: 3, limit: 1 }));
      expect([await sweep(), await sweep(), await sweep()]).toEqual([true, true, false]);
      const left = await Promise.all(['d1', 'd2', 'd3', 'd4'].map((id) => store.read.delivery(id)));
      expect(left.map((each) => each?.id)).toEqual([undefined, undefined, 'd3', undefined]);
    });

    test('a run is erased with its deliveries', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.insertRun(queuedRun('r1')));
      await add(store, pending('d1'), pending('d2', { runId: 'r2' }));
      await store.write({ run: 'r1' }, (sql) => sql.eraseRun('r1'));
      expect([await store.read.delivery('d1'), await due(store)]).toEqual([undefined, ['d2']]);
    });
  });
}

import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Store } from '../ports/store.ts';
import type { WebhookDelivery } from '../ports/store/webhook.ts';
import { openStore } from '../store/open-store.ts';
import { databaseFolder, provideMigratedDatabase } from '../store/testing/migrated-database.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { createWebhookCommands } from './webhook-commands.ts';
import type { WebhookOutcome, WebhookRequest } from './post-webhook.ts';
import { signedHeaders } from './signature.ts';
import { WebhookSender } from './webhook-sender.ts';

type Answer = (request: WebhookRequest) => WebhookOutcome | Promise<WebhookOutcome>;

interface Worker {
  readonly store: Store;
  readonly sender: WebhookSender;
  /** Requests that this worker sent. */
  readonly sent: readonly WebhookRequest[];
  readonly attempts: readonly string[];
  readonly log: readonly string[];
  /** Sweeps, and resolves with the next due time when no attempt is in progress. */
  readonly sweep: () => Promise<number | undefined>;
}

async function openFolder(): Promise<string> {
  const folder = databaseFolder();
  onTestFinished(() => rm(folder, { recursive: true }));
  const dataDir = join(folder, 'data');
  await provideMigratedDatabase(dataDir);
  return dataDir;
}

async function openWorker(
  answer: Answer,
  {
    clock = new ManualClock(),
    dataDir,
    change = (store) => store,
  }: {
    readonly clock?: ManualClock;
    readonly dataDir?: string;
    readonly change?: (store: Store) => Store;
  } = {},
): Promise<Worker & { readonly clock: ManualClock }> {
  const store = await openStore({
    dataDir: dataDir ?? (await openFolder()),
    durability: 'process',
    clock,
    role: 'worker',
  });
  const sent: WebhookRequest[] = [];
  const attempts: string[] = [];
  const log: string[] = [];
  const keep = (message: string): number => log.push(message);
  const sender = new WebhookSender({
    store: change(store),
    post: async (request, signal) => {
      sent.push(request);
      const aborted = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('aborted'))),
      );
      return Promise.race([answer(request), aborted]);
    },
    clock,
    logger: { debug: keep, info: keep, warn: keep, error: keep },
    userAgent: 'signalbox/test',
    onAttempt: (outcome) => attempts.push(outcome),
    random: () => 0.5,
  });
  onTestFinished(async () => {
    const closing = sender.close();
    clock.advance(1000);
    await closing;
    await store.close();
  });
  const sweep = async (): Promise<number | undefined> => {
    const now = clock.now();
    const next = await sender.run({ now, until: now + 1_000_000_000 });
    await sender.settled();
    return next;
  };
  return { store, sender, sent, attempts, log, clock, sweep };
}

const delivery = (id: string, fields: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  id,
  webhookId: 'w1',
  runId: 'run',
  seq: Number(id.replaceAll(/\D/gu, '')),
  type: 'run.completed',
  payload: `{"id":"${id}"}`,
  state: 'pending',
  attempts: 0,
  earlierAttempts: 0,
  nextAt: 0,
  owner: undefined,
  lastStatus: undefined,
  lastError: undefined,
  createdAt: 0,
  finishedAt: undefined,
  ...fields,
});

const addWebhook = (store: Store, id = 'w1'): Promise<void> =>
  store.write({}, (sql) =>
    sql.insertWebhook({
      id,
      url: `https://${id}.test/`,
      eventTypes: ['run.completed'],
      description: undefined,
      disabledAt: undefined,
      createdAt: 0,
      secret: 'whsec_c2VjcmV0',
    }),
  );

const add = (store: Store, ...deliveries: readonly WebhookDelivery[]): Promise<void> =>
  store.write({}, (sql) => sql.insertDeliveries(deliveries));

const ids = (requests: readonly WebhookRequest[]): readonly string[] =>
  requests.map(({ headers }) => headers['webhook-id'] ?? '');

test('a delivery that fails is sent again with the same id and body for about 20 hours, and is then dead until it is requested again', async () => {
  let status = 500;
  const { store, sweep, sent, clock, attempts, log } = await openWorker(() => ({ status }));
  await addWebhook(store);
  await add(store, delivery('d1'));
  const startedAt = clock.now();
  const delays: number[] = [];
  await sweep();
  for (let next = await sweep(); next !== undefined; next = await sweep()) {
    delays.push((next - clock.now()) / 1000);
    clock.advance(next - clock.now());
    await sweep();
  }
  expect(delays).toEqual([5, 20, 80, 320, 1280, 5120, 20_480, 21_600, 21_600]);
  expect((clock.now() - startedAt) / 3_600_000).toBeCloseTo(19.6, 1);
  expect(new Set(ids(sent))).toEqual(new Set(['run:1']));
  expect(new Set(sent.map(({ body }) => body))).toEqual(new Set(['{"id":"d1"}']));
  expect(new Set(sent.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(10);
  expect(attempts).toEqual([...Array<string>(9).fill('failed'), 'dead']);
  expect(log).toEqual(['a webhook delivery failed for the last time; it can be sent again']);
  expect(await store.read.delivery('d1')).toMatchObject({
    state: 'dead',
    attempts: 10,
    lastStatus: 500,
    lastError: 'the endpoint answered with status 500',
    finishedAt: clock.now(),
  });

  const commands = createWebhookCommands({
    store,
    guard: { addressesOf: () => Promise.resolve([]) },
    clock,
    newId: () => 'x',
  });
  await commands.resend({ webhookId: 'w1', id: 'd1' });
  await sweep();
  expect(await sweep()).toBe(clock.now() + 5000);
  status = 204;
  clock.advance(5000);
  await sweep();
  expect(ids(sent).slice(10)).toEqual(['run:1', 'run:1']);
  expect(await store.read.delivery('d1')).toMatchObject({
    state: 'delivered',
    attempts: 12,
    lastStatus: 204,
    lastError: undefined,
  });
});

test('an endpoint sets a longer delay with Retry-After, of at most 6 hours', async () => {
  let retryAfterMs = 60_000;
  const { store, sweep, clock } = await openWorker(() => ({ status: 429, retryAfterMs }));
  await addWebhook(store);
  await add(store, delivery('d1'));
  await sweep();
  expect(await sweep()).toBe(clock.now() + 60_000);
  retryAfterMs = 1e12;
  clock.advance(60_000);
  await sweep();
  expect(await sweep()).toBe(clock.now() + 21_600_000);
});

test('an endpoint that answers 410 is disabled, and nothing more is sent to it', async () => {
  const { store, sweep, sent, log } = await openWorker(({ url }) => ({
    status: url.includes('w1') ? 410 : 200,
  }));
  for (const id of ['w1', 'w2']) await addWebhook(store, id);
  await add(store, delivery('d1'), delivery('d2', { nextAt: 1e15 }));
  await add(store, delivery('d3', { webhookId: 'w2' }));
  await sweep();
  expect(ids(sent).toSorted()).toEqual(['run:1', 'run:3']);
  expect(await store.read.webhook('w1')).toMatchObject({
    disabledAt: expect.any(Number) as number,
  });
  const { data } = await store.read.deliveries({ webhookId: 'w1', limit: 9 });
  expect(data.map(({ state }) => state)).toEqual(['dead', 'dead']);
  expect(log).toEqual(['a webhook was disabled, because its endpoint is gone']);
  expect(await store.read.audit({ after: 0, limit: 9 })).toMatchObject([
    { who: 'service', kind: 'webhook', webhookId: 'w1', decision: 'disabled', runId: undefined },
  ]);
  expect(await sweep()).toBeUndefined();
});

test('a webhook whose URL was changed during a request to the earlier one is not disabled by its 410', async () => {
  const answer = Promise.withResolvers<WebhookOutcome>();
  const { store, sender, sweep, sent, attempts, log, clock } = await openWorker(({ url }) =>
    url === 'https://w1.test/' ? answer.promise : { status: 200 },
  );
  await addWebhook(store);
  await add(store, delivery('d1'));
  await sender.run({ now: clock.now(), until: clock.now() });
  expect(sent).toHaveLength(1);
  await store.write({}, (sql) => sql.updateWebhook('w1', { url: 'https://moved.test/' }));
  answer.resolve({ status: 410 });
  await sender.settled();
  expect((await store.read.webhook('w1'))?.disabledAt).toBeUndefined();
  expect(await store.read.delivery('d1')).toMatchObject({ state: 'pending', lastStatus: 410 });
  clock.advance(5000);
  await sweep();
  expect(sent.at(-1)?.url).toBe('https://moved.test/');
  expect(await store.read.delivery('d1')).toMatchObject({ state: 'delivered' });
  expect(attempts).toEqual(['failed', 'delivered']);
  expect(log).toEqual([]);
});

test('a webhook that was deleted during a request is not disabled by its 410', async () => {
  const answer = Promise.withResolvers<WebhookOutcome>();
  const { store, sender, clock } = await openWorker(() => answer.promise);
  await addWebhook(store);
  await add(store, delivery('d1'));
  await sender.run({ now: clock.now(), until: clock.now() });
  await store.write({}, (sql) => sql.deleteWebhook('w1', clock.now()));
  answer.resolve({ status: 410 });
  await sender.settled();
  expect(await store.read.audit({ after: 0, limit: 9 })).toEqual([]);
});

test('requests are signed with a replaced secret as well until it expires, or until the next replacement ends it', async () => {
  const { store, sweep, sent, clock } = await openWorker(() => ({ status: 200 }));
  await addWebhook(store);
  const commands = createWebhookCommands({
    store,
    guard: { addressesOf: () => Promise.resolve([]) },
    clock,
    newId: () => 'x',
  });
  const secrets = ['whsec_c2VjcmV0'];
  const rotate = async (overlapMs: number): Promise<void> => {
    secrets.push((await commands.rotateSecret('w1', overlapMs)).secret);
  };
  let count = 0;
  /** Returns the numbers of the secrets that have signed the next request. */
  const signers = async (): Promise<readonly number[]> => {
    await add(store, delivery(`d${(count += 1)}`));
    await sweep();
    const { headers, body } = sent.at(-1)!;
    const [id, timestamp] = [headers['webhook-id'] ?? '', headers['webhook-timestamp']];
    return (headers['webhook-signature'] ?? '').split(' ').map((signature) =>
      secrets.findIndex((secret) => {
        const expected = signedHeaders([secret], { id, timestamp: Number(timestamp), body });
        return expected['webhook-signature'] === signature;
      }),
    );
  };
  expect(await signers()).toEqual([0]);
  await rotate(60_000);
  expect(await signers()).toEqual([1, 0]);
  clock.advance(30_000);
  await rotate(60_000);
  expect(await signers()).toEqual([2, 1, 0]);
  clock.advance(30_000);
  expect(await signers()).toEqual([2, 1]);
  for (const _ of [1, 2, 3, 4]) await rotate(60_000);
  expect(await signers()).toEqual([6, 5, 4, 3, 2]);
  await rotate(0);
  expect(await signers()).toEqual([7]);
});

test('a slow endpoint has at most 4 requests at a time, and delays no other endpoint', async () => {
  const { promise: later, resolve } = Promise.withResolvers<WebhookOutcome>();
  const { store, sender, sent, clock, sweep } = await openWorker(({ url }) =>
    url.includes('w1') ? later : { status: 200 },
  );
  for (const id of ['w1', 'w2']) await addWebhook(store, id);
  await add(store, ...[1, 2, 3, 4, 5, 6].map((n) => delivery(`d${n}`)));
  await add(store, ...[7, 8].map((n) => delivery(`d${n}`, { webhookId: 'w2' })));
  const times = { now: clock.now(), until: clock.now() };
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await sender.run(times);
  const to = (id: string): number => sent.filter(({ url }) => url.includes(id)).length;
  expect([to('w1'), to('w2')]).toEqual([4, 2]);
  resolve({ status: 200 });
  await sweep();
  await sweep();
  expect([to('w1'), await store.read.countPendingDeliveries()]).toEqual([6, 0]);
});

test('of two workers one sends each delivery', async () => {
  const dataDir = await openFolder();
  const clock = new ManualClock();
  const answer: Answer = () => new Promise((resolve) => setImmediate(resolve, { status: 200 }));
  const workers = [
    await openWorker(answer, { clock, dataDir }),
    await openWorker(answer, { clock, dataDir }),
  ] as const;
  const [{ store }] = workers;
  for (const id of ['w1', 'w2', 'w3']) await addWebhook(store, id);
  const all = Array.from({ length: 24 }, (_, n) =>
    delivery(`d${n}`, { webhookId: `w${(n % 3) + 1}` }),
  );
  await add(store, ...all);
  while ((await store.read.countPendingDeliveries()) > 0)
    await Promise.all(workers.map(({ sweep }) => sweep()));
  const sent = workers.flatMap((worker) => ids(worker.sent));
  expect(sent.toSorted()).toEqual(all.map(({ seq }) => `run:${seq}`).toSorted());
});

test('control: without the comparison of attempt and owner both send it', async () => {
  const dataDir = await openFolder();
  const clock = new ManualClock();
  const unclaimed = (store: Store): Store => ({
    ...store,
    workerId: store.workerId,
    write: (locks, work, options) =>
      store.write(
        locks,
        (sql) =>
          work({
            ...sql,
            claimDelivery: async ({ id, attempt }) => ({
              ...((await sql.delivery(id)) ?? delivery(id)),
              attempts: attempt,
              url: 'https://w1.test/',
              secret: 'whsec_c2VjcmV0',
              earlierSecrets: [],
            }),
          }),
        options,
      ),
  });
  const { promise: later, resolve } = Promise.withResolvers<WebhookOutcome>();
  const options = { clock, dataDir, change: unclaimed };
  const workers = [await openWorker(() => later, options), await openWorker(() => later, options)];
  const store = workers[0]?.store;
  if (store === undefined) throw new Error('no worker');
  await addWebhook(store);
  await add(store, delivery('d1'));
  const times = { now: clock.now(), until: clock.now() };
  for (const { sender } of workers) await sender.run(times);
  expect(workers.flatMap(({ sent }) => ids(sent))).toEqual(['run:1', 'run:1']);
  resolve({ status: 200 });
});

test('an attempt of a worker that ended is made again by another with the same id, and its late outcome changes nothing', async () => {
  const dataDir = await openFolder();
  const clock = new ManualClock();
  const { promise: later, resolve } = Promise.withResolvers<WebhookOutcome>();
  const frozen = await openWorker(() => later, { clock, dataDir });
  const other = await openWorker(() => ({ status: 200 }), { clock, dataDir });
  await addWebhook(other.store);
  await add(other.store, delivery('d1'));
  await frozen.sender.run({ now: clock.now(), until: clock.now() });
  await other.sweep();
  expect([ids(frozen.sent), ids(other.sent)]).toEqual([['run:1'], []]);
  await other.store.write({}, (sql) => sql.endWorker(frozen.store.workerId));
  await other.sweep();
  expect(ids(other.sent)).toEqual(['run:1']);
  resolve({ status: 500 });
  await frozen.sender.settled();
  expect(await other.store.read.delivery('d1')).toMatchObject({ state: 'delivered', attempts: 2 });
  expect(frozen.attempts).toEqual([]);
  await add(other.store, delivery('d2'));
  await frozen.sweep();
  expect(ids(frozen.sent)).toEqual(['run:1']);
});

test('the outcome of an attempt is kept until the store accepts it, and the attempt is not repeated', async () => {
  let isFull = false;
  const full = (store: Store): Store => ({
    ...store,
    workerId: store.workerId,
    write: (...parameters) =>
      isFull ? Promise.reject(new Error('the disk is full')) : store.write(...parameters),
  });
  const worker = await openWorker(
    () => {
      isFull = true;
      return { status: 200 };
    },
    { change: full },
  );
  const { store, sender, clock, sent, log } = worker;
  await addWebhook(store);
  await add(store, delivery('d1'));
  await sender.run({ now: clock.now(), until: clock.now() });
  while (clock.waits.length === 0) await new Promise((resolve) => void setImmediate(resolve));
  await sender.run({ now: clock.now(), until: clock.now() });
  isFull = false;
  clock.advance(5000);
  await sender.settled();
  expect(await store.read.delivery('d1')).toMatchObject({ state: 'delivered', attempts: 1 });
  expect(sent).toHaveLength(1);
  expect(log).toEqual([
    'the outcome of a webhook delivery could not be stored; storing it will be retried',
  ]);
});

test('a worker that closes ends its requests after a second, and another worker sends them at once', async () => {
  const dataDir = await openFolder();
  const clock = new ManualClock();
  const closing = await openWorker(() => new Promise<never>(() => undefined), { clock, dataDir });
  const other = await openWorker(() => ({ status: 200 }), { clock, dataDir });
  await addWebhook(other.store);
  await add(other.store, delivery('d1'));
  await closing.sender.run({ now: clock.now(), until: clock.now() });
  const closed = closing.sender.close();
  clock.advance(1000);
  await closed;
  await other.sweep();
  expect([ids(closing.sent), ids(other.sent)]).toEqual([['run:1'], ['run:1']]);
  expect(await other.store.read.delivery('d1')).toMatchObject({ state: 'delivered' });
});

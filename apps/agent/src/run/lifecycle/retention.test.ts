import { expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import type { WebhookDelivery } from '../../ports/store/webhook.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';
import { IN_SQLITE } from '../../store/testing/open-test-store.ts';
import { RETENTION_SWEEP_EVERY_MS, RetentionSweep, type RetentionDays } from './retention.ts';

const DAY_MS = 86_400_000;

interface Retained {
  readonly log: unknown[];
  readonly deleted: number[];
  readonly sweep: RetentionSweep;
  /** Advances the clock to the next sweep and lets it end. */
  readonly pass: (ms?: number) => Promise<void>;
}

function retain(
  { clock, opened }: Service,
  days: RetentionDays,
  store: Pick<Store, 'read' | 'write'> = opened,
): Retained {
  const log: unknown[] = [];
  const deleted: number[] = [];
  const keep = (message: string, fields?: unknown): number => log.push([message, fields]);
  const sweep = new RetentionSweep({
    clock,
    store,
    days,
    logger: { debug: keep, info: keep, warn: keep, error: keep },
    onDeleted: (runs) => deleted.push(runs),
  });
  sweep.start();
  onTestFinished(() => sweep.close());
  const pass = async (ms = RETENTION_SWEEP_EVERY_MS): Promise<void> => {
    clock.advance(ms);
    const isNext = (wait: number): boolean =>
      wait <= RETENTION_SWEEP_EVERY_MS && wait > RETENTION_SWEEP_EVERY_MS - 1000;
    while (!clock.waits.some(isNext)) {
      await new Promise((resolve) => void setImmediate(resolve));
      clock.advance(1);
    }
  };
  return { log, deleted, sweep, pass };
}

const openForCalls = (): Promise<Service> =>
  openService({
    script: callsThenAnswer([[{ name: 'r__read' }]]),
    tools: { r__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('read')) } },
  });

async function finish(service: Service, threadId?: string): Promise<string> {
  const { id } = await service.engine.createRun({
    prompt: 'go',
    ...(threadId === undefined ? {} : { threadId }),
  });
  await service.settled(id);
  return id;
}

test('a run is deleted with everything of it when its days are over, with one line in the log', async () => {
  const service = await openForCalls();
  const { read } = service;
  const { log, deleted, pass } = retain(service, { completed: 2 });
  const ids = [await finish(service), await finish(service)];
  await pass(DAY_MS);
  expect((await read.runs({ limit: 9 })).data).toHaveLength(2);
  const late = await finish(service);
  await pass(DAY_MS);
  expect((await read.runs({ limit: 9 })).data.map(({ id }) => id)).toEqual([late]);
  for (const id of ids) {
    expect(await read.run(id)).toBeUndefined();
    expect(await service.events(id)).toEqual([]);
    expect(await read.messages(id)).toEqual([]);
    expect(await read.toolCalls(id)).toEqual([]);
    expect(await read.epoch(id)).toBeUndefined();
  }
  expect(log).toEqual([['runs were deleted after their retention', { runs: 2 }]]);
  expect(deleted).toEqual([1, 1]);
});

test('statuses without days, runs that have not ended and threads with a recent run are kept', async () => {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'w__write' }]]),
    tools: { w__write: { call: () => Promise.resolve(ok('x')) } },
  });
  const { engine, read } = service;
  const { pass } = retain(service, { cancelled: 1 });
  const cancelled = await engine.createRun({ prompt: 'go' });
  await service.status(cancelled.id, 'input_required');
  await engine.cancelRun(cancelled.id);
  await service.settled(cancelled.id);
  const waiting = await engine.createRun({ prompt: 'go', limits: { inboxExpiryMs: 30 * DAY_MS } });
  await service.status(waiting.id, 'input_required');
  const { id: threadId } = await engine.createThread({ title: undefined, metadata: {} });
  const ofThread = await engine.createRun({ prompt: 'go', threadId });
  await service.status(ofThread.id, 'input_required');
  await engine.cancelRun(ofThread.id);
  await service.settled(ofThread.id);
  const next = await finish(service, threadId);
  await pass(DAY_MS);
  const kept = (await read.runs({ limit: 9 })).data.map(({ id }) => id).toSorted();
  expect(kept).toEqual([waiting.id, ofThread.id, next].toSorted());
  expect(await read.thread(threadId)).toMatchObject({ id: threadId });
});

test.runIf(IN_SQLITE)(
  'a deleted run is hidden at once, and its rows are deleted in several transactions',
  async () => {
    const service = await openForCalls();
    const { engine, read, store } = service;
    const id = await finish(service);
    const { id: other } = await engine.createThread({ title: undefined, metadata: {} });
    await store.write({}, async (sql) => {
      for (let count = 0; count < 30; count += 1)
        await sql.append(
          id,
          Array.from({ length: 100 }, () => ({ type: 'warning', data: { message: 'x' } })),
        );
    });
    const deleting = engine.deleteRun(id);
    const renaming = engine.updateThread(other, () => ({ title: 'between' }));
    await renaming;
    expect(await read.run(id)).toBeUndefined();
    expect(await read.events(id, { after: 0, limit: 1 })).toHaveLength(1);
    await deleting;
    expect(await read.events(id, { after: 0, limit: 1 })).toEqual([]);
    expect(await read.toolCalls(id)).toEqual([]);
  },
);

test('an upload without a run is deleted after a day, and one with a run stays', async () => {
  const service = await openForCalls();
  const { engine, read } = service;
  const { pass } = retain(service, {});
  const upload = () => engine.createArtifact({ mediaType: 'text/plain', content: 'x' });
  const [unused, given] = [await upload(), await upload()];
  const run = await engine.createRun({ prompt: 'go', artifacts: [given.id] });
  await service.settled(run.id);
  await pass(DAY_MS / 2);
  expect(await read.artifact(unused.id)).toBeDefined();
  await pass(DAY_MS);
  expect(await read.artifact(unused.id)).toBeUndefined();
  expect(await read.artifact(given.id)).toMatchObject({ text: 'x' });
  await engine.deleteRun(run.id);
  expect(await read.artifact(given.id)).toBeUndefined();
});

test('a sweep that ended in the middle is completed by the next process', async () => {
  const service = await openForCalls();
  const ids = [await finish(service), await finish(service)];
  service.clock.advance(2 * DAY_MS);
  let writes = 0;
  const dying: Pick<Store, 'read' | 'write'> = {
    read: service.opened.read,
    write: (locks, work, options) => {
      writes += 1;
      return writes <= 5
        ? service.opened.write(locks, work, options)
        : Promise.reject(new Error('no disk'));
    },
  };
  const first = retain(service, { completed: 1 }, dying);
  await first.pass();
  expect(first.log).toEqual([
    [expect.stringContaining('the next sweep continues'), expect.anything()],
  ]);
  await first.sweep.close();
  expect(await service.read.runs({ limit: 9 })).toMatchObject({ data: [] });
  expect(await service.events(ids[0] ?? '')).not.toEqual([]);
  await retain(service, {}).pass();
  for (const id of ids) expect(await service.events(id)).toEqual([]);
});

test('a sweep pauses between its transactions, and close ends it there', async () => {
  const service = await openForCalls();
  await finish(service);
  service.clock.advance(2 * DAY_MS);
  const { clock } = service;
  const { sweep } = retain(service, { completed: 1 });
  clock.advance(60_000);
  while (!clock.waits.includes(20)) await new Promise((resolve) => void setImmediate(resolve));
  await sweep.close();
  expect((await service.read.runs({ limit: 9 })).data).toHaveLength(1);
});

test('webhook deliveries are deleted a week after they ended, and pending ones are kept', async () => {
  const service = await openForCalls();
  const { store, clock, read } = service;
  const { pass } = retain(service, {});
  const delivery = (id: string, seq: number, finishedAt: number | undefined): WebhookDelivery => ({
    id,
    webhookId: 'w1',
    runId: 'r1',
    seq,
    type: 'run.completed',
    payload: '{}',
    state: finishedAt === undefined ? 'pending' : 'dead',
    attempts: 1,
    earlierAttempts: 0,
    nextAt: finishedAt === undefined ? 1 : undefined,
    owner: undefined,
    lastStatus: undefined,
    lastError: undefined,
    createdAt: 1,
    finishedAt,
  });
  await store.write({}, async (sql) => {
    await sql.insertDeliveries([
      delivery('old', 1, clock.now()),
      delivery('new', 2, clock.now() + DAY_MS),
      delivery('pending', 3, undefined),
    ]);
  });
  await pass(7 * DAY_MS);
  const left = await Promise.all(['old', 'new', 'pending'].map((id) => read.delivery(id)));
  expect(left.map((each) => each?.id)).toEqual([undefined, 'new', 'pending']);
});

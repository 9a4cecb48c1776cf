import { expect, test } from 'vitest';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { withRetriedWrites } from '../testing/retried-writes.ts';
import { openService, type Service, type ServiceOptions } from '../testing/service.ts';
import { WEBHOOK_EVENT_TYPES, type WebhookDelivery } from '../../ports/store/webhook.ts';

const SECRET_TEXT = 'a text of the user';

const options: ServiceOptions = {
  script: callsThenAnswer([[{ name: 'w__write', input: { text: SECRET_TEXT } }]], SECRET_TEXT),
  tools: { w__write: { annotations: READ_ONLY, call: () => Promise.resolve(ok(SECRET_TEXT)) } },
};

async function addWebhook(
  { store }: Service,
  id: string,
  eventTypes: typeof WEBHOOK_EVENT_TYPES | readonly ['run.completed'] = WEBHOOK_EVENT_TYPES,
): Promise<void> {
  await store.write({}, (sql) =>
    sql.insertWebhook({
      id,
      url: 'https://example.com',
      eventTypes,
      description: undefined,
      disabledAt: undefined,
      createdAt: 1,
      secret: 'whsec_c2VjcmV0',
    }),
  );
}

async function announced(
  { read }: Service,
  webhookId: string,
): Promise<readonly WebhookDelivery[]> {
  const { data } = await read.deliveries({ webhookId, limit: 99 });
  return data.toSorted((a, b) => a.seq - b.seq);
}

async function finish(service: Service): Promise<{ readonly id: string; readonly itemId: string }> {
  const { id } = await service.engine.createRun({ prompt: SECRET_TEXT });
  await service.status(id, 'input_required');
  const { id: itemId } = await service.item(id);
  await service.engine.respond(itemId, { action: 'approve' });
  await service.settled(id);
  return { id, itemId };
}

test('every event that a webhook announces is in its outbox when it is committed, also when the transaction is retried', async () => {
  const service = await openService({
    ...options,
    tools: { w__write: { call: () => Promise.resolve(ok(SECRET_TEXT)) } },
    changeStore: withRetriedWrites,
  });
  await addWebhook(service, 'all');
  await addWebhook(service, 'ends', ['run.completed']);
  const { id, itemId } = await finish(service);
  const types: readonly string[] = WEBHOOK_EVENT_TYPES;
  const events = (await service.events(id)).filter(({ type }) => types.includes(type));
  expect(events.map(({ type }) => type)).toEqual([
    'run.queued',
    'run.started',
    'inbox.opened',
    'run.input_required',
    'inbox.answered',
    'run.resumed',
    'run.completed',
  ]);
  const all = await announced(service, 'all');
  expect(all.map(({ seq, type }) => ({ seq, type }))).toEqual(
    events.map(({ seq, type }) => ({ seq, type })),
  );
  expect((await announced(service, 'ends')).map(({ type }) => type)).toEqual(['run.completed']);
  for (const [index, { payload }] of all.entries()) {
    const { type, seq, at } = events[index] ?? { type: '', seq: 0, at: 0 };
    expect(JSON.parse(payload)).toMatchObject({
      type,
      timestamp: new Date(at).toISOString(),
      data: { run_id: id, seq },
    });
    expect(payload).not.toContain(SECRET_TEXT);
  }
  expect(JSON.parse(all[2]?.payload ?? '')).toMatchObject({
    data: { kind: 'tool_approval', inbox_item_id: itemId },
  });
});

test('an event that is rolled back is not announced', async () => {
  const service = await openService({ ...options, maxQueuedRuns: 1 });
  await addWebhook(service, 'all');
  const failing = service.engine.createRun({ prompt: 'go' }, () =>
    Promise.reject(new Error('changed my mind')),
  );
  await expect(failing).rejects.toThrow('changed my mind');
  expect(await announced(service, 'all')).toEqual([]);
});

test('the code of an error is announced, and its text is not', async () => {
  const service = await openService({ ...options, script: callsThenAnswer([[{ name: 'x__y' }]]) });
  await addWebhook(service, 'all');
  const { id } = await service.engine.createRun({ prompt: 'go', limits: { turns: 1 } });
  const { status, error } = await service.settled(id);
  const last = (await announced(service, 'all')).at(-1);
  expect(last?.type).toBe(`run.${status}`);
  expect(JSON.parse(last?.payload ?? '')).toMatchObject({ data: { error_code: error?.code } });
  expect(last?.payload).not.toContain(error?.message);
});

import { expect, test } from 'vitest';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { openService } from '../run/testing/service.ts';
import { AddressGuard } from '@signalbox/mcp-core/http/addresses';
import { createWebhookCommands, MAX_WEBHOOKS } from '../webhooks/webhook-commands.ts';
import { createServiceEdge } from './testing/service-edge.ts';

interface WebhookView {
  readonly id: string;
  readonly secret?: string;
}

async function open() {
  const service = await openService({ script: callsThenAnswer([], 'done') });
  let count = 0;
  const webhooks = createWebhookCommands({
    store: service.store,
    guard: new AddressGuard({
      resolve: (host) =>
        host === 'example.com'
          ? Promise.resolve([{ address: '8.8.8.8', family: 4 }])
          : Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
    }),
    clock: service.clock,
    newId: () => `w${String((count += 1)).padStart(3, '0')}`,
  });
  const edge = await createServiceEdge(service, { webhooks });
  const create = (body: object = {}, headers: { readonly [name: string]: string } = {}) =>
    edge.request('POST', '/v1/webhooks', {
      body: { url: 'https://example.com/hook', ...body },
      headers,
    });
  return { service, edge, create };
}

test('the secret of a webhook is in the response that creates it, and in no other response or stored response', async () => {
  const { service, edge, create } = await open();
  const key = { 'idempotency-key': 'once' };
  const created = await create({ description: 'CI' }, key);
  const { secret, ...webhook } = created.json<WebhookView>();
  expect([created.statusCode, created.headers.location]).toEqual([201, '/v1/webhooks/w001']);
  expect(secret).toMatch(/^whsec_[\w+/=]{44}$/u);
  expect(webhook).toEqual({
    id: 'w001',
    url: 'https://example.com/hook',
    event_types: [
      'run.input_required',
      'run.completed',
      'run.failed',
      'run.cancelled',
      'run.expired',
    ],
    description: 'CI',
    state: 'enabled',
    created_at: new Date(service.clock.now()).toISOString(),
  });
  const repeated = await create({ description: 'CI' }, key);
  expect([repeated.headers['idempotent-replayed'], repeated.json()]).toEqual(['true', webhook]);
  expect((await edge.request('GET', '/v1/webhooks')).json()).toEqual({ data: [webhook] });
  expect((await edge.request('GET', '/v1/webhooks/w001')).json()).toEqual(webhook);
  const stored = await service.store.write({}, (sql) =>
    sql.claimKey({ principal: 'anonymous', key: 'once', requestSha256: '', owner: 'o' }),
  );
  expect(stored?.response?.body).toEqual(webhook);
});

test('a URL that is not allowed is refused with the reason', async () => {
  const { create } = await open();
  for (const [url, reason] of [
    ['https://127.0.0.1/', 'has an address that is not public'],
    ['http://example.com/', 'http:, which is allowed for loopback addresses only'],
    ['https://missing.test/', 'the host cannot be resolved (ENOTFOUND)'],
  ] as const)
    expect((await create({ url })).json()).toMatchObject({
      status: 400,
      code: 'webhook_url_refused',
      errors: [{ path: '/body/url', message: expect.stringContaining(reason) as string }],
    });
});

test('a webhook is changed in the given fields, unless it has changed since, and the audit has every change', async () => {
  const { edge, create } = await open();
  const { secret: _, ...before } = (await create({ description: 'CI' })).json<WebhookView>();
  const path = `/v1/webhooks/${before.id}`;
  const etag = String((await edge.request('GET', path)).headers['etag']);
  expect((await edge.request('GET', path, { headers: { 'if-none-match': etag } })).statusCode).toBe(
    304,
  );
  const patch = (body: object, headers: { readonly [name: string]: string } = {}) =>
    edge.request('PATCH', path, { body, headers });
  const changed = await patch(
    { url: 'https://example.com/other', event_types: ['run.failed', 'run.failed'] },
    { 'if-match': etag },
  );
  const other = { ...before, url: 'https://example.com/other', event_types: ['run.failed'] };
  expect(changed.json()).toEqual(other);
  const read = await edge.request('GET', path);
  expect([read.headers['etag'], read.json()]).toEqual([changed.headers['etag'], other]);
  for (const refused of [
    await patch({ enabled: false }, { 'if-match': etag }),
    await edge.request('DELETE', path, { headers: { 'if-match': etag } }),
  ])
    expect(refused.json()).toMatchObject({ status: 412, code: 'precondition_failed' });
  expect((await patch({ url: 'https://127.0.0.1/' })).json()).toMatchObject({
    status: 400,
    code: 'webhook_url_refused',
  });
  const { description: __, ...bare } = other as typeof other & { readonly description: string };
  expect((await patch({ description: null })).json()).toEqual(bare);
  expect((await edge.request('POST', `${path}/rotate-secret`)).statusCode).toBe(200);
  expect((await edge.request('DELETE', path)).statusCode).toBe(204);
  const { data } = (await edge.request('GET', '/v1/audit')).json<{ data: readonly object[] }>();
  expect(data).toEqual(
    ['created', 'changed', 'changed', 'secret_rotated', 'deleted'].map((decision, index) => ({
      seq: index + 1,
      at: expect.any(String) as string,
      who: 'person',
      kind: 'webhook',
      webhook_id: before.id,
      decision,
    })),
  );
});

test('a webhook that a client disables gets nothing more, and announces events again when it is enabled', async () => {
  const { service, edge, create } = await open();
  const { id } = (await create()).json<WebhookView>();
  const path = `/v1/webhooks/${id}`;
  const finish = async (): Promise<void> => {
    const run = await service.engine.createRun({ prompt: 'go' });
    await service.settled(run.id);
  };
  const states = async () =>
    (await edge.request('GET', `${path}/deliveries`))
      .json<{ data: readonly { readonly state: string; readonly last_error?: string }[] }>()
      .data.map(({ state, last_error: error }) => ({ state, error }));
  await finish();
  const disabled = await edge.request('PATCH', path, { body: { enabled: false } });
  expect(disabled.json()).toMatchObject({
    state: 'disabled',
    disabled_at: expect.any(String) as string,
  });
  const dead = { state: 'dead', error: 'the webhook was disabled' };
  expect(await states()).toEqual([dead]);
  await finish();
  expect(await states()).toEqual([dead]);
  const enabled = await edge.request('PATCH', path, { body: { enabled: true } });
  expect(enabled.json()).toMatchObject({ state: 'enabled' });
  expect(enabled.json()).not.toHaveProperty('disabled_at');
  await finish();
  expect(await states()).toEqual([{ state: 'pending', error: undefined }, dead]);
});

test('a new secret is returned once, and the stored response of a repeated request has none', async () => {
  const { edge, create } = await open();
  const { secret: first, ...webhook } = (await create()).json<WebhookView>();
  const rotate = (body: object) =>
    edge.request('POST', `/v1/webhooks/${webhook.id}/rotate-secret`, {
      body,
      headers: { 'idempotency-key': 'once' },
    });
  const rotated = (await rotate({ overlap_seconds: 60 })).json<WebhookView>();
  expect(rotated).toEqual({ ...webhook, secret: expect.stringMatching(/^whsec_/u) as string });
  expect(rotated.secret).not.toBe(first);
  expect((await rotate({ overlap_seconds: 60 })).json()).toEqual(webhook);
});

test('deliveries are listed with their state, and an ended delivery can be sent again', async () => {
  const { service, edge, create } = await open();
  const { id } = (await create()).json<WebhookView>();
  const run = await service.engine.createRun({ prompt: 'go' });
  await service.settled(run.id);
  const path = `/v1/webhooks/${id}/deliveries`;
  const list = async (query = '') =>
    (await edge.request('GET', path + query)).json<{ data: readonly { readonly id: string }[] }>();
  const [pending] = (await list()).data;
  const lastSeq = (await service.read.run(run.id))?.lastSeq ?? 0;
  expect(pending).toMatchObject({
    webhook_id: id,
    event_id: `${run.id}:${lastSeq}`,
    run_id: run.id,
    seq: lastSeq,
    type: 'run.completed',
    state: 'pending',
    attempts: 0,
    next_attempt_at: expect.any(String) as string,
  });
  const deliveryId = pending?.id ?? '';
  const resend = () => edge.request('POST', `${path}/${deliveryId}/resend`);
  expect((await resend()).json()).toMatchObject({ status: 409, code: 'delivery_pending' });
  const owner = service.store.workerId;
  await service.store.write({}, async (sql) => {
    await sql.claimDelivery({ id: deliveryId, owner, attempt: 1 });
    await sql.settleDelivery(
      { id: deliveryId, owner, attempt: 1 },
      { state: 'dead', nextAt: undefined, lastStatus: 500, lastError: 'bad', finishedAt: 5 },
    );
  });
  expect((await list('?state=dead')).data).toMatchObject([
    { id: deliveryId, state: 'dead', last_status: 500, last_error: 'bad' },
  ]);
  expect((await resend()).json()).toMatchObject({ id: deliveryId, state: 'pending', attempts: 1 });
  expect((await list('?state=dead')).data).toEqual([]);

  await service.store.write({}, (sql) => sql.disableWebhook(id, 'gone', 9));
  expect((await resend()).json()).toMatchObject({ status: 409, code: 'webhook_disabled' });
  expect((await edge.request('GET', `/v1/webhooks/${id}`)).json()).toMatchObject({
    state: 'disabled',
    disabled_at: '1970-01-01T00:00:00.009Z',
  });
  expect((await edge.request('DELETE', `/v1/webhooks/${id}`)).statusCode).toBe(204);
  expect((await edge.request('GET', path)).json()).toMatchObject({ code: 'webhook_not_found' });
});

test(`a webhook beyond ${MAX_WEBHOOKS} is refused`, async () => {
  const { service, create } = await open();
  await service.store.write({}, async (sql) => {
    for (let count = 0; count < MAX_WEBHOOKS; count += 1)
      await sql.insertWebhook({
        id: String(count),
        url: 'https://example.com',
        eventTypes: ['run.completed'],
        description: undefined,
        disabledAt: undefined,
        createdAt: 1,
        secret: 'whsec_c2VjcmV0',
      });
  });
  expect((await create()).json()).toMatchObject({ status: 409, code: 'too_many_webhooks' });
});

import { expect, test } from 'vitest';
import type { KeyLimits } from '../ports/api-key.ts';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge } from './testing/service-edge.ts';

const KEYS = [
  { name: 'ci', token: 'token-of-ci' },
  { name: 'batch', token: 'token-of-batch' },
];

async function open(keyLimits: (apiKey: string) => KeyLimits = () => ({})) {
  const service = await openService({ script: () => ({ text: 'done' }), keyLimits });
  const edge = await createServiceEdge(service, { keys: KEYS });
  const request: typeof edge.request = (...args) => edge.request(...args);
  const start = (token: string, headers: { readonly [name: string]: string } = {}) =>
    request('POST', '/v1/runs', {
      body: { prompt: 'go', priority: 'high' },
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  return { service, request, start };
}

test('a run belongs to the API key of its request, and so does its fork', async () => {
  const { service, request, start } = await open();
  const run = (await start('token-of-ci')).json<{ id: string }>();
  expect(run).toMatchObject({ api_key: 'ci', priority: 'high' });
  await service.settled(run.id);
  const fork = await request('POST', `/v1/runs/${run.id}/fork`, {
    body: { at_turn: 0 },
    headers: { authorization: 'Bearer token-of-batch' },
  });
  expect(fork.json()).toMatchObject({ api_key: 'batch', priority: 'high' });
});

test('a schedule belongs to the API key of its request, also after another key changed it', async () => {
  const { service, request } = await open();
  const created = await request('POST', '/v1/schedules', {
    body: { cron: '@daily', run: { prompt: 'go' } },
    headers: { authorization: 'Bearer token-of-ci' },
  });
  const { id } = created.json<{ id: string }>();
  expect(created.json()).toMatchObject({ api_key: 'ci' });
  const changed = await request('PATCH', `/v1/schedules/${id}`, {
    body: { name: 'daily' },
    headers: { authorization: 'Bearer token-of-batch' },
  });
  expect(changed.json()).toMatchObject({ api_key: 'ci', name: 'daily' });
  expect(await service.read.schedule(id)).toMatchObject({ apiKey: 'ci', name: 'daily' });
});

test('a request needs the token of a key', async () => {
  const { start } = await open();
  expect((await start('another')).statusCode).toBe(401);
});

test('each API key has idempotency keys of its own', async () => {
  const { start } = await open();
  const headers = { 'idempotency-key': 'once' };
  const ids: string[] = [];
  for (const token of ['token-of-ci', 'token-of-ci', 'token-of-batch'])
    ids.push((await start(token, headers)).json<{ id: string }>().id);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
});

test('a key over its rate is answered with 429 and the seconds until the next run is accepted', async () => {
  const { service, start } = await open((apiKey) => (apiKey === 'ci' ? { runsPerMinute: 1 } : {}));
  expect((await start('token-of-ci')).statusCode).toBe(202);
  service.clock.advance(15_500);
  const refused = await start('token-of-ci');
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['retry-after']).toBe('45');
  expect(refused.json()).toMatchObject({ code: 'run_rate_exceeded', retryable: true });
  expect((await start('token-of-batch')).statusCode).toBe(202);
});

import { expect, onTestFinished, test } from 'vitest';
import type { LoggedRequest } from '../metrics/observation.ts';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge } from './testing/service-edge.ts';

test('/readyz needs no token and is 200 between the start and the close of the service, else 503', async () => {
  const service = await openService({ script: () => ({ text: 'done' }) });
  for (const [phase, status] of [
    ['starting', 503],
    ['ready', 200],
    ['closing', 503],
  ] as const) {
    const edge = await createServiceEdge(service, { token: 'secret', phase });
    const response = await edge.request('GET', '/readyz');
    expect([
      response.statusCode,
      response.headers['retry-after'],
      response.json<{ code?: string; status: unknown }>().code,
    ]).toEqual(status === 200 ? [200, undefined, undefined] : [503, '1', 'not_ready']);
  }
});

test('a service with an unreadable store is not ready', async () => {
  const service = await openService({ script: () => ({ text: 'done' }) });
  const edge = await createServiceEdge(service, {
    read: { ...service.read, run: () => Promise.reject(new Error('disk I/O error')) },
  });
  const response = await edge.request('GET', '/readyz');
  expect([response.statusCode, response.json()]).toEqual([
    503,
    expect.objectContaining({ code: 'not_ready', detail: 'the store cannot be read' }),
  ]);
});

test.each([
  ['read', 'the store could not be read within 3 seconds'],
  ['written', 'the store could not be written within 3 seconds'],
])(
  '/readyz says within 3 seconds that a store cannot be %s whose tables are locked, and asks it once',
  async (what, detail) => {
    const service = await openService({ script: () => ({ text: 'done' }) });
    let asked = 0;
    const stuck = (): Promise<never> => {
      asked += 1;
      return new Promise(() => undefined);
    };
    const edge = await createServiceEdge(
      service,
      what === 'read'
        ? { read: { ...service.read, run: stuck } }
        : { store: { ...service.store, probe: stuck } },
    );
    for (let request = 0; request < 3; request += 1) {
      const responding = edge.request('GET', '/readyz');
      await expect.poll(() => asked).toBe(1);
      let response: Awaited<typeof responding> | undefined;
      void responding.then((ended) => (response = ended));
      await expect
        .poll(
          () => {
            if (response === undefined) service.clock.advance(1000);
            return response;
          },
          { timeout: 2000 },
        )
        .toBeDefined();
      expect(response?.json()).toMatchObject({ status: 503, code: 'not_ready', detail });
    }
    expect(asked).toBe(1);
  },
);

test.each([
  [true, 'ready'],
  [false, 'unreachable'],
])(
  '/readyz says whether Redis answers (%s), and the service is ready in both cases',
  async (isUp, redis) => {
    const service = await openService({ script: () => ({ text: 'done' }) });
    const edge = await createServiceEdge(service, { redis: { isUp: async () => isUp } });
    const response = await edge.request('GET', '/readyz');
    expect([response.statusCode, response.json()]).toEqual([200, { status: 'ready', redis }]);
  },
);

test('metrics require the token and have the Prometheus format', async () => {
  const service = await openService({ script: () => ({ text: 'done' }) });
  const edge = await createServiceEdge(service, { token: 'secret' });
  expect((await edge.request('GET', '/metrics')).statusCode).toBe(401);
  const response = await edge.request('GET', '/metrics', {
    headers: { authorization: 'Bearer secret' },
  });
  expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  for (const line of response.body.trimEnd().split('\n'))
    expect(line).toMatch(
      /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{\w+="[^"]*"(?:,\w+="[^"]*")*\})? [\d.e+-]+)$/,
    );
});

test('each request is logged with its route and run, without its path and query values', async () => {
  const told: LoggedRequest[] = [];
  const service = await openService({ script: () => ({ text: 'done' }) });
  const edge = await createServiceEdge(service, { onServed: (request) => told.push(request) });
  onTestFinished(() => edge.app.close());
  const base = await edge.app.listen({ port: 0, host: '127.0.0.1' });
  const send = async (path: string, init: RequestInit = {}): Promise<string> =>
    (await fetch(`${base}${path}`, init)).text();
  const json = { 'content-type': 'application/json' };
  const { id } = JSON.parse(
    await send('/v1/runs', { method: 'POST', headers: json, body: '{"prompt":"go"}' }),
  ) as { id: string };
  await service.settled(id);
  await send(`/v1/runs/${id}/events`, { headers: { accept: 'text/event-stream' } });
  await send('/v1/inbox?run_id=private');
  await send('/v1/nothing/private');
  await send('/v1/runs', { method: 'POST', headers: json, body: '{}' });
  await expect.poll(() => told.length).toBe(5);
  expect(
    told.map(({ method, route, status, runId, isStream }) => [
      method,
      route,
      status,
      runId,
      isStream,
    ]),
  ).toEqual([
    ['POST', '/v1/runs', 202, id, false],
    ['GET', '/v1/runs/:id/events', 200, id, true],
    ['GET', '/v1/inbox', 200, undefined, false],
    ['GET', 'none', 404, undefined, false],
    ['POST', '/v1/runs', 400, undefined, false],
  ]);
});

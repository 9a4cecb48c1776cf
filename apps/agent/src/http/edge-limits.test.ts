import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { StorageError } from '../ports/store/errors.ts';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { openService } from '../run/testing/service.ts';
import { connectionLimits } from './connection-limits.ts';
import type { FailedRequest } from './request-id.ts';
import { createServiceEdge, type EdgeOptions, type ServiceEdge } from './testing/service-edge.ts';
import { FREE_ATTEMPTS, MAX_WAITING, SLOW_MS } from './token-attempts.ts';

const script = () => ({ text: 'done' });
const HALF_A_POST =
  'POST /v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n';

async function listen(options: EdgeOptions = {}): Promise<{
  readonly edge: ServiceEdge;
  readonly url: string;
  readonly open: (text: string) => Promise<Socket>;
}> {
  const service = await openService({ script });
  const edge = await createServiceEdge(service, options);
  const url = await edge.app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => edge.app.close());
  const open = async (text: string): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };
  return { edge, url, open };
}

async function connectionsOf({ app: { server } }: ServiceEdge): Promise<number> {
  return promisify(server.getConnections.bind(server))();
}

async function answerOf(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
  });
  await once(socket, 'close');
  return text;
}

test('a request without the token is answered before its body, and its connection is closed', async () => {
  const { open } = await listen({ token: 'secret' });
  const answer = await answerOf(await open(`${HALF_A_POST}\r\n{`));
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  expect(answer).toMatch(/connection: close/i);
  expect(answer).toMatch(/www-authenticate: Bearer/i);
});

test.each([
  [
    'a body that does not come, with the token',
    `${HALF_A_POST}authorization: Bearer secret\r\n\r\n{`,
  ],
  ['a head that does not end', 'GET /v1/runs HTTP/1.1\r\nhost: localhost\r\n'],
])('the service does not wait for %s', async (_title, text) => {
  const { open } = await listen({ token: 'secret', requestTimeoutMs: 300 });
  expect(await answerOf(await open(text))).toMatch(/^HTTP\/1\.1 408 /);
});

test('connections and streams are bounded by the descriptors of the process, half of which stay free for other uses', () => {
  expect(connectionLimits(96)).toEqual({ connections: 48, streams: 24 });
  expect(connectionLimits(1024)).toEqual({ connections: 512, streams: 256 });
  expect(connectionLimits(1_048_576)).toEqual({ connections: 8192, streams: 4096 });
  expect(connectionLimits().connections).toBeGreaterThan(0);
});

test('connections over the limit are closed', async () => {
  const { open, edge } = await listen({ limits: { connections: 2, streams: 1 } });
  await open('');
  await open('');
  await expect.poll(() => connectionsOf(edge)).toBe(2);
  const third = await open('');
  expect(await answerOf(third)).toBe('');
});

test('a stream over the limit is refused with 429 and starts no run; a stream that ends frees its slot', async () => {
  const { url } = await listen({ limits: { connections: 100, streams: 0 } });
  const start = {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: '{"prompt":"go"}',
  };
  const refused = await fetch(`${url}/v1/runs`, start);
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
    429,
    '1',
    expect.objectContaining({ code: 'too_many_streams', retryable: true }),
  ]);
  expect(await (await fetch(`${url}/v1/runs`)).json()).toEqual({ data: [] });

  const roomy = await listen({ limits: { connections: 100, streams: 1 } });
  for (let time = 0; time < 3; time += 1) {
    const response = await fetch(`${roomy.url}/v1/runs`, start);
    expect(response.status).toBe(200);
    await response.text();
  }
});

test('a stream over the limit of its run is refused with 429, and streams of other runs are not', async () => {
  const service = await openService({ script, isStarted: false });
  const edge = await createServiceEdge(service, { admission: { streams: 3, streamsPerRun: 1 } });
  const url = await edge.app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => edge.app.close());
  const [first, second] = [
    await service.engine.createRun({ prompt: '1' }),
    await service.engine.createRun({ prompt: '2' }),
  ];
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const stream = (id: string): Promise<Response> =>
    fetch(`${url}/v1/runs/${id}/events`, {
      headers: { accept: 'text/event-stream' },
      signal: leaving.signal,
    });
  expect((await stream(first.id)).status).toBe(200);
  expect((await stream(second.id)).status).toBe(200);
  const refused = await stream(first.id);
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
    429,
    '1',
    expect.objectContaining({
      code: 'too_many_streams',
      detail: expect.stringContaining(
        'max_streams_per_run of the configuration allows 1',
      ) as unknown,
    }),
  ]);
  expect((await edge.request('GET', `/v1/runs/${first.id}/events`)).statusCode).toBe(200);
  expect(await (await fetch(`${url}/metrics`)).text()).toContain(
    'signalbox_requests_refused_total{code="too_many_streams"} 1',
  );
});

test('a body over the limit of bodies in transfer is refused with 429 before it is read; a body that ends frees its bytes', async () => {
  const { open, edge } = await listen({ admission: { pendingBodyBytes: 1500 } });
  const slow = await open(`${HALF_A_POST}\r\n{`);
  await expect.poll(() => connectionsOf(edge)).toBe(1);
  const body = { prompt: 'p'.repeat(600) };
  await expect
    .poll(async () => (await edge.request('POST', '/v1/runs', { body })).statusCode)
    .toBe(429);
  const refused = await answerOf(await open(`${HALF_A_POST}\r\n`));
  expect(refused).toMatch(/^HTTP\/1\.1 429 /);
  expect(refused).toMatch(/retry-after: 1/i);
  expect(refused).toContain('"code":"too_many_bodies"');
  expect((await edge.request('POST', '/v1/runs', { body: { prompt: 'short' } })).statusCode).toBe(
    202,
  );
  slow.destroy();
  await expect
    .poll(async () => (await edge.request('POST', '/v1/runs', { body })).statusCode)
    .toBe(202);
  for (let count = 0; count < 3; count += 1)
    expect((await edge.request('POST', '/v1/runs', { body })).statusCode).toBe(202);
});

test('requests with wrong tokens from one address are delayed, and too many at once are refused; the right token still works', async () => {
  const clock = new ManualClock();
  const { edge } = await listen({ token: 'secret', clock });
  const send = async (token: string): Promise<number> =>
    (await edge.request('GET', '/v1/runs', { headers: { authorization: `Bearer ${token}` } }))
      .statusCode;
  for (let attempt = 0; attempt < FREE_ATTEMPTS; attempt += 1)
    expect(await send(`guess-${attempt}`)).toBe(401);

  const waiting = Array.from({ length: MAX_WAITING }, (_, index) =>
    send(index === 3 ? 'secret' : 'wrong'),
  );
  const refused = await edge.request('GET', '/v1/runs', {
    headers: { authorization: 'Bearer wrong' },
  });
  expect([refused.statusCode, refused.headers['retry-after'], refused.json()]).toEqual([
    429,
    '1',
    expect.objectContaining({ code: 'too_many_attempts', retryable: true }),
  ]);
  clock.advance(MAX_WAITING * SLOW_MS);
  expect(await Promise.all(waiting)).toEqual(
    Array.from({ length: MAX_WAITING }, (_, index) => (index === 3 ? 200 : 401)),
  );
});

test('every response, including streams, has a request id and forbids content type sniffing', async () => {
  const { url } = await listen();
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'x-request-id': 'mine.1',
  };
  const stream = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers,
    body: '{"prompt":"go"}',
  });
  const missing = await fetch(`${url}/v1/runs/none`);
  for (const { headers: given } of [stream, missing])
    expect(given.get('x-content-type-options')).toBe('nosniff');
  expect(stream.headers.get('x-request-id')).toBe('mine.1');
  expect(await missing.json()).toMatchObject({ request_id: missing.headers.get('x-request-id') });
  const odd = await fetch(`${url}/healthz`, { headers: { 'x-request-id': 'a b"c' } });
  expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('without the token /healthz returns only the status', async () => {
  const { edge } = await listen({ token: 'secret' });
  expect((await edge.request('GET', '/healthz')).json()).toEqual({ status: 'ok' });
  expect(
    (await edge.request('GET', '/healthz', { headers: { authorization: 'Bearer secret' } })).json(),
  ).toMatchObject({ status: 'ok', version: '1.2.3' });
});

test('a failure is logged without the query of its request, and a client that disconnects is not a failure', async () => {
  const failures: FailedRequest[] = [];
  const service = await openService({ script: callsThenAnswer([], 'done') });
  const edge = await createServiceEdge(service, {
    read: { ...service.read, runs: () => Promise.reject(new Error('broken')) },
    onError: (_error, request) => failures.push(request),
  });
  const url = await edge.app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => edge.app.close());

  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`${HALF_A_POST}\r\n{`);
  await expect.poll(() => connectionsOf(edge)).toBe(1);
  socket.destroy();
  await expect.poll(() => connectionsOf(edge)).toBe(0);
  expect((await edge.request('GET', '/v1/runs?limit=7')).statusCode).toBe(500);
  expect(failures).toEqual([
    { method: 'GET', path: '/v1/runs', requestId: expect.any(String) as string },
  ]);
});

test('a worker that lost its lease still accepts a run', async () => {
  const service = await openService({ script });
  const edge = await createServiceEdge(service);
  const { opened } = service;
  await opened.write({}, (sql) => sql.endWorker(opened.workerId));
  const accepted = await edge.request('POST', '/v1/runs', { body: { prompt: 'go' } });
  expect(accepted.statusCode).toBe(202);
});

test('with a full disk or a removed database the service reports the cause and accepts no run', async () => {
  const service = await openService({ script });
  const full = new StorageError('full', 'the disk of the data directory is full');
  const lost = new StorageError('lost', 'the database file was removed');
  const fullEdge = await createServiceEdge(service, {
    store: { ...service.store, probe: () => Promise.reject(full) },
    engine: { createRun: () => Promise.reject(full) },
  });
  const lostEdge = await createServiceEdge(service, {
    store: {
      ...service.store,
      probe: () => Promise.reject(lost),
      checkFiles: () => {
        throw lost;
      },
    },
  });
  for (const [edge, code] of [
    [fullEdge, 'storage_full'],
    [lostEdge, 'storage_lost'],
  ] as const) {
    for (const response of [
      await edge.request('GET', '/readyz'),
      await edge.request('POST', '/v1/runs', { body: { prompt: 'go' } }),
    ]) {
      expect([response.statusCode, response.headers['retry-after'], response.json()]).toEqual([
        503,
        '1',
        expect.objectContaining({ code, retryable: true }),
      ]);
    }
  }
  expect((await lostEdge.request('GET', '/v1/runs')).json()).toEqual({ data: [] });
});

import { once } from 'node:events';
import {
  get as httpGet,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Run } from '../ports/store/run.ts';
import { queuedRun } from '../ports/testing/queued-run.ts';
import { createTestEdge, type TestEdge } from './testing.ts';

interface Frame {
  readonly id?: string;
  readonly event: string;
  readonly data: { readonly [key: string]: unknown };
}

let edge: TestEdge;
let base: string;
beforeEach(async () => {
  edge = await createTestEdge();
  await edge.app.listen({ port: 0, host: '127.0.0.1' });
  base = `http://127.0.0.1:${(edge.app.server.address() as AddressInfo).port}`;
  await edge.app.inject({
    method: 'POST',
    url: '/v1/runs',
    payload: { prompt: 'a' },
    headers: { host: 'localhost' },
  });
});
afterEach(async () => edge.close());

async function open(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const request = httpGet(`${base}${path}`, {
    headers: { accept: 'text/event-stream', ...headers },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response.setEncoding('utf8');
}

async function* frames(response: IncomingMessage): AsyncGenerator<Frame, void> {
  let rest = '';
  for await (const chunk of response) {
    const parts = (rest + String(chunk)).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const fields = Object.fromEntries(
        part
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      if (fields['event'] === undefined) continue;
      yield {
        ...(fields['id'] === undefined ? {} : { id: fields['id'] }),
        event: fields['event'],
        data: JSON.parse(fields['data'] ?? '') as Frame['data'],
      };
    }
  }
}

async function take(stream: AsyncGenerator<Frame, void>, count: number): Promise<Frame[]> {
  const taken: Frame[] = [];
  while (taken.length < count) {
    const next = await stream.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

test('a stream begins with a snapshot without an id, then every event, and ends when the run is settled', async () => {
  const response = await open('/v1/runs/run-1/events');
  expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  const stream = frames(response);
  const [snapshot, queued] = await take(stream, 2);
  expect(snapshot).toMatchObject({
    event: 'run.snapshot',
    data: { run: { id: 'run-1', status: 'queued' } },
  });
  expect(snapshot).not.toHaveProperty('id');
  expect(queued).toMatchObject({ id: '1', event: 'run.queued', data: { seq: 1 } });

  await edge.append('run-1', ['run.started']);
  await edge.append('run-1', ['message.completed', 'run.completed'], {
    status: 'completed',
    answer: 'done',
  });
  expect((await take(stream, 99)).map((frame) => [frame.id, frame.event])).toEqual([
    ['2', 'run.started'],
    ['3', 'message.completed'],
    ['4', 'run.completed'],
  ]);
});

test('a reconnecting client misses no event and receives no event twice', async () => {
  await edge.append('run-1', ['run.started', 'turn.started']);
  const first = await open('/v1/runs/run-1/events');
  expect((await take(frames(first), 3)).map((frame) => frame.id)).toEqual([undefined, '1', '2']);
  first.destroy();

  await edge.append('run-1', ['run.completed'], { status: 'completed' });
  const second = await open('/v1/runs/run-1/events', { 'last-event-id': '2' });
  expect((await take(frames(second), 99)).map((frame) => frame.id)).toEqual([undefined, '3', '4']);
});

test('a reader that names types gets their events and the event that ends the run, as a stream and as pages', async () => {
  await edge.append('run-1', ['run.started', 'turn.started', 'message.completed']);
  await edge.append('run-1', ['run.completed', 'turn.started'], { status: 'completed' });
  const types = 'types=run.started,message.completed';
  const response = await open(`/v1/runs/run-1/events?${types}`);
  expect((await take(frames(response), 99)).map(({ id, event }) => [id, event])).toEqual([
    [undefined, 'run.snapshot'],
    ['2', 'run.started'],
    ['4', 'message.completed'],
    ['5', 'run.completed'],
  ]);
  const again = await open(`/v1/runs/run-1/events?${types}`, { 'last-event-id': '5' });
  expect(again.statusCode).toBe(204);
  const page = await edge.app.inject({
    url: `/v1/runs/run-1/events?${types}&limit=3`,
    headers: { host: 'localhost' },
  });
  expect(page.json()).toMatchObject({ data: [{ seq: 2 }], next_cursor: '3' });
});

test('a type that no event has is refused with the known types', async () => {
  const response = await edge.app.inject({
    url: '/v1/runs/run-1/events?types=run.started,run.begun',
    headers: { host: 'localhost' },
  });
  expect([response.statusCode, response.body]).toEqual([
    400,
    expect.stringContaining('run.started'),
  ]);
});

test('a reconnect after the last event of a settled run gets 204, which ends reconnecting', async () => {
  await edge.append('run-1', ['run.completed'], { status: 'completed' });
  expect((await open('/v1/runs/run-1/events', { 'last-event-id': '2' })).statusCode).toBe(204);
  expect(
    (await take(frames(await open('/v1/runs/run-1/events')), 99)).map((frame) => frame.id),
  ).toEqual([undefined, '1', '2']);
});

test('a stream begins with its reconnection time, sent once', async () => {
  await edge.append('run-1', ['run.completed'], { status: 'completed' });
  const response = await open('/v1/runs/run-1/events');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  expect(text).toMatch(/^retry: 1000\n\n/);
  expect(text.match(/^retry:/gm)).toHaveLength(1);
});

test('a Last-Event-ID beyond the last event is refused, whether or not the run is settled, because the client would miss events', async () => {
  expect((await open('/v1/runs/run-1/events', { 'last-event-id': '2' })).statusCode).toBe(400);
  expect((await open('/v1/runs/run-1/events?after=2')).statusCode).toBe(400);
  await edge.append('run-1', ['run.completed'], { status: 'completed' });
  expect((await open('/v1/runs/run-1/events', { 'last-event-id': '3' })).statusCode).toBe(400);
});

test('disconnected readers leave no listener behind', async () => {
  for (let cycle = 0; cycle < 50; cycle += 1) {
    const responses = await Promise.all([1, 2, 3, 4].map(() => open('/v1/runs/run-1/events')));
    expect(edge.listeners()).toBeGreaterThanOrEqual(4);
    for (const response of responses) response.destroy();
  }
  await expect.poll(() => edge.listeners()).toBe(0);
});

test('a reader that disconnects before its stream begins leaves no listener behind', async () => {
  await edge.close();
  const asked = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<Run>();
  edge = await createTestEdge({}, { createRun: () => (asked.resolve(), stored.promise) });
  await edge.app.listen({ port: 0, host: '127.0.0.1' });
  const closed = new Promise<void>((resolve) => {
    edge.app.server.on('request', (_request, response: ServerResponse) =>
      response.once('close', resolve),
    );
  });
  const request = httpRequest({
    port: (edge.app.server.address() as AddressInfo).port,
    method: 'POST',
    path: '/v1/runs',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
  });
  request.on('error', () => undefined);
  request.end('{"prompt":"b"}');
  await asked.promise;
  request.destroy();
  await closed;
  const run = queuedRun('run-2');
  await edge.store.write({}, (sql) => sql.insertRun(run));
  const followed = new Promise<void>((resolve) => {
    const subscribe = edge.bus.subscribe.bind(edge.bus);
    edge.bus.subscribe = (topic, listener) => {
      const unsubscribe = subscribe(topic, listener);
      return () => (unsubscribe(), resolve());
    };
  });
  stored.resolve(run);
  await followed;
  expect(edge.listeners()).toBe(0);
});

test('HEAD of a stream ends', async () => {
  const request = httpRequest(`${base}/v1/runs/run-1/events`, {
    method: 'HEAD',
    headers: { accept: 'text/event-stream' },
  });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  expect(response.statusCode).toBe(200);
  expect(edge.listeners()).toBe(0);
});

test('a stream that fails is logged and closed, so that its reader reconnects', async () => {
  const broken = new Error('disk I/O error');
  edge.store.read.events = () => Promise.reject(broken);
  const response = await open('/v1/runs/run-1/events');
  await expect(take(frames(response), 99)).rejects.toThrow('aborted');
  expect(edge.errors).toEqual([broken]);
  expect(edge.listeners()).toBe(0);
});

test('a Last-Event-ID that is no event id is refused', async () => {
  const response = await open('/v1/runs/run-1/events', { 'last-event-id': 'x' });
  expect(response.statusCode).toBe(400);
});

test('deltas carry an offset but no id, and come before their message is completed', async () => {
  const stream = frames(await open('/v1/runs/run-1/events'));
  await take(stream, 2);
  const delta = (offset: number, text: string) =>
    edge.bus.publish({
      type: 'delta',
      runId: 'run-1',
      messageId: 'm1',
      kind: 'text',
      offset,
      text,
    });
  delta(0, 'Hel');
  delta(3, 'lo');
  await edge.append('run-1', ['message.completed', 'run.completed'], { status: 'completed' });
  const rest = await take(stream, 99);
  const deltas = rest.filter((frame) => frame.event === 'message.delta');
  expect(deltas.map((frame) => frame.data['text']).join('')).toBe('Hello');
  expect(deltas[0]).toMatchObject({ data: { message_id: 'm1', kind: 'text', offset: 0 } });
  expect(deltas.some((frame) => 'id' in frame)).toBe(false);
  expect(rest.map((frame) => frame.event).indexOf('message.completed')).toBeGreaterThan(
    rest.findLastIndex((frame) => frame.event === 'message.delta'),
  );
});

test('the snapshot carries the text so far of an unfinished message', async () => {
  await edge.store.write({}, async (transaction) =>
    transaction.savePartial('run-1', { messageId: 'm1', text: 'Hel' }),
  );
  const [snapshot] = await take(frames(await open('/v1/runs/run-1/events')), 1);
  expect(snapshot?.data['partial']).toEqual({ message_id: 'm1', text: 'Hel' });
});

test('the request that starts a run can stream its events', async () => {
  const request = httpRequest(`${base}/v1/runs`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
  });
  request.end('{"prompt":"b"}');
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.headers.location).toBe('/v1/runs/run-2');
  const stream = frames(response.setEncoding('utf8'));
  expect((await take(stream, 2)).map((frame) => frame.event)).toEqual([
    'run.snapshot',
    'run.queued',
  ]);
  response.destroy();
});

test('a stalled reader delays neither the run nor other readers', async () => {
  const slow = await open('/v1/runs/run-1/events');
  slow.pause();
  for (let batch = 0; batch < 20; batch += 1)
    await edge.append(
      'run-1',
      Array.from({ length: 100 }, () => 'tool_call.progress'),
    );
  await edge.append('run-1', ['run.completed'], { status: 'completed' });
  const quick = await take(frames(await open('/v1/runs/run-1/events')), 9999);
  expect(quick.at(-1)).toMatchObject({ id: '2002', event: 'run.completed' });
  slow.resume();
  expect((await take(frames(slow), 9999)).map((frame) => frame.id).slice(1)).toEqual(
    Array.from({ length: 2002 }, (_, index) => String(index + 1)),
  );
});

test('the chunks of a stream are those of HTTP/1.1, its connection serves the next request, and HTTP/1.0 has none', async () => {
  await edge.append('run-1', ['run.completed'], { status: 'completed' });
  const ask = async (lines: readonly string[]): Promise<string> => {
    const socket = connect((edge.app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.setEncoding('utf8').write(lines.join('\r\n'));
    let text = '';
    socket.on('data', (part: string) => (text += part));
    await once(socket, 'close');
    return text;
  };
  const stream = (version: string): readonly string[] => [
    `GET /v1/runs/run-1/events HTTP/${version}`,
    'host: 127.0.0.1',
    'accept: text/event-stream',
  ];
  const next = ['', '', 'GET /healthz HTTP/1.1', 'host: 127.0.0.1', 'connection: close', '', ''];
  const [first = '', second = ''] = (await ask([...stream('1.1'), ...next])).split('\r\n0\r\n\r\n');
  const [head = '', ...body] = first.split('\r\n\r\n');
  expect(head.toLowerCase()).toContain('transfer-encoding: chunked');
  const parts = body.join('\r\n\r\n').split('\r\n');
  for (let index = 0; index < parts.length; index += 2)
    expect(Buffer.byteLength(parts[index + 1] ?? '')).toBe(Number.parseInt(parts[index] ?? '', 16));
  expect(second).toMatch(/^HTTP\/1\.1 200 OK/);
  const plain = await ask([...stream('1.0'), '', '']);
  expect(plain.slice(plain.indexOf('\r\n\r\n') + 4)).toMatch(
    /^retry: 1000\n\nevent: run\.snapshot\n/,
  );
  expect(plain.endsWith('\n\n')).toBe(true);
});

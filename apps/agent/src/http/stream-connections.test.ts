import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestEdge, type TestEdge } from './testing.ts';

let edge: TestEdge;
beforeEach(async () => {
  edge = await createTestEdge();
  await edge.app.listen({ port: 0, host: '127.0.0.1' });
  await edge.app.inject({
    method: 'POST',
    url: '/v1/runs',
    payload: { prompt: 'a' },
    headers: { host: 'localhost' },
  });
});
afterEach(async () => edge.close());

interface Client {
  readonly socket: Socket;
  /** Text that the service has sent. */
  readonly received: () => string;
  readonly ask: (path: string, headers?: readonly string[]) => void;
}

function client(): Client {
  const socket = connect((edge.app.server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  socket.on('error', () => undefined);
  return {
    socket,
    received: () => text,
    ask: (path, headers = []) =>
      socket.write([`GET ${path} HTTP/1.1`, 'host: 127.0.0.1', ...headers, '', ''].join('\r\n')),
  };
}

const STREAM = ['accept: text/event-stream'];

async function opened(more: readonly string[] = []): Promise<Client> {
  const reader = client();
  reader.ask('/v1/runs/run-1/events', [...STREAM, ...more]);
  await expect.poll(reader.received).toContain('event: run.queued');
  return reader;
}

const settle = () => edge.append('run-1', ['run.completed'], { status: 'completed' });

test('an open stream keeps neither its request nor its response in memory', async () => {
  const kept: WeakRef<object>[] = [];
  const remember = (request: IncomingMessage, response: ServerResponse): void => {
    kept.push(new WeakRef(request), new WeakRef(response));
  };
  edge.app.server.on('request', remember);
  const { socket } = await opened();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await expect
    .poll(() => {
      collect();
      return kept.filter((each) => each.deref() !== undefined).length;
    })
    .toBe(0);
  expect(kept).toHaveLength(2);
  expect(edge.listeners()).toBe(1);
  socket.destroy();
  await expect.poll(() => edge.listeners()).toBe(0);
});

test('a request that a client sends during a stream is served after the end of the stream, on the same connection', async () => {
  const reader = await opened();
  reader.ask('/healthz');
  reader.ask('/v1/runs/run-1');
  // A request on a connection of its own shows that the service has had the time to answer.
  const other = client();
  other.ask('/healthz', ['connection: close']);
  await once(other.socket, 'close');
  expect(reader.received().match(/HTTP\/1\.1 /g)).toHaveLength(1);
  await settle();
  await expect.poll(() => reader.received().match(/HTTP\/1\.1 200/g)).toHaveLength(3);
  const [stream = '', health = '', run = ''] = reader.received().split(/(?=HTTP\/1\.1 200)/);
  expect(stream).toMatch(/event: run\.completed\n.*\n\n\r\n0\r\n\r\n$/s);
  expect(health).toContain('"status":"ok"');
  expect(run).toContain('"id":"run-1"');
  reader.socket.destroy();
});

test.each([
  ['with a malformed URL', 'GET /v1/runs/%zz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n', 400],
  ['without a host', 'GET /v1/runs/run-1 HTTP/1.1\r\n\r\n', 403],
  [
    'that asks whether to continue',
    'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: 100-continue\r\n\r\n',
    100,
  ],
  [
    'with an unknown expectation',
    'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: a-miracle\r\n\r\n',
    417,
  ],
])(
  'a request %s during a stream is answered after the end of the stream',
  async (_what, request, status) => {
    const reader = await opened();
    reader.socket.write(request);
    const other = client();
    other.ask('/healthz', ['connection: close']);
    await once(other.socket, 'close');
    expect(reader.received().match(/HTTP\/1\.1 /g)).toHaveLength(1);
    await settle();
    await expect.poll(reader.received).toContain(`HTTP/1.1 ${status} `);
    expect(reader.received()).toMatch(
      new RegExp(`event: run\\.completed\n.*\n\n\r\n0\r\n\r\nHTTP/1\\.1 ${status} `, 's'),
    );
    reader.socket.destroy();
  },
);

test('a client that sends something else than HTTP during a stream is disconnected without a response', async () => {
  const reader = await opened();
  const closed = once(reader.socket, 'close');
  reader.socket.write('no HTTP at all\r\n\r\n');
  await closed;
  expect(reader.received().match(/HTTP\/1\.1 /g)).toHaveLength(1);
});

test('a connection stays open after its stream and serves another stream', async () => {
  const reader = await opened();
  await settle();
  await expect.poll(reader.received).toMatch(/\r\n0\r\n\r\n$/);
  reader.ask('/v1/runs/run-1/events', STREAM);
  await expect.poll(() => reader.received().match(/event: run\.completed/g)).toHaveLength(2);
  await expect.poll(reader.received).toMatch(/\r\n0\r\n\r\n$/);
  reader.socket.destroy();
});

test('a connection keeps nothing of the streams that it has served', async () => {
  const connected = once(edge.app.server, 'connection');
  const reader = await opened();
  const [socket] = (await connected) as [Socket];
  await settle();
  const listeners: number[] = [];
  for (let count = 1; count <= 3; count += 1) {
    await expect
      .poll(() => reader.received().match(/event: run\.completed/g) ?? [])
      .toHaveLength(count);
    await expect.poll(reader.received).toMatch(/\r\n0\r\n\r\n$/);
    await expect.poll(() => edge.listeners()).toBe(0);
    listeners.push(socket.listenerCount('close'));
    reader.ask('/v1/runs/run-1/events', STREAM);
  }
  expect(listeners).toEqual([listeners[0], listeners[0], listeners[0]]);
  reader.socket.destroy();
});

test('a stream whose client asks for the end of the connection says so, ends completely and closes it', async () => {
  const reader = await opened(['connection: close']);
  expect(reader.received().toLowerCase()).toContain('\r\nconnection: close\r\n');
  const closed = once(reader.socket, 'close');
  await settle();
  await closed;
  expect(reader.received()).toMatch(/event: run\.completed\n.*\n\n\r\n0\r\n\r\n$/s);
});

test('a client that sends more than 16 requests during a stream is disconnected', async () => {
  const reader = await opened();
  for (let count = 0; count < 16; count += 1) reader.ask('/healthz');
  const other = client();
  other.ask('/healthz', ['connection: close']);
  await once(other.socket, 'close');
  expect(reader.socket.destroyed).toBe(false);
  const closed = once(reader.socket, 'close');
  reader.ask('/healthz');
  await closed;
  await expect.poll(() => edge.listeners()).toBe(0);
});

test('the close of the service ends open streams', async () => {
  const reader = await opened();
  const closed = once(reader.socket, 'close');
  await edge.app.close();
  await closed;
  await expect.poll(() => edge.listeners()).toBe(0);
});

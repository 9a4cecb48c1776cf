import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import type { Client } from '../../client/client.ts';
import { connectClient } from '../../client/connect-client.ts';
import { httpTransport } from './http-transport.ts';
import { readBody } from './read-body.ts';
import {
  type Arrival,
  answerJson,
  beginEvents,
  handshake,
  legacyRequest,
  openTransport,
  playHandshake,
  scriptedServer,
  until,
} from './scripted-http-server.test.support.ts';
import { SseReader } from './sse-reader.ts';

const PIECES = 1_000_000;

async function connect(url: string, onClosed?: (error?: Error) => void): Promise<Client> {
  const client = await connectClient(() => httpTransport({ url }), {
    info: { name: 't', version: '0' },
    era: 'legacy',
    ...(onClosed === undefined ? {} : { events: { onClosed } }),
  });
  onTestFinished(() => client.close());
  return client;
}

function playSession(arrival: Arrival, get: number | 'stream' = 405): boolean {
  if (arrival.body?.method !== 'initialize') return playHandshake(arrival, { get });
  answerJson(
    arrival,
    {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
    },
    { 'mcp-session-id': `session-${String(Math.random())}` },
  );
  return true;
}

it('a call whose stream broke may have been executed, even if its session has ended', async () => {
  const server = await scriptedServer((arrival) => {
    if (playSession(arrival)) return;
    if (arrival.method === 'GET') return void arrival.response.writeHead(404).end();
    beginEvents(arrival);
    arrival.response.end('retry: 1\nid: e-1\ndata:\n\n');
  });
  const client = await connect(server.url);
  await expect(client.callTool('pay', {})).rejects.toMatchObject({
    code: 'connection-lost',
    sent: true,
  });
  expect(server.arrivals.filter(({ body }) => body?.method === 'tools/call')).toHaveLength(1);
});

it('a running call whose session has ended, as the standalone stream shows, may have been executed', async () => {
  let gets = 0;
  const server = await scriptedServer((arrival) => {
    if (playSession(arrival, 'stream')) return;
    if (arrival.method === 'POST') return beginEvents(arrival);
    gets += 1;
    if (gets > 1) return void arrival.response.writeHead(404).end();
    beginEvents(arrival);
    void until(() => server.arrivals.some(({ body }) => body?.method === 'tools/call')).then(() =>
      arrival.response.end('retry: 1\n\n'),
    );
  });
  const client = await connect(server.url);
  await expect(client.callTool('pay', {})).rejects.toMatchObject({
    code: 'connection-lost',
    sent: true,
  });
});

it('the stream of a cancelled request ends even if the server refuses the cancellation', async () => {
  const server = await scriptedServer((arrival) => {
    if (arrival.body?.method === 'notifications/cancelled')
      return void arrival.response.writeHead(500).end();
    if (!playHandshake(arrival)) beginEvents(arrival);
  });
  const opened = await openTransport({ url: server.url });
  await handshake(opened);
  await opened.transport.send(legacyRequest(2, 'tools/call', { name: 'a' }));
  const stream = server.arrivals.at(-1)!.socket;
  await expect(
    opened.transport.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 2 },
    }),
  ).rejects.toMatchObject({ status: 500 });
  await until(() => stream.destroyed);
});

it('an error response whose body does not end has the idle timeout', async () => {
  const server = await scriptedServer((arrival) => {
    if (arrival.body?.method === 'notifications/roots/list_changed')
      return void arrival.response.writeHead(400).write('because');
    playHandshake(arrival);
  });
  const opened = await openTransport({ url: server.url, acceptTimeoutMs: 2000 });
  await handshake(opened);
  await expect(
    opened.transport.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }),
  ).rejects.toMatchObject({ code: 'request-timeout' });
});

it('a notification may be accepted without a limit', async () => {
  const server = await scriptedServer((arrival) => void playHandshake(arrival));
  const opened = await openTransport({ url: server.url, acceptTimeoutMs: Infinity });
  await handshake(opened);
  await expect(
    opened.transport.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }),
  ).resolves.toBeUndefined();
});

it('a response in an unread batch fails its request', async () => {
  const server = await scriptedServer((arrival) => {
    if (playSession(arrival)) return;
    arrival.response.writeHead(200, { 'content-type': 'application/json' });
    arrival.response.end(
      JSON.stringify([{ jsonrpc: '2.0', id: arrival.body?.id, result: { content: [] } }]),
    );
  });
  const client = await connect(server.url);
  await expect(client.callTool('a', {})).rejects.toMatchObject({ code: 'invalid-response' });
});

it.each<[string, () => (chunk: Buffer) => void]>([
  [
    'body',
    (): ((chunk: Buffer) => void) => {
      const response = new EventEmitter();
      // The members that are read.
      readBody(
        Object.assign(response, { headers: {} }) as unknown as IncomingMessage,
        { maxBytes: 2 * PIECES },
        () => undefined,
      );
      return (chunk) => void response.emit('data', chunk);
    },
  ],
  [
    'event',
    (): ((chunk: Buffer) => void) => {
      const reader = new SseReader(
        { event: () => undefined, tooLarge: () => undefined },
        { maxBytes: 2 * PIECES },
      );
      return (chunk) => reader.push(chunk);
    },
  ],
])('a long %s in a million pieces takes memory for its bytes only', (_name, open) => {
  const take = open();
  const bytes = Buffer.alloc(PIECES, 'x');
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < PIECES; index++) take(bytes.subarray(index, index + 1));
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000);
});

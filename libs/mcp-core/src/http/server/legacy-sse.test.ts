import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import {
  echo,
  type HttpPeer,
  heldTool,
  type RawResponse,
  serve,
  toolOf,
} from './http-peer.test.support.ts';
import type { ServeHttpOptions } from './serve-http.ts';

const WAIT = { timeout: 5000 };
const params = {
  protocolVersion: '2024-11-05',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};

async function open(
  peer: HttpPeer,
  path = '/sse',
  headers: { [name: string]: string } = {},
): Promise<{
  stream: RawResponse;
  send: (message: JsonObject) => Promise<number>;
  endpoint: string;
}> {
  const stream = await peer.send({
    method: 'GET',
    path,
    headers: { accept: 'text/event-stream', ...headers },
  });
  await vi.waitFor(() => {
    expect(stream.events().length).toBeGreaterThan(0);
  }, WAIT);
  const [first] = stream.events();
  expect(first?.event).toBe('endpoint');
  const endpoint = first?.data ?? '';
  return {
    stream,
    endpoint,
    send: async (message) =>
      (await peer.exchange({ path: endpoint, headers, body: { jsonrpc: '2.0', ...message } }))
        .status,
  };
}

/** Returns the JSON messages, without the endpoint event. */
function messagesOf(stream: RawResponse): JsonObject[] {
  return stream
    .events()
    .filter(({ event }) => event === 'message')
    .map(({ data }) => JSON.parse(data) as JsonObject);
}

async function answerTo(stream: RawResponse, id: unknown): Promise<JsonObject> {
  return vi.waitFor(() => {
    const found = messagesOf(stream).find((message) => message.id === id && !('method' in message));
    if (found === undefined) throw new Error('not yet');
    return found;
  }, WAIT);
}

const legacySse = (options: ServeHttpOptions = {}): ServeHttpOptions => ({
  legacySse: true,
  ...options,
});

test('messages are posted to the endpoint that the stream names, and all server messages use the stream', async () => {
  const ask = toolOf('ask', async (_args, context) => ({
    content: [{ type: 'text', text: JSON.stringify(await context.listRoots()) }],
  }));
  const peer = await serve({ tools: [echo, ask] }, legacySse());
  const { stream, send } = await open(peer);
  await expect(
    send({ id: 1, method: 'initialize', params: { ...params, capabilities: { roots: {} } } }),
  ).resolves.toBe(202);
  expect(await answerTo(stream, 1)).toMatchObject({ result: { protocolVersion: '2024-11-05' } });
  await send({ method: 'notifications/initialized' });
  await send({ id: 2, method: 'tools/call', params: { name: 'ask', arguments: {} } });
  const question = await vi.waitFor(() => {
    const found = messagesOf(stream).find(({ method }) => method === 'roots/list');
    if (found === undefined) throw new Error('not yet');
    return found;
  }, WAIT);
  await send({ id: question.id, result: { roots: [{ uri: 'file:///a' }] } });
  expect(await answerTo(stream, 2)).toMatchObject({
    result: { content: [{ text: '[{"uri":"file:///a"}]' }] },
  });
  peer.server.changes.toolsChanged();
  await vi.waitFor(() => {
    expect(
      messagesOf(stream).some(({ method }) => method === 'notifications/tools/list_changed'),
    ).toBe(true);
  }, WAIT);
});

test('the end of the stream is the end of the connection', async () => {
  const held = heldTool();
  const peer = await serve({ tools: [held.tool] }, legacySse());
  const { stream, send } = await open(peer);
  await send({ id: 1, method: 'initialize', params });
  await send({ id: 2, method: 'tools/call', params: { name: 'hold', arguments: {} } });
  const { signal } = await held.started;
  stream.destroy();
  await vi.waitFor(() => {
    expect(signal.aborted).toBe(true);
  }, WAIT);
  await expect(send({ id: 3, method: 'ping' })).resolves.toBe(404);
});

test('connections are separate, and belong to their owners', async () => {
  const peer = await serve(
    { tools: [echo] },
    legacySse({
      access: {
        authenticate: ({ authorization }) => ({ auth: { principal: String(authorization) } }),
      },
    }),
  );
  const [ada, bob] = [
    await open(peer, '/sse', { authorization: 'ada' }),
    await open(peer, '/sse', { authorization: 'bob' }),
  ];
  await ada.send({ id: 1, method: 'ping' });
  await answerTo(ada.stream, 1);
  expect(messagesOf(bob.stream)).toEqual([]);
  expect(
    (await peer.exchange({ path: ada.endpoint, headers: { authorization: 'bob' }, body: {} }))
      .status,
  ).toBe(404);
});

test('the server ends the stream when it closes', async () => {
  const peer = await serve({}, legacySse());
  const { stream } = await open(peer);
  await peer.listener.close();
  await expect(stream.ended).resolves.toBeTypeOf('string');
});

test('the quiet stream is kept alive', async () => {
  const peer = await serve({}, legacySse({ keepAliveMs: 20 }));
  const { stream } = await open(peer);
  await vi.waitFor(() => {
    expect(stream.comments()).toBeGreaterThan(1);
  }, WAIT);
});

test('the paths are configurable, wrong methods and messages are refused', async () => {
  const peer = await serve({}, { legacySse: { stream: '/old', messages: '/old/messages' } });
  const { endpoint } = await open(peer, '/old');
  expect(endpoint).toMatch(/^\/old\/messages\?sessionId=.+/u);
  expect((await peer.exchange({ path: endpoint, body: '{' })).status).toBe(400);
  expect((await peer.exchange({ path: endpoint, method: 'GET' })).status).toBe(405);
  expect((await peer.exchange({ path: '/old', body: {} })).status).toBe(405);
  expect((await peer.exchange({ path: '/old/messages', body: {} })).status).toBe(404);
  expect((await peer.exchange({ path: '/sse', method: 'GET' })).status).toBe(404);
});

test('too many connections are refused', async () => {
  const peer = await serve({}, legacySse({ sessions: { maxSessions: 1 } }));
  await open(peer);
  expect((await peer.exchange({ path: '/sse', method: 'GET' })).status).toBe(503);
});

test('HTTP+SSE is not served without the option', async () => {
  const peer = await serve();
  expect((await peer.exchange({ path: '/sse', method: 'GET' })).status).toBe(404);
});

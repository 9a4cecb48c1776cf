import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { RequestLink } from '../../server/requests/request-link.ts';
import type { Server } from '../../server/server.ts';
import { createServer } from '../../server/create-server.ts';
import { HttpPeer, type RawRequest, readEvents, serve, toolOf } from './http-peer.test.support.ts';
import { serveHttp } from './serve-http.ts';

const WAIT = { timeout: 10_000 };
const LINE = 'x'.repeat(64_000);

/** Sends a POST and reads nothing of the response until told. */
async function paused(peer: HttpPeer, headers: RawRequest['headers'], body: unknown) {
  const socket = connect(peer.listener.port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  const text = JSON.stringify(body);
  const fields = Object.entries({
    host: '127.0.0.1',
    'content-type': 'application/json',
    connection: 'close',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  });
  await once(socket, 'connect');
  socket.write(
    `POST /mcp HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`,
  );
  socket.pause();
  return {
    readAll: async (): Promise<string> => {
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.resume();
      await once(socket, 'close');
      return Buffer.concat(chunks)
        .toString()
        .replaceAll(/\r\n[\da-f]+\r\n/gu, '');
    },
    destroy: () => {
      socket.destroy();
    },
  };
}

/** A server whose only request sends notifications as fast as possible. */
async function notifying(count: number, steps: number[]): Promise<HttpPeer> {
  const plain = createServer({ info: { name: 'test', version: '1' } });
  const server = {
    changes: plain.changes,
    requiredScopes: () => [],
    tool: () => undefined,
    stopTasks: () => Promise.resolve(),
    handle: async (_request: unknown, link: RequestLink) => {
      for (let step = 1; step <= count && !link.signal.aborted; step += 1) {
        await link.notify('notifications/message', {
          level: 'info',
          data: `${String(step)} ${LINE}`,
        });
        steps.push(step);
      }
      return { result: { steps: count } };
    },
    // No other member is used here.
  } as unknown as Server;
  const listener = await serveHttp(server, { limits: { drainMs: 10 } });
  onTestFinished(() => listener.close());
  return new HttpPeer(server, listener);
}

test('a reader that pauses makes a modern request wait, and receives everything when it continues', async () => {
  const steps: number[] = [];
  const peer = await notifying(400, steps);
  const { headers = {}, body } = peer.modern('tools/call', { name: 'any' });
  const reader = await paused(peer, headers, body);
  let before = -1;
  await vi.waitFor(
    () => {
      const isStill = steps.length === before;
      before = steps.length;
      expect(isStill && steps.length > 0).toBe(true);
    },
    { ...WAIT, interval: 200 },
  );
  expect(steps.length).toBeLessThan(400);
  const text = await reader.readAll();
  expect(steps).toHaveLength(400);
  expect(readEvents(text.slice(text.indexOf('data:'))).events).toHaveLength(401);
});

test('a reader that pauses and disconnects ends the request', async () => {
  const steps: number[] = [];
  const peer = await notifying(100_000, steps);
  const { headers = {}, body } = peer.modern('tools/call', { name: 'any' });
  const reader = await paused(peer, headers, body);
  await vi.waitFor(() => {
    expect(steps.length).toBeGreaterThan(5);
  }, WAIT);
  reader.destroy();
  let before = -1;
  await vi.waitFor(
    () => {
      const isStill = steps.length === before;
      before = steps.length;
      expect(isStill).toBe(true);
    },
    { ...WAIT, interval: 200 },
  );
  expect(steps.length).toBeLessThan(100_000);
});

test.each(['session', 'modern'] as const)(
  'a handler that awaits its progress pauses while its reader does, and loses no progress (%s)',
  async (kind) => {
    const count = 400;
    let reported = 0;
    const flood = toolOf('flood', async (_args, context) => {
      while (reported < count) {
        reported += 1;
        await context.progress({ progress: reported, message: LINE });
      }
      return { content: [] };
    });
    const peer = await serve({ tools: [flood], settings: { limits: { progressIntervalMs: 0 } } });
    const params = { name: 'flood', arguments: {} };
    const meta = { progressToken: 'p' };
    const request =
      kind === 'modern'
        ? peer.modern('tools/call', params, { meta })
        : {
            headers: (await peer.initialize()).headers,
            body: {
              jsonrpc: '2.0',
              id: 1,
              method: 'tools/call',
              params: { ...params, _meta: meta },
            },
          };
    const reader = await paused(peer, request.headers ?? {}, request.body);
    let before = -1;
    await vi.waitFor(
      () => {
        const isStill = reported === before;
        before = reported;
        expect(isStill && reported > 0).toBe(true);
      },
      { ...WAIT, interval: 200 },
    );
    expect(reported).toBeLessThan(count);
    const text = await reader.readAll();
    const steps = [...text.matchAll(/"progress":(\d+)/gu)].map(([, step]) => Number(step));
    expect(steps).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  },
);

test('a paused reader in a session loses log messages, but not its response', async () => {
  const count = 2000;
  const flood = toolOf('flood', (_args, context) => {
    for (let step = 1; step <= count; step += 1) context.log('info', `${String(step)} ${LINE}`);
    return { content: [{ type: 'text', text: 'done' }] };
  });
  const peer = await serve({ tools: [flood] });
  const session = await peer.initialize();
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'flood', arguments: {} },
  };
  const reader = await paused(peer, session.headers, body);
  await vi.waitFor(async () => {
    expect((await session.post({ ...body, method: 'ping' })).status).toBe(200);
  }, WAIT);
  const text = await reader.readAll();
  const { events } = readEvents(text.slice(text.indexOf('id:')));
  expect(events.length).toBeLessThan(400);
  expect(JSON.parse(events.at(-1)?.data ?? '') as JsonObject).toMatchObject({
    id: 1,
    result: { content: [{ text: 'done' }] },
  });
});

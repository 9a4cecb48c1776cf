import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ErrorCode } from '../../protocol/errors.ts';
import type { ServerConnection } from '../../server/server.ts';
import { echo, heldTool, serve, toolOf } from './http-peer.test.support.ts';

const WAIT = { timeout: 5000 };

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  },
};

const PING = { jsonrpc: '2.0', id: 2, method: 'ping' };

const form = {
  message: 'Name?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } } },
};

const asker = toolOf('ask', async (_args, context) => {
  const answer = await context.elicit('name', form);
  return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
});

describe('a session', () => {
  test('begins with the id in the response to initialize: visible ASCII, different each time', async () => {
    const peer = await serve();
    const [first, second] = [
      await peer.exchange({ body: INITIALIZE }),
      await peer.exchange({ body: INITIALIZE }),
    ];
    expect(first.json).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18' } });
    expect(first.headers['mcp-session-id']).toMatch(/^[\x21-\x7e]{20,}$/u);
    expect(second.headers['mcp-session-id']).not.toBe(first.headers['mcp-session-id']);
  });

  test('does not begin with a refused initialize, which leaves no connection', async () => {
    const peer = await serve();
    const connect = vi.spyOn(peer.server, 'connect');
    const { headers, json } = await peer.exchange({ body: { ...INITIALIZE, params: {} } });
    expect(json).toMatchObject({ error: { code: ErrorCode.invalidParams } });
    expect(headers).not.toHaveProperty('mcp-session-id');
    const connection = (await connect.mock.results[0]?.value) as ServerConnection;
    await expect(connection.closed).resolves.toBeUndefined();
  });

  test('never speaks a modern version', async () => {
    const peer = await serve();
    const { json } = await peer.exchange({
      body: { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: '2026-07-28' } },
    });
    expect(json).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
  });

  test('is required by every other legacy message: 400 without id, 404 with an unknown one', async () => {
    const peer = await serve();
    const messages = [
      PING,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ];
    for (const body of messages) {
      expect((await peer.exchange({ body })).status).toBe(400);
      expect((await peer.exchange({ body, headers: { 'mcp-session-id': 'unknown' } })).status).toBe(
        404,
      );
    }
    for (const method of ['GET', 'DELETE']) {
      expect(
        (await peer.exchange({ method, headers: { accept: 'text/event-stream' } })).status,
      ).toBe(400);
      expect(
        (
          await peer.exchange({
            method,
            headers: { accept: 'text/event-stream', 'mcp-session-id': 'unknown' },
          })
        ).status,
      ).toBe(404);
    }
    expect(
      (await peer.exchange({ body: INITIALIZE, headers: { 'mcp-session-id': 'unknown' } })).status,
    ).toBe(404);
  });

  test('is initialized once', async () => {
    const peer = await serve();
    const session = await peer.initialize();
    const response = await session.post(INITIALIZE);
    expect(JSON.parse((await response.ended) ?? '')).toMatchObject({
      error: { code: ErrorCode.invalidRequest },
    });
  });

  test('accepts every supported legacy version in the header, or none, and refuses others with 400', async () => {
    const peer = await serve();
    const { headers } = await peer.initialize();
    const statusOf = async (version: string | undefined) =>
      (
        await peer.exchange({
          headers: { ...headers, 'mcp-protocol-version': version },
          body: PING,
        })
      ).status;
    for (const version of [undefined, '2024-11-05', '2025-03-26', ' 2025-06-18 ', '2025-11-25'])
      await expect(statusOf(version)).resolves.toBe(200);
    for (const version of ['2026-07-28', '2030-01-01', 'x'])
      await expect(statusOf(version)).resolves.toBe(400);
  });

  test('tolerates the headers of the modern era', async () => {
    const peer = await serve({ tools: [echo] });
    const { headers } = await peer.initialize();
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: 'x' } },
    };
    expect(
      (
        await peer.exchange({
          headers: { ...headers, 'mcp-method': 'tools/call', 'mcp-name': 'other' },
          body,
        })
      ).json,
    ).toMatchObject({ result: {} });
  });

  test.each([false, true])(
    'is opened by an initialize with Mcp-Method, as bridges mirror it (stateless: %s)',
    async (stateless) => {
      const peer = await serve({ tools: [echo] }, { sessions: stateless ? false : {} });
      const { status, json, headers } = await peer.exchange({
        headers: { 'mcp-method': 'initialize' },
        body: INITIALIZE,
      });
      expect([status, json]).toMatchObject([200, { result: { protocolVersion: '2025-06-18' } }]);
      expect(headers['mcp-session-id'] === undefined).toBe(stateless);
    },
  );

  test('is required of a legacy request whose only modern sign is Mcp-Method', async () => {
    const peer = await serve({ tools: [echo] });
    const { status, json } = await peer.exchange({ headers: { 'mcp-method': 'ping' }, body: PING });
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: {
        code: ErrorCode.invalidRequest,
        message: expect.stringContaining('Mcp-Session-Id') as string,
      },
    });
  });

  test('ends with DELETE, which aborts its handlers', async () => {
    const held = heldTool();
    const peer = await serve({ tools: [held.tool] });
    const session = await peer.initialize();
    const call = session.call(1, 'hold');
    const { signal } = await held.started;
    await expect(session.delete()).resolves.toBe(200);
    expect((await call).status).toBe(404);
    expect(signal.aborted).toBe(true);
    expect((await session.post(PING)).status).toBe(404);
    await expect(session.delete()).resolves.toBe(404);
  });

  test('belongs to its owner', async () => {
    const peer = await serve(
      {},
      {
        access: {
          authenticate: ({ authorization }) =>
            authorization === undefined ? {} : { auth: { principal: String(authorization) } },
        },
      },
    );
    const session = await peer.initialize('2025-11-25', { headers: { authorization: 'ada' } });
    const statusOf = async (authorization: string | undefined) =>
      (await peer.exchange({ headers: { ...session.headers, authorization }, body: PING })).status;
    await expect(statusOf('ada')).resolves.toBe(200);
    await expect(statusOf('bob')).resolves.toBe(404);
    await expect(statusOf(undefined)).resolves.toBe(404);
  });

  test('ends when it was idle for long, but not while its stream is open', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const peer = await serve({}, { sessions: { sessionIdleMs: 60_000 } });
    const idle = await peer.initialize();
    const listening = await peer.initialize();
    await listening.get();
    await vi.advanceTimersByTimeAsync(150_000);
    vi.useRealTimers();
    expect((await idle.post(PING)).status).toBe(404);
    expect((await listening.post(PING)).status).toBe(200);
  });

  test('is idle from the end of its last request, not from its beginning', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const held = heldTool();
    const peer = await serve({ tools: [held.tool] }, { sessions: { sessionIdleMs: 60_000 } });
    const session = await peer.initialize();
    const answer = session.call(1, 'hold');
    await held.started;
    await vi.advanceTimersByTimeAsync(150_000);
    held.release();
    await (
      await answer
    ).ended;
    await vi.advanceTimersByTimeAsync(30_000);
    vi.useRealTimers();
    expect((await session.post(PING)).status).toBe(200);
  });

  test('that was idle longest is replaced by a new one; without an idle one none is opened', async () => {
    const peer = await serve({}, { sessions: { maxSessions: 2 } });
    const [first, second] = [await peer.initialize(), await peer.initialize()];
    await second.get();
    const third = await peer.initialize();
    expect((await first.post(PING)).status).toBe(404);
    await third.get();
    const refused = await peer.exchange({ body: INITIALIZE });
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
    expect((await second.post(PING)).status).toBe(200);
  });
});

describe('a request in a session', () => {
  test('gets JSON responses concurrently, in the order they become ready', async () => {
    const held = heldTool();
    const peer = await serve({ tools: [held.tool, echo] });
    const session = await peer.initialize();
    const slow = session.call(1, 'hold');
    await held.started;
    const fast = await session.call('1', 'echo', { text: 'fast' });
    expect(JSON.parse((await fast.ended) ?? '')).toMatchObject({
      id: '1',
      result: { content: [{ text: 'fast' }] },
    });
    held.release();
    const response = await slow;
    expect(response.headers['content-type']).toBe('application/json');
    expect(JSON.parse((await response.ended) ?? '')).toMatchObject({
      id: 1,
      result: { content: [{ text: 'released' }] },
    });
  });

  test('whose id is in use is refused without effect on the running one', async () => {
    const held = heldTool();
    const peer = await serve({ tools: [held.tool] });
    const session = await peer.initialize();
    const first = session.call(1, 'hold');
    await held.started;
    expect((await session.call(1, 'hold')).status).toBe(400);
    held.release();
    expect(JSON.parse((await (await first).ended) ?? '')).toMatchObject({ id: 1, result: {} });
  });

  test('with an unknown method gets 200, because 404 would end the session', async () => {
    const peer = await serve();
    const session = await peer.initialize();
    const response = await session.request(1, 'unknown/method');
    expect(response.status).toBe(200);
    expect(JSON.parse((await response.ended) ?? '')).toMatchObject({
      error: { code: ErrorCode.methodNotFound },
    });
  });

  test('that the client cancels ends without a JSON-RPC response, as a stream or not', async () => {
    const held = heldTool();
    const peer = await serve({ tools: [held.tool, asker] });
    const session = await peer.initialize('2025-06-18', { capabilities: { elicitation: {} } });
    const call = session.call(1, 'hold');
    const { signal } = await held.started;
    await expect(session.notify('notifications/cancelled', { requestId: 1 })).resolves.toBe(202);
    const response = await call;
    await expect(response.ended).resolves.toBeTypeOf('string');
    expect(signal.aborted).toBe(true);
    expect(response.messages()).toEqual([]);

    const streaming = await session.call(2, 'ask');
    await streaming.find(({ method }) => method === 'elicitation/create');
    await session.notify('notifications/cancelled', { requestId: 2 });
    await expect(streaming.ended).resolves.toBeTypeOf('string');
    expect(
      streaming.messages().filter(({ id, method }) => id === 2 && method === undefined),
    ).toEqual([]);
  });

  test('continues when the client closes the connection', async () => {
    const held = heldTool();
    const peer = await serve({ tools: [held.tool] });
    const session = await peer.initialize();
    const { request } = peer.begin({ headers: session.headers });
    request.end(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'hold', arguments: {} },
      }),
    );
    const { signal } = await held.started;
    request.destroy();
    expect((await session.post(PING)).status).toBe(200);
    expect(signal.aborted).toBe(false);
    held.release();
    await vi.waitFor(async () => {
      expect((await session.call(1, 'hold')).status).toBe(200);
    }, WAIT);
  });

  test.each(['2025-06-18', '2025-11-25'])(
    'sends an input request on its own stream and accepts the response from a different POST (%s)',
    async (version) => {
      const peer = await serve({ tools: [asker] });
      const session = await peer.initialize(version, { capabilities: { elicitation: {} } });
      const standalone = await session.get();
      const [first, second] = [await session.call(1, 'ask'), await session.call(2, 'ask')];
      const questions = await Promise.all(
        [first, second].map((response) =>
          response.find(({ method }) => method === 'elicitation/create'),
        ),
      );
      expect(first.headers['content-type']).toBe('text/event-stream');
      for (const [index, { id }] of questions.entries()) {
        const response = await session.post({
          jsonrpc: '2.0',
          id,
          result: { action: 'accept', content: { name: `n${String(index)}` } },
        });
        expect(response.status).toBe(202);
      }
      await Promise.all([first.ended, second.ended]);
      expect(first.messages().at(-1)).toMatchObject({
        id: 1,
        result: { content: [{ text: expect.stringContaining('n0') as unknown }] },
      });
      expect(second.messages().at(-1)).toMatchObject({
        id: 2,
        result: { content: [{ text: expect.stringContaining('n1') as unknown }] },
      });
      expect(first.messages().filter(({ method }) => method === 'elicitation/create')).toHaveLength(
        1,
      );
      expect(standalone.messages()).toEqual([]);
    },
  );
});

describe('the standalone stream', () => {
  test('carries changes and initial input requests, including those that waited for it', async () => {
    const roots = Promise.withResolvers<unknown>();
    const peer = await serve({
      tools: [echo],
      events: {
        onLegacySession: (session) => {
          roots.resolve(session.listRoots());
        },
      },
    });
    const session = await peer.initialize('2025-06-18', { capabilities: { roots: {} } });
    peer.server.changes.toolsChanged();
    peer.server.changes.toolsChanged();
    const stream = await session.get();
    const { id } = await stream.find(({ method }) => method === 'roots/list');
    await session.post({ jsonrpc: '2.0', id, result: { roots: [{ uri: 'file:///a' }] } });
    await expect(roots.promise).resolves.toEqual([{ uri: 'file:///a' }]);
    expect(
      stream.messages().filter(({ method }) => method === 'notifications/tools/list_changed'),
    ).toHaveLength(1);
    peer.server.changes.toolsChanged();
    await vi.waitFor(() => {
      expect(
        stream.messages().filter(({ method }) => method === 'notifications/tools/list_changed'),
      ).toHaveLength(2);
    }, WAIT);
  });

  test('carries every log message that waited for it, even equal ones', async () => {
    const peer = await serve({ tools: [echo] });
    const session = await peer.initialize();
    peer.server.log('error', 'failed');
    peer.server.log('error', 'failed');
    peer.server.log('error', 'the last');
    const stream = await session.get();
    await stream.find(({ params }) => (params as { data?: unknown }).data === 'the last');
    expect(stream.messages().map(({ params }) => (params as { data?: unknown }).data)).toEqual([
      'failed',
      'failed',
      'the last',
    ]);
  });

  test('keeps the newest 256 KiB of waiting messages', async () => {
    const peer = await serve({ tools: [echo] });
    const session = await peer.initialize();
    for (let number = 1; number <= 5; number += 1)
      peer.server.log('error', `${String(number)}${'x'.repeat(100_000)}`);
    peer.server.log('error', 'the last');
    const stream = await session.get();
    await stream.find(({ params }) => (params as { data?: unknown }).data === 'the last');
    expect(
      stream
        .messages()
        .map(({ params }) => String((params as { data?: unknown }).data).slice(0, 1)),
    ).toEqual(['4', '5', 't']);
  });

  test('is replaced when a client opens it again, so that each message is sent once', async () => {
    const peer = await serve({ tools: [echo] });
    const session = await peer.initialize();
    const [first, second] = [await session.get(), await session.get()];
    await expect(first.ended).resolves.toBeTypeOf('string');
    peer.server.changes.toolsChanged();
    await second.find(({ method }) => method === 'notifications/tools/list_changed');
    expect(first.messages()).toEqual([]);
  });

  test('requires a client that accepts it', async () => {
    const peer = await serve();
    const { headers } = await peer.initialize();
    expect(
      (await peer.exchange({ method: 'GET', headers: { ...headers, accept: 'application/json' } }))
        .status,
    ).toBe(406);
  });
});

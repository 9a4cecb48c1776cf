import { describe, expect, test, vi } from 'vitest';
import { missingCapabilityError } from '../../era/client-can.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import { echo, heldTool, serve, toolOf } from './http-peer.test.support.ts';

const WAIT = { timeout: 5000 };

describe('a modern request', () => {
  test('gets JSON of known length, with its id and without a session', async () => {
    const peer = await serve({ tools: [echo] });
    const { status, headers, json } = await peer.exchange(
      peer.modern('tools/call', { name: 'echo', arguments: { text: 'good day' } }, { id: 'a' }),
    );
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': expect.any(String) as unknown,
    });
    expect(headers).not.toHaveProperty('mcp-session-id');
    expect(json).toMatchObject({
      jsonrpc: '2.0',
      id: 'a',
      result: { resultType: 'complete', content: [{ type: 'text', text: 'good day' }] },
    });
  });

  test('becomes a stream at its first notification, which precedes the response', async () => {
    const tool = toolOf('work', (_args, context) => {
      context.progress({ progress: 1, total: 2 });
      return { content: [] };
    });
    const peer = await serve({ tools: [tool] });
    const response = await peer.send(
      peer.modern('tools/call', { name: 'work', arguments: {} }, { meta: { progressToken: 'p' } }),
    );
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
    });
    await response.ended;
    expect(response.events().every(({ id }) => id === undefined)).toBe(true);
    expect(response.messages()).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } },
      { id: 1, result: {} },
    ]);
  });

  test.each([0, 1, '1', ''])('is answered under its id %j, of the same type', async (id) => {
    const peer = await serve();
    expect((await peer.exchange(peer.modern('server/discover', {}, { id }))).json.id).toBe(id);
  });

  test('ignores sessions and events of the legacy era', async () => {
    const peer = await serve();
    const headers = { 'mcp-session-id': 'unknown', 'last-event-id': '1-1' };
    expect(await peer.exchange(peer.modern('server/discover', {}, { headers }))).toMatchObject({
      status: 200,
    });
  });

  test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'unknown/method',
    'tools/list',
  ])(
    'of the method %s, which does not exist here, is answered with 404 and -32601',
    async (method) => {
      const peer = await serve();
      const { status, json } = await peer.exchange(peer.modern(method, {}, { id: 7 }));
      expect({ status, json }).toMatchObject({
        status: 404,
        json: { id: 7, error: { code: ErrorCode.methodNotFound } },
      });
    },
  );

  test('that needs an undeclared capability gets 400 and -32021, even from within the handler', async () => {
    const tool = toolOf('ask', async () => {
      await Promise.resolve();
      throw missingCapabilityError('sampling');
    });
    const peer = await serve({ tools: [tool] });
    const { status, json } = await peer.exchange(
      peer.modern('tools/call', { name: 'ask', arguments: {} }),
    );
    expect({ status, json }).toMatchObject({
      status: 400,
      json: {
        id: 1,
        error: {
          code: ErrorCode.missingClientCapability,
          data: { requiredCapabilities: { sampling: {} } },
        },
      },
    });
  });

  test('that fails otherwise gets 200', async () => {
    const peer = await serve({ tools: [echo] });
    const { status, json } = await peer.exchange(
      peer.modern('tools/call', { name: 'missing', arguments: {} }),
    );
    expect({ status, json }).toMatchObject({
      status: 200,
      json: { error: { code: ErrorCode.invalidParams } },
    });
  });

  test('whose result cannot be serialized gets an internal error that is reported', async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const peer = await serve(
      { tools: [toolOf('big', () => ({ content: [], structuredContent: { big: 1n } }))] },
      { onError },
    );
    const { json } = await peer.exchange(peer.modern('tools/call', { name: 'big', arguments: {} }));
    expect(json).toMatchObject({ id: 1, error: { code: ErrorCode.internalError } });
    expect(onError).toHaveBeenCalledOnce();
  });

  test('is cancelled when the client closes the connection, before and after the stream began', async () => {
    const held = heldTool();
    const streaming = Promise.withResolvers<AbortSignal>();
    const stream = toolOf('stream', async (_args, context) => {
      context.progress({ progress: 1 });
      streaming.resolve(context.signal);
      await new Promise((_resolve, reject) =>
        context.signal.addEventListener('abort', () => {
          reject(new Error('stopped'));
        }),
      );
      return { content: [] };
    });
    const peer = await serve({ tools: [held.tool, stream] });
    const waiting = peer.modern('tools/call', { name: 'hold', arguments: {} });
    const { request } = peer.begin(waiting);
    request.end(JSON.stringify(waiting.body));
    const { signal } = await held.started;
    request.destroy();
    await vi.waitFor(() => {
      expect(signal.aborted).toBe(true);
    }, WAIT);

    const response = await peer.send(
      peer.modern('tools/call', { name: 'stream', arguments: {} }, { meta: { progressToken: 1 } }),
    );
    const streamed = await streaming.promise;
    expect(streamed.aborted).toBe(false);
    response.destroy();
    await vi.waitFor(() => {
      expect(streamed.aborted).toBe(true);
    }, WAIT);
  });

  test('that takes long becomes a stream, so that proxies keep the connection', async () => {
    const held = heldTool();
    const peer = await serve({ tools: [held.tool] }, { keepAliveMs: 20 });
    const response = await peer.send(peer.modern('tools/call', { name: 'hold', arguments: {} }));
    expect(response.headers['content-type']).toBe('text/event-stream');
    await vi.waitFor(() => {
      expect(response.comments()).toBeGreaterThan(1);
    }, WAIT);
    held.release();
    await response.ended;
    expect(response.messages()).toMatchObject([
      { id: 1, result: { content: [{ text: 'released' }] } },
    ]);
  });

  test('has the result of authenticate', async () => {
    const tool = toolOf('who', (_args, { auth }) => ({
      content: [{ type: 'text', text: auth?.principal ?? 'nobody' }],
    }));
    const peer = await serve(
      { tools: [tool] },
      {
        access: {
          authenticate: (headers) =>
            headers.authorization === 'x' ? { auth: { principal: 'ada' } } : {},
        },
      },
    );
    const call = (authorization: string) =>
      peer.exchange(
        peer.modern('tools/call', { name: 'who', arguments: {} }, { headers: { authorization } }),
      );
    expect((await call('x')).json).toMatchObject({ result: { content: [{ text: 'ada' }] } });
    expect((await call('y')).json).toMatchObject({ result: { content: [{ text: 'nobody' }] } });
  });
});

describe('a modern request is refused with 400 in the order of the specification', () => {
  const BAD = '1999-01-01';

  test.each([
    ['no _meta', undefined],
    ['no version in _meta', { 'io.modelcontextprotocol/clientCapabilities': {} }],
    ['no capabilities in _meta', { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }],
    [
      'a version that is no text',
      {
        'io.modelcontextprotocol/protocolVersion': 1,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    ],
  ])('-32602 for %s, whatever the headers say', async (_title, meta) => {
    const peer = await serve({ tools: [echo] });
    const body = {
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/list',
      params: meta === undefined ? {} : { _meta: meta },
    };
    for (const version of ['2026-07-28', BAD]) {
      if (meta === undefined && version === BAD) continue;
      const { status, json } = await peer.exchange({
        headers: { 'mcp-protocol-version': version, 'mcp-method': 'tools/call' },
        body,
      });
      expect({ status, json }).toMatchObject({
        status: 400,
        json: { id: 3, error: { code: ErrorCode.invalidParams } },
      });
    }
  });

  test('-32602 for initialize with the modern header and without _meta', async () => {
    const peer = await serve();
    const body = {
      jsonrpc: '2.0',
      id: 3,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {} },
    };
    const { status, json, headers } = await peer.exchange({
      headers: { 'mcp-protocol-version': '2026-07-28' },
      body,
    });
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { error: { code: ErrorCode.invalidParams } },
    });
    expect(headers).not.toHaveProperty('mcp-session-id');
  });

  test.each([
    ['a version header that differs', { 'mcp-protocol-version': '2025-11-25' }],
    ['no version header', { 'mcp-protocol-version': undefined }],
    ['another Mcp-Method', { 'mcp-method': 'tools/list' }],
    ['Mcp-Method in other letters', { 'mcp-method': 'TOOLS/CALL' }],
    ['no Mcp-Method', { 'mcp-method': undefined }],
    ['another Mcp-Name', { 'mcp-name': 'other' }],
    ['no Mcp-Name', { 'mcp-name': undefined }],
    ['an Mcp-Name that is no Base64', { 'mcp-name': '=?base64?ZWNo!?=' }],
  ])('-32020 for %s', async (_title, headers) => {
    const peer = await serve({ tools: [echo] });
    const { status, json } = await peer.exchange(
      peer.modern('tools/call', { name: 'echo', arguments: {} }, { id: 4, headers }),
    );
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { id: 4, error: { code: ErrorCode.headerMismatch } },
    });
  });

  test('-32020 for a header with a good version beside a bad one in _meta, -32022 for the bad one in both', async () => {
    const peer = await serve();
    const meta = { 'io.modelcontextprotocol/protocolVersion': BAD };
    expect((await peer.exchange(peer.modern('server/discover', {}, { meta }))).json).toMatchObject({
      error: { code: ErrorCode.headerMismatch },
    });
    const { status, json } = await peer.exchange(
      peer.modern(
        'server/discover',
        {},
        { meta, headers: { 'mcp-protocol-version': BAD, 'mcp-method': 'wrong' } },
      ),
    );
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { error: { code: ErrorCode.unsupportedProtocolVersion, data: { requested: BAD } } },
    });
    expect((json.error as { data: { supported: string[] } }).data.supported).toContain(
      '2026-07-28',
    );
  });

  test('-32020 for an encoded Mcp-Name that equals the body only before it is decoded', async () => {
    const read = (): string => 'text';
    const resources = [{ uri: 'a:1', name: 'a', read }];
    const uriTemplate = '{+uri}';
    const peer = await serve({ resources, templates: [{ uriTemplate, name: 'all', read }] });
    const uri = '=?base64?YTox?=';
    expect((await peer.exchange(peer.modern('resources/read', { uri }))).json).toMatchObject({
      error: { code: ErrorCode.headerMismatch },
    });
    const headers = { 'mcp-name': `=?base64?${Buffer.from(uri).toString('base64')}?=` };
    expect(
      (await peer.exchange(peer.modern('resources/read', { uri }, { headers }))).json,
    ).toMatchObject({ result: { contents: [{ uri, text: 'text' }] } });
  });

  test('-32020 before -32601 and -32602', async () => {
    const peer = await serve({ tools: [echo] });
    for (const method of ['unknown/method', 'tools/call']) {
      expect(
        (await peer.exchange(peer.modern(method, {}, { headers: { 'mcp-method': 'other' } }))).json,
      ).toMatchObject({ error: { code: ErrorCode.headerMismatch } });
    }
  });
});

test('header values are compared without surrounding white space, decoded, and by case-insensitive name', async () => {
  const peer = await serve({ tools: [echo] });
  const headers = {
    'mcp-name': undefined,
    'mcp-method': undefined,
    'MCP-NAME': '  =?base64?ZWNobw==?=  ',
    'Mcp-Method': ' tools/call ',
  };
  expect(
    (
      await peer.exchange(
        peer.modern('tools/call', { name: 'echo', arguments: { text: 'x' } }, { headers }),
      )
    ).status,
  ).toBe(200);
});

test('arguments with x-mcp-header must match their headers', async () => {
  const schema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      deep: { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
    },
  };
  const peer = await serve({ tools: [toolOf('go', () => ({ content: [] }), schema)] });
  const call = async (args: object, headers: { [name: string]: string }) =>
    (await peer.exchange(peer.modern('tools/call', { name: 'go', arguments: args }, { headers })))
      .json.error ?? 'ok';
  await expect(
    call({ region: 'eu', deep: { n: 42 } }, { 'Mcp-Param-Region': 'eu', 'mcp-param-n': '42.0' }),
  ).resolves.toBe('ok');
  await expect(call({ region: 'eu' }, { 'mcp-param-region': '=?base64?ZXU=?=' })).resolves.toBe(
    'ok',
  );
  await expect(call({}, {})).resolves.toBe('ok');
  await expect(call({ region: 'eu' }, {})).resolves.toMatchObject({
    code: ErrorCode.headerMismatch,
  });
  await expect(call({ region: 'eu' }, { 'mcp-param-region': 'us' })).resolves.toMatchObject({
    code: ErrorCode.headerMismatch,
  });
  await expect(call({}, { 'mcp-param-region': 'us' })).resolves.toMatchObject({
    code: ErrorCode.headerMismatch,
  });
  await expect(call({ deep: { n: 42 } }, { 'mcp-param-n': '43' })).resolves.toMatchObject({
    code: ErrorCode.headerMismatch,
  });
});

test('a log message that cannot be serialized is reported, and fails no request', async () => {
  const errors: unknown[] = [];
  const tool = toolOf('log', (_args, context) => {
    context.log('info', 1n);
    return { content: [] };
  });
  const peer = await serve({ tools: [tool] }, { onError: (error) => errors.push(error) });
  const { json } = await peer.exchange(
    peer.modern(
      'tools/call',
      { name: 'log', arguments: {} },
      { meta: { 'io.modelcontextprotocol/logLevel': 'debug' } },
    ),
  );
  expect(json).toMatchObject({ result: { content: [] } });
  expect(json.result).not.toHaveProperty('isError');
  expect(errors).toMatchObject([{ name: 'TypeError' }]);
});

test('an argument with x-mcp-header that is nested too deep to serialize is refused like any other without its header', async () => {
  const schema = {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  };
  const peer = await serve({ tools: [toolOf('go', () => ({ content: [] }), schema)] });
  const { headers, body } = peer.modern('tools/call', {
    name: 'go',
    arguments: { region: 'DEEP' },
  });
  const text = JSON.stringify(body).replace('"DEEP"', '['.repeat(100_000) + ']'.repeat(100_000));
  const { status, json } = await peer.exchange({
    ...(headers === undefined ? {} : { headers }),
    body: text,
  });
  expect({ status, json }).toMatchObject({
    status: 400,
    json: { id: 1, error: { code: ErrorCode.headerMismatch } },
  });
});

test('notifications are accepted without content, responses of a client are not', async () => {
  const peer = await serve();
  const headers = { 'mcp-protocol-version': '2026-07-28' };
  const accepted = await peer.exchange({
    headers,
    body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
  });
  expect(accepted).toMatchObject({ status: 202, text: '' });
  expect(
    (await peer.exchange({ headers, body: { jsonrpc: '2.0', id: 1, result: {} } })).status,
  ).toBe(400);
  expect((await peer.exchange({ headers, body: [] })).json).toMatchObject({
    error: { code: ErrorCode.invalidRequest },
  });
});

test.each(['GET', 'DELETE'])('%s has no meaning for a modern client', async (method) => {
  const peer = await serve();
  const { status, headers } = await peer.exchange({
    method,
    headers: { 'mcp-protocol-version': '2026-07-28', accept: 'text/event-stream' },
  });
  expect(status).toBe(405);
  expect(headers.allow).toBe('POST, GET, DELETE');
});

describe('subscriptions/listen', () => {
  const listen = (peer: Awaited<ReturnType<typeof serve>>) =>
    peer.modern(
      'subscriptions/listen',
      { notifications: { toolsListChanged: true } },
      { id: 'sub' },
    );

  test('acknowledges first, delivers changes, and ends with a result when the server closes', async () => {
    const peer = await serve({ tools: [echo] });
    const response = await peer.send(listen(peer));
    await response.find(({ method }) => method === 'notifications/subscriptions/acknowledged');
    expect(response.messages()).toHaveLength(1);
    peer.server.changes.toolsChanged();
    await response.find(({ method }) => method === 'notifications/tools/list_changed');
    await peer.listener.close();
    await expect(response.ended).resolves.toBeTypeOf('string');
    expect(response.messages().at(-1)).toMatchObject({
      id: 'sub',
      result: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } },
    });
  });

  test('keeps the quiet stream alive with comments', async () => {
    const peer = await serve({ tools: [echo] }, { keepAliveMs: 20 });
    const response = await peer.send(listen(peer));
    await vi.waitFor(() => {
      expect(response.comments()).toBeGreaterThan(1);
    }, WAIT);
    expect(response.messages()).toHaveLength(1);
  });

  test('ends when the client closes the stream', async () => {
    const detached = Promise.withResolvers<undefined>();
    const resources = {
      list: () => Promise.resolve({ resources: [] }),
      read: () => Promise.reject(new ProtocolError(-32602, 'none')),
      subscribe: () =>
        Promise.resolve(() => {
          detached.resolve(undefined);
        }),
    };
    const peer = await serve({ resources });
    const response = await peer.send(
      peer.modern('subscriptions/listen', {
        notifications: { resourceSubscriptions: ['test://a'] },
      }),
    );
    await response.find(({ method }) => method === 'notifications/subscriptions/acknowledged');
    response.destroy();
    await expect(detached.promise).resolves.toBeUndefined();
  });
});

test('a listen stream that the server ends gets its result and no cancellation', async () => {
  const peer = await serve({ tools: [] });
  const stream = await peer.send(
    peer.modern('subscriptions/listen', { notifications: { toolsListChanged: true } }),
  );
  await stream.find(({ method }) => method === 'notifications/subscriptions/acknowledged');
  await peer.listener.close();
  await stream.ended;
  const tag = { 'io.modelcontextprotocol/subscriptionId': 1 };
  expect(stream.messages()).toMatchObject([
    { method: 'notifications/subscriptions/acknowledged', params: { _meta: tag } },
    { id: 1, result: { resultType: 'complete', _meta: tag } },
  ]);
});

describe('more concurrent requests than maxConcurrentRequests', () => {
  test('get 503 until one has ended, even if its client left', async () => {
    const held = heldTool();
    const peer = await serve(
      { tools: [held.tool, echo] },
      { limits: { maxConcurrentRequests: 1 } },
    );
    const running = peer.begin(peer.modern('tools/call', { name: 'hold', arguments: {} }));
    running.request.on('error', () => undefined);
    running.request.end(
      JSON.stringify(peer.modern('tools/call', { name: 'hold', arguments: {} }).body),
    );
    const { signal } = await held.started;
    running.request.destroy();
    await vi.waitFor(
      () => {
        expect(signal.aborted).toBe(true);
      },
      { timeout: 5000 },
    );
    const refused = await peer.exchange(
      peer.modern('tools/call', { name: 'echo', arguments: { text: 'x' } }),
    );
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    held.release();
    await vi.waitFor(
      async () => {
        expect(
          (
            await peer.exchange(
              peer.modern('tools/call', { name: 'echo', arguments: { text: 'x' } }),
            )
          ).status,
        ).toBe(200);
      },
      { timeout: 5000 },
    );
  });

  test('count each request of a batch without a session', async () => {
    const peer = await serve(
      { tools: [echo] },
      { limits: { maxConcurrentRequests: 2 }, sessions: false },
    );
    const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
    const headers = { 'mcp-protocol-version': '2025-03-26' };
    expect((await peer.exchange({ headers, body: [ping(1), ping(2), ping(3)] })).status).toBe(503);
    expect((await peer.exchange({ headers, body: [ping(1), ping(2)] })).status).toBe(200);
  });
});

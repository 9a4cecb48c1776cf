import { describe, expect, test } from 'vitest';
import { PROTOCOL_VERSIONS } from '../../era/versions.ts';
import { connectRaw, initialize, modern } from '../../testing/raw-client.test.support.ts';
import { createServer } from '../create-server.ts';
import type { ServerOptions } from '../server.ts';
import type { ToolDefinition } from '../tools/tool.ts';

const info = { name: 'test-server', version: '1' };
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const era: ToolDefinition = {
  name: 'era',
  description: 'Tells how it was called',
  inputSchema: { type: 'object' },
  annotations,
  handler: (_args, { client }) => ({
    structuredContent: { era: client.era, name: client.info?.name ?? null },
  }),
};
const quiet = (): void => undefined;
const options: ServerOptions = { info, tools: [era], events: { onError: quiet } };

describe('the legacy era', () => {
  test.each(PROTOCOL_VERSIONS.slice(1))('opens a session of %s', async (version) => {
    const client = await connectRaw(createServer({ ...options, instructions: 'Be kind.' }));
    expect(await initialize(client, version)).toEqual({
      jsonrpc: '2.0',
      id: 'initialize',
      result: {
        protocolVersion: version,
        capabilities: { logging: {}, tools: { listChanged: true } },
        serverInfo: info,
        instructions: 'Be kind.',
      },
    });
    expect(await client.request(1, 'ping')).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(await client.request(2, 'no/such')).toMatchObject({ error: { code: -32601 } });
    expect(await client.request(3, 'server/discover')).toMatchObject({ error: { code: -32601 } });
    expect(await client.request(4, 'resources/list')).toMatchObject({ error: { code: -32601 } });
  });

  test('never agrees to 2026-07-28 in initialize', async () => {
    const client = await connectRaw(createServer(options));
    expect(await initialize(client, '2026-07-28')).toMatchObject({
      result: { protocolVersion: '2025-11-25' },
    });
  });

  test('answers ping before initialize, and refuses the rest', async () => {
    const client = await connectRaw(createServer(options));
    expect(await client.request(0, 'ping')).toEqual({ jsonrpc: '2.0', id: 0, result: {} });
    expect(await client.request(1, 'tools/list')).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(await initialize(client, '2025-11-25')).toHaveProperty('result');
    expect(await client.request(2, 'tools/list')).toHaveProperty('result.tools');
  });

  test('refuses a malformed and a second initialize', async () => {
    const client = await connectRaw(createServer(options));
    expect(await client.request(0, 'initialize', {})).toMatchObject({ error: { code: -32602 } });
    await initialize(client, '2025-06-18');
    expect(await client.request(1, 'initialize', { protocolVersion: '2025-11-25' })).toMatchObject({
      error: { code: -32600 },
    });
    expect(await client.request(2, 'tools/list')).toHaveProperty('result.tools');
  });

  test('serves requests that were sent right behind initialize', async () => {
    const client = await connectRaw(createServer(options));
    client.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'c', version: '1' },
      },
    });
    expect(await client.request(2, 'tools/call', { name: 'era' })).toMatchObject({
      result: { structuredContent: { era: 'legacy', name: 'c' } },
    });
  });

  test('declares only what the server has', async () => {
    const resources = {
      list: () => Promise.resolve({ resources: [] }),
      read: () => Promise.resolve({ contents: [] }),
    };
    const client = await connectRaw(createServer({ info, resources }));
    const { result } = await initialize(client, '2025-11-25');
    expect(result).toMatchObject({
      capabilities: { logging: {}, resources: { listChanged: true } },
    });
    expect(await client.request(1, 'tools/list')).toMatchObject({ error: { code: -32601 } });
    expect(await client.request(2, 'resources/subscribe', { uri: 'x:/' })).toMatchObject({
      error: { code: -32601 },
    });
  });
});

describe('the modern era', () => {
  test('discovers', async () => {
    const client = await connectRaw(createServer({ ...options, instructions: 'Be kind.' }));
    expect(await client.request('d', 'server/discover', modern())).toEqual({
      jsonrpc: '2.0',
      id: 'd',
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
        capabilities: { logging: {}, tools: { listChanged: true } },
        instructions: 'Be kind.',
        ttlMs: 60000,
        cacheScope: 'public',
        _meta: { 'io.modelcontextprotocol/serverInfo': info },
      },
    });
  });

  test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'no/such',
    'prompts/list',
  ])('does not know %s', async (method) => {
    const client = await connectRaw(createServer(options));
    expect(
      await client.request(1, method, modern({ protocolVersion: '2025-11-25', level: 'info' })),
    ).toMatchObject({ error: { code: -32601 } });
    expect(await client.request(2, 'tools/list')).toMatchObject({ error: { code: -32602 } });
  });

  test('looks at _meta before the version, at the version before the method, at the method before the params', async () => {
    const client = await connectRaw(createServer(options));
    const version = 'io.modelcontextprotocol/protocolVersion';
    const level = 'io.modelcontextprotocol/logLevel';
    const code = async (method: string, params: { [key: string]: unknown }): Promise<unknown> => {
      const { error } = await client.request(Math.random().toString(), method, params);
      return (error as { code: number }).code;
    };
    expect(await code('no/such', { _meta: { [version]: '1999-01-01' } })).toBe(-32602);
    expect(await code('no/such', modern({}, { [version]: '1999-01-01' }))).toBe(-32022);
    expect(await code('no/such', modern({ name: 7 }, { [level]: 'shout' }))).toBe(-32601);
    expect(await code('tools/call', modern({ name: 7 }))).toBe(-32602);
    expect(await code('tools/call', modern({ name: 'era' }, { [level]: 'shout' }))).toBe(-32602);
  });

  test('knows a client by each request alone', async () => {
    const client = await connectRaw(createServer(options));
    const named = modern(
      { name: 'era' },
      { 'io.modelcontextprotocol/clientInfo': { name: 'first', version: '1' } },
    );
    expect(await client.request(1, 'tools/call', named)).toMatchObject({
      result: { structuredContent: { era: 'modern', name: 'first' } },
    });
    expect(await client.request(2, 'tools/call', modern({ name: 'era' }))).toMatchObject({
      result: { structuredContent: { era: 'modern', name: null } },
    });
  });

  test('lives beside a legacy session on one connection', async () => {
    const client = await connectRaw(createServer(options));
    expect(await client.request(1, 'tools/call', modern({ name: 'era' }))).toHaveProperty(
      'result.structuredContent.era',
      'modern',
    );
    await initialize(client, '2025-03-26');
    const [legacy, current] = await Promise.all([
      client.request(2, 'tools/call', { name: 'era' }),
      client.request('2', 'tools/call', modern({ name: 'era' })),
    ]);
    expect(legacy.result).toEqual({
      content: [{ type: 'text', text: '{"era":"legacy","name":"raw"}' }],
    });
    expect(current).toMatchObject({ id: '2', result: { structuredContent: { era: 'modern' } } });
  });
});

describe('messages', () => {
  test('keep the type of their id', async () => {
    const client = await connectRaw(createServer(options));
    await initialize(client, '2025-11-25');
    const ids = [0, '0', -1, '', 'x', 9007199254740991];
    const answers = await Promise.all(ids.map((id) => client.request(id, 'ping')));
    expect(answers.map(({ id }) => id)).toEqual(ids);
  });

  test('may have unknown members', async () => {
    const client = await connectRaw(createServer(options));
    client.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'ping',
      params: { future: 1, _meta: { 'x.y/z': 1 } },
      trace: 'abc',
    });
    expect(await client.find(({ id }) => id === 1)).toHaveProperty('result');
    client.send({ jsonrpc: '2.0', method: 'notifications/unheard/of', params: {} });
    expect(await client.request(2, 'ping')).toHaveProperty('result');
  });

  test.each([
    ['2025-11-25', 1],
    ['2025-06-18', 0],
    ['2025-03-26', 0],
    ['2024-11-05', 0],
  ])('that cannot be read get an error without id from %s on only', async (version, errors) => {
    const client = await connectRaw(createServer(options));
    await initialize(client, version);
    client.send({ jsonrpc: '2.0', id: null, method: 'ping' });
    expect(await client.request(2, 'ping')).toHaveProperty('result');
    expect(
      client.received.filter((message) => !Object.hasOwn(message as object, 'id')),
    ).toHaveLength(errors);
  });

  test('may come as a batch in 2025-03-26', async () => {
    const client = await connectRaw(createServer(options));
    await initialize(client, '2025-03-26');
    client.send([
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } },
      { jsonrpc: '2.0', id: 2, method: 'no/such' },
    ]);
    await client.request(3, 'tools/list');
    await client.settled();
    expect(client.received.find(Array.isArray)).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32601 } },
    ]);
  });

  test.each(['2025-11-25', '2025-06-18', '2024-11-05', undefined])(
    'do not come as a batch in %s',
    async (version) => {
      const client = await connectRaw(createServer(options));
      if (version !== undefined) await initialize(client, version);
      client.send([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
      await client.request(2, 'ping');
      expect(client.received.some(Array.isArray)).toBe(false);
      expect(client.received.some((message) => (message as { id?: unknown }).id === 1)).toBe(false);
    },
  );

  test('cannot open a session from within a batch', async () => {
    const client = await connectRaw(createServer(options));
    client.send([
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-03-26' } },
    ]);
    expect(await client.request(2, 'tools/list')).toMatchObject({ error: { code: -32602 } });
  });
});

test('one server serves several connections, each with its own session', async () => {
  const server = createServer(options);
  const [first, second] = await Promise.all([connectRaw(server), connectRaw(server)]);
  await initialize(first, '2025-03-26');
  await initialize(second, '2025-11-25');
  expect((await first.request(1, 'tools/call', { name: 'era' })).result).not.toHaveProperty(
    'structuredContent',
  );
  expect((await second.request(1, 'tools/call', { name: 'era' })).result).toHaveProperty(
    'structuredContent',
  );
  await first.close();
  await first.connection.closed;
  expect(await second.request(2, 'ping')).toHaveProperty('result');
});

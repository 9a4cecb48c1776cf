import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { metaOf } from '../era/meta-keys.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import { LocalError } from '../protocol/errors.ts';
import type { ClientOptions } from './client-options.ts';
import { connectClient } from './connect-client.ts';
import {
  discovered,
  initialized,
  refused,
  ScriptedServer,
  silent,
  type Step,
} from './testing/scripted-server.test.support.ts';

const info = { name: 'test-client', version: '0' };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function connectTo(server: Transport, options: Partial<ClientOptions> = {}) {
  return connectClient(() => server, { info, ...options });
}

/** Opens each of these once, and nothing more. */
function opening(...servers: Transport[]): () => Transport {
  return () => {
    const server = servers.shift();
    if (server === undefined) throw new Error('opened too often');
    return server;
  };
}

/** Attaches a handler at once, so that a rejection while timers advance is not reported as unhandled. */
function outcomeOf(connecting: Promise<unknown>): Promise<unknown> {
  return connecting.catch((error: unknown) => error);
}

describe('a modern server', () => {
  test('is known by its DiscoverResult and never sees initialize', async () => {
    const server = new ScriptedServer({ 'server/discover': discovered });
    const client = await connectTo(server);
    expect(client.server).toEqual({
      info: { name: 'modern', version: '2' },
      capabilities: expect.objectContaining({ tools: { listChanged: true } }) as object,
      instructions: 'Ask nicely',
      protocolVersion: '2026-07-28',
      era: 'modern',
    });
    expect(server.received).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'server/discover',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': info,
            'io.modelcontextprotocol/clientCapabilities': {
              extensions: { 'io.modelcontextprotocol/tasks': {} },
            },
          },
        },
      },
    ]);
  });

  test('that does not support the probed version is probed again in one of its versions', async () => {
    const answers = [
      refused(-32022, {
        supported: ['2099-01-01', '2026-07-28', '2025-11-25'],
        requested: '2026-07-28',
      }),
      discovered,
    ];
    const server = new ScriptedServer({
      'server/discover': (request) => answers.shift()!(request),
    });
    const client = await connectTo(server);
    expect(client.server.era).toBe('modern');
    expect(server.all('server/discover')).toHaveLength(2);
    expect(server.all('initialize')).toHaveLength(0);
  });

  test('that keeps refusing its own version fails the connection', async () => {
    const server = new ScriptedServer({
      'server/discover': refused(-32022, { supported: ['2026-07-28'] }),
    });
    await expect(connectTo(server)).rejects.toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining('-32022') as string,
    });
    expect(server.all('server/discover')).toHaveLength(2);
    expect(server.isClosed).toBe(true);
  });

  test('that ends right after its DiscoverResult is not retried as legacy', async () => {
    const first = new ScriptedServer();
    const second = new ScriptedServer({ initialize: initialized() });
    const outcome = outcomeOf(connectClient(opening(first, second), { info }));
    await first.receives('server/discover');
    first.deliver({ id: 1, ...discovered({}) });
    first.crash(new Error('exited with code 1'));
    expect(await outcome).toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining('exited with code 1') as string,
    });
    expect(second.received).toEqual([]);
  });

  test('without a common version is reported as such', async () => {
    const server = new ScriptedServer({
      'server/discover': refused(-32022, { supported: ['2099-01-01'] }),
      initialize: initialized(),
    });
    await expect(connectTo(server)).rejects.toThrow(
      /no protocol version in common; the server supports: 2099-01-01/,
    );
    expect(server.all('initialize')).toHaveLength(0);
  });

  test.each([-32020, -32021])('is not taken for legacy when it responds with %i', async (code) => {
    const server = new ScriptedServer({
      'server/discover': refused(code),
      initialize: initialized(),
    });
    await expect(connectTo(server)).rejects.toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining(String(code)) as string,
    });
    expect(server.all('initialize')).toHaveLength(0);
  });

  test('may be slow: its late DiscoverResult wins over a refused initialize', async () => {
    const server = new ScriptedServer({ 'server/discover': silent, initialize: refused(-32601) });
    const connecting = connectTo(server, { limits: { probeTimeoutMs: 100 } });
    await vi.advanceTimersByTimeAsync(100);
    await server.receives('initialize');
    await vi.advanceTimersByTimeAsync(5000);
    server.deliver({ id: 1, ...discovered({}) });
    expect((await connecting).server.era).toBe('modern');
    expect(server.all('notifications/initialized')).toHaveLength(0);
  });

  test('that answers both late is legacy, because it accepted initialize', async () => {
    const server = new ScriptedServer({ 'server/discover': silent, initialize: silent });
    const connecting = connectTo(server, { limits: { probeTimeoutMs: 100 } });
    await vi.advanceTimersByTimeAsync(100);
    const { id } = await server.receives('initialize');
    server.deliver({ id: 1, ...discovered({}) });
    await vi.advanceTimersByTimeAsync(1499);
    server.deliver({ id, ...initialized()({}) });
    expect((await connecting).server.era).toBe('legacy');
    expect(server.all('notifications/initialized')).toHaveLength(1);
  });

  test('that answers the probe late and initialize never is modern', async () => {
    const server = new ScriptedServer({ 'server/discover': silent, initialize: silent });
    const connecting = connectTo(server, { limits: { probeTimeoutMs: 100 } });
    await vi.advanceTimersByTimeAsync(100);
    await server.receives('initialize');
    server.deliver({ id: 1, ...discovered({}) });
    await vi.advanceTimersByTimeAsync(1500);
    expect((await connecting).server.era).toBe('modern');
    expect(server.all('notifications/initialized')).toHaveLength(0);
  });
});

describe('a legacy server', () => {
  test.each([-32601, -32602, -32600, -32000, 0])(
    'is detected by the response %i to the probe',
    async (code) => {
      const server = new ScriptedServer({
        'server/discover': refused(code),
        initialize: initialized(),
      });
      const client = await connectTo(server);
      expect(client.server).toMatchObject({
        era: 'legacy',
        protocolVersion: '2025-11-25',
        info: { name: 'legacy', version: '1' },
        instructions: 'Hello',
      });
      expect(server.received.map(({ method }) => method)).toEqual([
        'server/discover',
        'initialize',
        'notifications/initialized',
      ]);
      expect(server.all('initialize')[0]!.params).toEqual({
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: info,
      });
    },
  );

  test.each<[string, Step]>([
    ['an empty result', () => ({ result: {} })],
    ['a result of its own', () => ({ result: { resultType: 'complete', tools: [] } })],
    ['something that is not JSON-RPC', () => ({ error: { code: 'none' } })],
  ])('may answer the probe with %s', async (_name, answer) => {
    const server = new ScriptedServer({ 'server/discover': answer, initialize: initialized() });
    expect((await connectTo(server)).server.era).toBe('legacy');
  });

  test('may know the modern errors but list only legacy versions', async () => {
    const server = new ScriptedServer({
      'server/discover': refused(-32022, { supported: ['2025-06-18'] }),
      initialize: initialized('2025-06-18'),
    });
    expect((await connectTo(server)).server).toMatchObject({
      era: 'legacy',
      protocolVersion: '2025-06-18',
    });
  });

  test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
    'may choose %s',
    async (version) => {
      const server = new ScriptedServer({
        'server/discover': refused(-32601),
        initialize: initialized(version),
      });
      expect((await connectTo(server)).server.protocolVersion).toBe(version);
    },
  );

  test.each(['2026-07-28', '1999-01-01'])(
    'that answers initialize with %s is disconnected',
    async (version) => {
      const server = new ScriptedServer({
        'server/discover': refused(-32601),
        initialize: initialized(version),
      });
      await expect(connectTo(server)).rejects.toMatchObject({
        code: 'connect-failed',
        message: expect.stringContaining(version) as string,
      });
      expect(server.isClosed).toBe(true);
      expect(server.all('notifications/initialized')).toHaveLength(0);
    },
  );

  test('that is silent on the probe gets initialize on the same process', async () => {
    const server = new ScriptedServer({ initialize: initialized() });
    const connecting = connectClient(opening(server), { info });
    await vi.advanceTimersByTimeAsync(1499);
    expect(server.all('initialize')).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect((await connecting).server.era).toBe('legacy');
  });

  test('may answer the probe after initialize, without effect', async () => {
    const server = new ScriptedServer({ initialize: initialized(), ping: () => ({ result: {} }) });
    const connecting = connectTo(server, { limits: { probeTimeoutMs: 10 } });
    await vi.advanceTimersByTimeAsync(10);
    const client = await connecting;
    server.deliver({ id: 1, ...refused(-32601)({}) });
    await client.ping();
    expect(client.server.era).toBe('legacy');
    expect(server.all('notifications/cancelled')).toHaveLength(0);
  });

  test('may refuse the probe late, during initialize', async () => {
    const server = new ScriptedServer();
    const connecting = connectTo(server, { limits: { probeTimeoutMs: 10 } });
    await vi.advanceTimersByTimeAsync(10);
    const { id } = await server.receives('initialize');
    server.deliver({ id: 1, ...refused(-32602)({}) });
    server.deliver({ id, ...initialized()({}) });
    expect((await connecting).server.era).toBe('legacy');
  });

  test('that refuses initialize is reported with its error', async () => {
    const server = new ScriptedServer({
      'server/discover': refused(-32601),
      initialize: refused(-32602),
    });
    const error = await connectTo(server).catch((failure: unknown) => failure);
    expect(error).toMatchObject({
      code: 'connect-failed',
      message: 'The server could not be connected: it answered with error -32602: refused',
    });
    expect((error as LocalError).cause).toMatchObject({ code: -32602 });
  });

  test('may print a banner first', async () => {
    const problems: string[] = [];
    const server = new ScriptedServer({
      'server/discover': refused(-32601),
      initialize: initialized(),
    });
    const connecting = connectTo(server, {
      events: { onProblem: (problem) => problems.push(problem.message) },
    });
    await server.receives('server/discover');
    server.deliverGarbage('a line is not JSON');
    expect((await connecting).server.era).toBe('legacy');
    expect(problems).toEqual([expect.stringContaining('a line is not JSON')]);
  });

  test('that ends because of the probe is started once more, without it', async () => {
    const first = new ScriptedServer();
    const second = new ScriptedServer({ initialize: initialized() });
    const connecting = connectClient(opening(first, second), { info });
    await first.receives('server/discover');
    first.crash(new Error('exited with code 1'));
    expect((await connecting).server.era).toBe('legacy');
    expect(second.received.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
    ]);
  });

  test('that reads the probe only after initialize was sent, and ends because of it, is started once more', async () => {
    const first = new ScriptedServer();
    const second = new ScriptedServer({ initialize: initialized() });
    const connecting = connectClient(opening(first, second), {
      info,
      limits: { probeTimeoutMs: 10 },
    });
    await vi.advanceTimersByTimeAsync(10);
    await first.receives('initialize');
    first.crash(new Error('exited with code 1'));
    expect((await connecting).server.era).toBe('legacy');
    expect(second.received.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
    ]);
  });

  test('that refuses initialize and ends is not started again', async () => {
    const first = new ScriptedServer({ initialize: refused(-32602) });
    const second = new ScriptedServer({ initialize: initialized() });
    const outcome = outcomeOf(
      connectClient(opening(first, second), { info, limits: { probeTimeoutMs: 10 } }),
    );
    await vi.advanceTimersByTimeAsync(10);
    await first.receives('initialize');
    first.crash(new Error('exited with code 1'));
    expect(await outcome).toMatchObject({
      message: 'The server could not be connected: it answered with error -32602: refused',
    });
    expect(second.received).toEqual([]);
  });

  test('that ends again fails with the reason', async () => {
    const first = new ScriptedServer();
    const second = new ScriptedServer();
    let ends = 0;
    const outcome = outcomeOf(
      connectClient(opening(first, second), { info, events: { onClosed: () => (ends += 1) } }),
    );
    await first.receives('server/discover');
    first.crash(new Error('exited with code 1'));
    await second.receives('initialize');
    second.crash(new Error('exited with code 7'));
    expect(await outcome).toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining('exited with code 7') as string,
    });
    expect(ends).toBe(0);
  });

  test('may send a roots request before it is connected', async () => {
    const server = new ScriptedServer({
      'server/discover': refused(-32601),
      initialize: initialized(),
    });
    const connecting = connectTo(server, {
      handlers: { listRoots: () => Promise.resolve([{ uri: 'file:///a' }]) },
    });
    await server.receives('notifications/initialized');
    server.deliver({ id: 'r', method: 'roots/list' });
    await connecting;
    expect((await server.answerTo('r')).result).toEqual({ roots: [{ uri: 'file:///a' }] });
  });
});

describe('a pinned era', () => {
  test('legacy sends no probe', async () => {
    const server = new ScriptedServer({ initialize: initialized() });
    await connectTo(server, { era: 'legacy' });
    expect(server.received[0]).toMatchObject({ id: 1, method: 'initialize' });
  });

  test('modern never falls back', async () => {
    const server = new ScriptedServer({
      'server/discover': refused(-32601),
      initialize: initialized(),
    });
    await expect(connectTo(server, { era: 'modern' })).rejects.toThrow(/pinned to modern.*-32601/);
    expect(server.all('initialize')).toHaveLength(0);
  });

  test('legacy does not open twice', async () => {
    const server = new ScriptedServer();
    const outcome = outcomeOf(connectClient(opening(server), { info, era: 'legacy' }));
    await server.receives('initialize');
    server.crash(new Error('gone'));
    expect(await outcome).toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining('gone') as string,
    });
  });
});

describe('connecting', () => {
  test('declares exactly what the handlers can answer', async () => {
    const server = new ScriptedServer({ initialize: initialized() });
    const handlers = {
      sample: () => Promise.reject(new Error()),
      elicit: () => Promise.resolve({ action: 'cancel' as const }),
      listRoots: () => Promise.resolve([]),
    };
    await connectTo(server, { era: 'legacy', handlers });
    expect(server.received[0]!.params!.capabilities).toEqual({
      sampling: {},
      elicitation: { form: {} },
      roots: { listChanged: true },
    });
  });

  test.each<[ClientOptions['capabilities'] & object, object]>([
    [
      { samplingTools: true, samplingContext: true },
      { sampling: { tools: {}, context: {} }, elicitation: { form: {} } },
    ],
    [
      { elicitationUrl: true, applyDefaults: true },
      { sampling: {}, elicitation: { form: { applyDefaults: true }, url: {} } },
    ],
    [
      { elicitationForm: false, elicitationUrl: true },
      { sampling: {}, elicitation: { url: {} } },
    ],
    [{ elicitationForm: false }, { sampling: {} }],
    [
      { extensions: { 'dev.example/x': { a: 1 } } },
      { sampling: {}, elicitation: { form: {} }, extensions: { 'dev.example/x': { a: 1 } } },
    ],
  ])('declares the capabilities of its handlers: %j', async (capabilities, declared) => {
    const server = new ScriptedServer({ 'server/discover': discovered });
    const handlers = {
      sample: () => Promise.reject(new Error()),
      elicit: () => Promise.resolve({ action: 'cancel' as const }),
    };
    await connectTo(server, { era: 'modern', handlers, capabilities });
    expect(metaOf(server.received[0]!.params)).toMatchObject({
      'io.modelcontextprotocol/clientCapabilities': declared,
    });
  });

  test('fails at the limit and closes the transport', async () => {
    const server = new ScriptedServer();
    const outcome = outcomeOf(connectTo(server, { limits: { connectTimeoutMs: 3000 } }));
    await vi.advanceTimersByTimeAsync(3000);
    expect(await outcome).toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining('3000 ms') as string,
    });
    expect(server.isClosed).toBe(true);
    expect(server.all('notifications/cancelled')).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('closes a transport that was opened too late', async () => {
    const late = Promise.withResolvers<Transport>();
    const outcome = outcomeOf(
      connectClient(() => late.promise, { info, limits: { connectTimeoutMs: 50 } }),
    );
    await vi.advanceTimersByTimeAsync(50);
    expect(await outcome).toMatchObject({ code: 'connect-failed' });
    const server = new ScriptedServer();
    late.resolve(server);
    await vi.advanceTimersByTimeAsync(0);
    expect(server.isClosed).toBe(true);
  });

  test('reports why a transport could not be opened, without a retry', async () => {
    let attempts = 0;
    const open = (): Transport => {
      attempts += 1;
      throw new LocalError('connect-failed', 'Cannot start "x"');
    };
    await expect(connectClient(open, { info })).rejects.toThrow('Cannot start "x"');
    expect(attempts).toBe(1);
  });

  test('leaves no timer behind', async () => {
    await connectTo(new ScriptedServer({ 'server/discover': discovered }));
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('an onProblem that throws is reported on stderr', async () => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    stderr.mockRestore();
  });
  const server = new ScriptedServer({
    initialize: initialized(),
    'tools/list': () => ({ result: { tools: [] } }),
  });
  const onProblem = (): never => {
    throw new Error('the reporter is broken');
  };
  const onToolsChanged = (): never => {
    throw new Error('the callback is broken');
  };
  const client = await connectClient(() => server, {
    info: { name: 't', version: '0' },
    era: 'legacy',
    events: { onProblem },
  });
  await client.watch({ onToolsChanged });
  server.deliverGarbage('no JSON');
  server.deliver({ id: 1, result: 7 });
  server.notify('notifications/tools/list_changed', {});
  expect(stderr.mock.calls.map(([line]) => String(line))).toEqual(
    Array.from(
      { length: stderr.mock.calls.length },
      () => expect.stringContaining('the reporter is broken') as string,
    ),
  );
  expect(stderr.mock.calls.length).toBeGreaterThanOrEqual(2);
  expect(await client.listTools()).toEqual([]);
  await client.close();
});

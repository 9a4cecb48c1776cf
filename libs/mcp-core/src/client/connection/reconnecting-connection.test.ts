import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HttpError } from '../../protocol/http-error.ts';
import type { LocalError } from '../../protocol/errors.ts';
import type { Client } from '../client.ts';
import type { ClientOptions } from '../client-options.ts';
import { connectClient } from '../connect-client.ts';
import {
  discovered,
  initialized,
  refused,
  ScriptedServer,
  type Step,
} from '../testing/scripted-server.test.support.ts';

const info = { name: 't', version: '0' };
const empty: Step = () => ({ result: {} });
const done = { content: [{ type: 'text', text: 'done' }] };
const sessionLost = new HttpError('gone', { status: 404, headers: {}, isSessionLost: true });

type Script = { [method: string]: Step };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function legacy(script: Script = {}): ScriptedServer {
  return new ScriptedServer({
    initialize: initialized(),
    ping: empty,
    'resources/subscribe': empty,
    'resources/unsubscribe': empty,
    'logging/setLevel': empty,
    ...script,
  });
}

function modern(script: Script = {}): ScriptedServer {
  return new ScriptedServer({ 'server/discover': discovered, ...script });
}

async function connect(
  servers: readonly ScriptedServer[],
  options: Partial<ClientOptions> = {},
): Promise<Client> {
  const waiting = [...servers];
  return connectClient(
    () => {
      const server = waiting.shift();
      if (server === undefined) throw new Error('opened too often');
      return server;
    },
    { info, ...options },
  );
}

const flush = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

/** Acknowledges the listen stream that is opened next. */
async function acknowledge(server: ScriptedServer, count = 1): Promise<number> {
  const { id, params } = await server.receives('subscriptions/listen', count);
  server.notify('notifications/subscriptions/acknowledged', {
    notifications: params!.notifications,
    _meta: { 'io.modelcontextprotocol/subscriptionId': id },
  });
  // The client numbers its requests.
  return id as number;
}

describe('reconnect', () => {
  test('does nothing while the connection is open', async () => {
    const server = legacy();
    const client = await connect([server], { era: 'legacy' });
    await client.reconnect();
    await client.ping();
    expect(server.received.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'ping',
    ]);
  });

  test('opens one new connection for concurrent calls, and restores subscriptions and the log level', async () => {
    const [first, second] = [legacy(), legacy()];
    const ends: (Error | undefined)[] = [];
    const client = await connect([first, second], {
      era: 'legacy',
      events: { onClosed: (error) => ends.push(error) },
    });
    const heard: string[] = [];
    const watch = await client.watch({
      resources: ['file:///a'],
      onResourceUpdated: (uri) => heard.push(uri),
    });
    await client.setLogLevel('warning');
    first.crash(new Error('gone'));
    await expect(client.ping()).rejects.toMatchObject({ code: 'connection-lost', sent: false });
    await Promise.all([client.reconnect(), client.reconnect()]);
    expect(
      second.received.slice(2).map(({ method, params }) => [method, params!.uri ?? params!.level]),
    ).toEqual([
      ['logging/setLevel', 'warning'],
      ['resources/subscribe', 'file:///a'],
    ]);
    expect(heard).toEqual(['file:///a']);
    second.notify('notifications/resources/updated', { uri: 'file:///a' });
    expect(heard).toHaveLength(2);
    expect([watch.filter, ends]).toEqual([
      { resourceSubscriptions: ['file:///a'] },
      [new Error('gone')],
    ]);
    await watch.close();
    expect(await watch.ended).toBeUndefined();
    expect(second.all('resources/unsubscribe')).toHaveLength(1);
  });

  test('tries the known era first, and adopts the detected era', async () => {
    const first = legacy({ 'server/discover': refused(-32601) });
    const second = modern({ initialize: refused(-32601) });
    const client = await connect([first, second]);
    first.crash();
    await client.reconnect();
    expect(client.server.era).toBe('modern');
    expect(second.received.map(({ method }) => method)).toEqual(['initialize', 'server/discover']);
  });

  test('can be tried again after it failed, and not after close', async () => {
    const [first, second, third] = [legacy(), legacy({ initialize: refused(-32603) }), legacy()];
    const client = await connect([first, second, third], { era: 'legacy' });
    first.crash();
    await expect(client.reconnect()).rejects.toMatchObject({ code: 'connect-failed' });
    expect(second.isClosed).toBe(true);
    await client.reconnect();
    await client.ping();
    await client.close();
    await expect(client.reconnect()).rejects.toMatchObject({ code: 'connection-closed' });
  });

  test('in progress ends with close, and leaves nothing open', async () => {
    const [first, second] = [legacy(), new ScriptedServer()];
    const client = await connect([first, second], { era: 'legacy' });
    first.crash();
    const reconnecting = client.reconnect().catch((error: unknown) => error);
    await second.receives('initialize');
    await client.close();
    expect(await reconnecting).toMatchObject({ code: 'connection-closed' });
    expect(second.isClosed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('ends a watch that the server now refuses', async () => {
    const [first, second] = [modern(), modern({ 'subscriptions/listen': refused(-32603) })];
    const client = await connect([first, second], { era: 'modern' });
    const watching = client.watch({ onToolsChanged: () => undefined });
    await acknowledge(first);
    const watch = await watching;
    first.crash();
    await client.reconnect();
    expect(await watch.ended).toMatchObject({ code: -32603 });
  });
});

describe('a lost session', () => {
  const losing: Step = () => undefined;
  const lose = (server: ScriptedServer, id: unknown): void =>
    server.fail(id as number, sessionLost);

  test('is opened again once by concurrent requests, and lists are fetched again', async () => {
    const [first, second] = [
      legacy({ 'tools/list': losing, 'resources/list': losing }),
      legacy({
        'tools/list': () => ({ result: { tools: [{ name: 'a', inputSchema: {} }] } }),
        'resources/list': () => ({ result: { resources: [] } }),
      }),
    ];
    const ends: unknown[] = [];
    const client = await connect([first, second], {
      era: 'legacy',
      events: { onClosed: (error) => ends.push(error) },
    });
    const lists = Promise.all([client.listTools(), client.listResources()]);
    const requests = [await first.receives('tools/list'), await first.receives('resources/list')];
    for (const { id } of requests) lose(first, id);
    expect(await lists).toEqual([[{ name: 'a', inputSchema: {} }], []]);
    expect(first.isClosed).toBe(true);
    expect(ends).toEqual([]);
    expect(second.all('initialize')).toHaveLength(1);
  });

  test('rejects a call of a tool, which was not executed and is not sent again', async () => {
    const [first, second] = [legacy(), legacy({ 'tools/call': () => ({ result: done }) })];
    const client = await connect([first, second], { era: 'legacy' });
    const call = client.callTool('a', {}).catch((error: unknown) => error);
    lose(first, (await first.receives('tools/call')).id);
    expect(await call).toMatchObject({ code: 'connection-lost', sent: false });
    expect(second.all('tools/call')).toEqual([]);
    expect(await client.callTool('a', {})).toEqual(done);
  });

  test('lets requests that still run on the old connection finish', async () => {
    const [first, second] = [legacy(), legacy()];
    const client = await connect([first, second], { era: 'legacy' });
    const slow = client.callTool('slow', {});
    const { id } = await first.receives('tools/call');
    const ping = client.setLogLevel('info');
    first.fail(first.received.at(-1)!.id!, sessionLost);
    await ping;
    expect(first.isClosed).toBe(false);
    first.deliver({ id, result: done });
    expect(await slow).toEqual(done);
    await vi.waitFor(() => expect(first.isClosed).toBe(true), 10_000);
  });

  test('and its running requests end with the client', async () => {
    const [first, second] = [legacy(), legacy()];
    const client = await connect([first, second], { era: 'legacy' });
    const slow = client.callTool('slow', {}).catch((error: unknown) => error);
    const noticing = client.setLogLevel('info');
    first.fail(first.received.at(-1)!.id!, sessionLost);
    await noticing;
    await client.close();
    expect([first.isClosed, second.isClosed]).toEqual([true, true]);
    expect(await slow).toMatchObject({ code: 'connection-lost' });
  });

  test('that cannot be reopened fails with the original error', async () => {
    const [first, second] = [legacy(), legacy({ initialize: refused(-32603) })];
    const client = await connect([first, second], { era: 'legacy' });
    const list = client.listTools().catch((error: unknown) => error);
    lose(first, (await first.receives('tools/list')).id);
    expect(((await list) as LocalError).cause).toBe(sessionLost);
  });
});

describe('a modern stream that breaks', () => {
  test('is reopened, and only its watch is notified of possibly missed changes', async () => {
    const server = modern();
    const changed: string[] = [];
    const client = await connect([server], { era: 'modern' });
    const heard: string[] = [];
    const watching = client.watch({
      resources: ['file:///a'],
      onResourceUpdated: (uri) => heard.push(uri),
      onToolsChanged: () => changed.push('tools'),
    });
    server.fail(await acknowledge(server), new Error('never mind, it is acknowledged below'));
    const watch = await watching;
    await flush();
    expect([heard, changed]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(625);
    const id = await acknowledge(server, 2);
    await flush();
    expect([heard, changed]).toEqual([['file:///a'], ['tools']]);
    server.notify('notifications/resources/updated', {
      uri: 'file:///a',
      _meta: { 'io.modelcontextprotocol/subscriptionId': id },
    });
    expect(heard).toEqual(['file:///a', 'file:///a']);
    await watch.close();
    expect(server.all('notifications/cancelled').map(({ params }) => params!.requestId)).toEqual([
      id,
    ]);
  });

  test('is retried with growing delays, and finally abandoned', async () => {
    const server = modern();
    const client = await connect([server], { era: 'modern' });
    const watching = client.watch({ onToolsChanged: () => undefined });
    server.fail(await acknowledge(server), new Error('down'));
    const watch = await watching;
    let ended: unknown;
    void watch.ended.then((reason) => (ended = reason));
    for (let attempt = 2; attempt <= 21; attempt++) {
      await vi.advanceTimersByTimeAsync(37_500);
      server.fail(
        (await server.receives('subscriptions/listen', attempt)).id!,
        new Error('still down'),
      );
    }
    await flush();
    expect(ended).toMatchObject({ code: 'connection-lost' });
    await vi.advanceTimersByTimeAsync(100_000);
    expect(server.all('subscriptions/listen')).toHaveLength(21);
  });

  test('is not opened again once its watch is closed', async () => {
    const server = modern();
    const client = await connect([server], { era: 'modern' });
    const watching = client.watch({ onToolsChanged: () => undefined });
    server.fail(await acknowledge(server), new Error('down'));
    await (await watching).close();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(server.all('subscriptions/listen')).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a request that is lost on its own way', () => {
  const broken = new Error('socket hang up');

  function http(): ScriptedServer {
    const server = legacy();
    server.hasStreamPerRequest = true;
    return server;
  }

  test('is sent once more when it only reads', async () => {
    const server = http();
    const client = await connect([server], { era: 'legacy' });
    const list = client.listTools();
    server.fail((await server.receives('tools/list')).id!, broken);
    const { id } = await server.receives('tools/list', 2);
    server.deliver({ id, result: { tools: [] } });
    expect(await list).toEqual([]);
    const lost = client.readResource('file:///a').catch((error: unknown) => error);
    for (const count of [1, 2])
      server.fail((await server.receives('resources/read', count)).id!, broken);
    expect(await lost).toMatchObject({ code: 'connection-lost', sent: true });
    expect(server.all('resources/read')).toHaveLength(2);
  });

  test('is not sent again when it may have done something, or was answered with a status', async () => {
    const server = http();
    const client = await connect([server], { era: 'legacy' });
    const call = client.callTool('a', {}).catch((error: unknown) => error);
    const list = client.listTools().catch((error: unknown) => error);
    server.fail((await server.receives('tools/call')).id!, broken);
    server.fail(
      (await server.receives('tools/list')).id!,
      new HttpError('busy', { status: 503, headers: {} }),
    );
    expect([await call, await list]).toEqual(
      [1, 2].map(
        () => expect.objectContaining({ code: 'connection-lost', sent: true }) as LocalError,
      ),
    );
    expect([server.all('tools/call').length, server.all('tools/list').length]).toEqual([1, 1]);
  });
});

describe('a refusal that proves that nothing was done', () => {
  const tool = {
    name: 'q',
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    },
  };

  function http(script: Script): ScriptedServer {
    const server = modern(script);
    server.hasStreamPerRequest = true;
    server.carriesHeaders = true;
    return server;
  }

  test('of headers leads to a new list and one more call', async () => {
    const answers = [refused(-32020), () => ({ result: done })];
    const server = http({
      'tools/call': (request) => answers.shift()!(request),
      'tools/list': () => ({ result: { tools: [tool], ttlMs: 60_000, cacheScope: 'public' } }),
    });
    const client = await connect([server], { era: 'modern' });
    expect(await client.callTool('q', { region: 'eu' })).toEqual(done);
    expect(server.headersOf('tools/call')).toEqual([undefined, { 'Mcp-Param-Region': 'eu' }]);
    expect(server.all('tools/call').map(({ params }) => params!.arguments)).toEqual([
      { region: 'eu' },
      { region: 'eu' },
    ]);
  });

  test.each<[string, number, unknown]>([
    ['of headers', -32020, undefined],
    ['of the version', -32022, { supported: ['2026-07-28'], requested: '2026-07-28' }],
  ])('%s that is repeated rejects the call', async (_name, code, data) => {
    const server = http({
      'tools/call': refused(code, data),
      'tools/list': () => ({ result: { tools: [tool] } }),
    });
    const client = await connect([server], { era: 'modern' });
    await expect(client.callTool('q', {})).rejects.toMatchObject({ code });
    expect(server.all('tools/call')).toHaveLength(2);
  });

  test('of the version without a common version rejects the call at once', async () => {
    const server = http({ 'tools/call': refused(-32022, { supported: ['2099-01-01'] }) });
    const client = await connect([server], { era: 'modern' });
    await expect(client.callTool('q', {})).rejects.toMatchObject({ code: -32022 });
    expect(server.all('tools/call')).toHaveLength(1);
  });

  test('with an HTTP status and an error without id is read like any other', async () => {
    const server = http({
      'tools/call': () => undefined,
      'tools/list': () => ({ result: { tools: [tool] } }),
    });
    const client = await connect([server], { era: 'modern' });
    const call = client.callTool('q', { region: 'eu' });
    const rpcError = { code: -32020, message: 'Header mismatch' };
    server.fail(
      (await server.receives('tools/call')).id!,
      new HttpError('400', { status: 400, headers: {}, rpcError }),
    );
    const { id } = await server.receives('tools/call', 2);
    server.deliver({ id, result: done });
    expect(await call).toEqual(done);
  });
});

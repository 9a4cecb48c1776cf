import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { metaOf } from '../era/meta-keys.ts';
import type { Progress } from '../protocol/progress.ts';
import { type LocalError, ProtocolError, ResourceNotFoundError } from '../protocol/errors.ts';
import type { ClientOptions, RequestOptions } from './client-options.ts';
import type { LogEntry } from './connection/logging.ts';
import {
  connectLegacy,
  connectModern,
  done,
  flush,
  settling,
  type Connected,
  type Script,
} from './testing/connected-client.test.support.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('lists', () => {
  test('are fetched page by page; the empty string is a cursor', async () => {
    const pages: { [cursor: string]: object } = {
      start: { tools: [{ name: 'a' }], nextCursor: '' },
      '': { tools: [], nextCursor: 'z' },
      z: { tools: [{ name: 'b' }] },
    };
    const { client, server } = await connectLegacy({
      'tools/list': ({ params }) => ({
        result: { ...pages[(params?.cursor as string | undefined) ?? 'start'] },
      }),
    });
    expect(await client.listTools()).toEqual([{ name: 'a' }, { name: 'b' }]);
    expect(server.all('tools/list').map(({ params }) => params!.cursor)).toEqual([
      undefined,
      '',
      'z',
    ]);
  });

  test('that repeat a cursor are refused', async () => {
    const { client, server } = await connectLegacy({
      'resources/list': () => ({ result: { resources: [], nextCursor: 'again' } }),
    });
    await expect(client.listResources()).rejects.toMatchObject({
      code: 'invalid-response',
      message: expect.stringContaining('again') as string,
    });
    expect(server.all('resources/list')).toHaveLength(2);
  });

  test('that are not lists are refused', async () => {
    const { client } = await connectLegacy({
      'resources/templates/list': () => ({ result: { resourceTemplates: 'none' } }),
    });
    await expect(client.listResourceTemplates()).rejects.toMatchObject({
      code: 'invalid-response',
    });
  });

  test('of a feature the server does not offer are empty and cost no request', async () => {
    const { client, server } = await connectLegacy({
      initialize: () => ({ result: { protocolVersion: '2025-11-25', capabilities: {} } }),
    });
    expect([
      await client.listTools(),
      await client.listResources(),
      await client.listResourceTemplates(),
    ]).toEqual([[], [], []]);
    await expect(client.callTool('a', {})).rejects.toMatchObject({
      code: 'capability-missing',
      sent: false,
    });
    await expect(client.readResource('a:b')).rejects.toMatchObject({ code: 'capability-missing' });
    expect(server.received.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
    ]);
  });
});

describe('a request', () => {
  test('carries its own progress token beside the meta of the caller', async () => {
    const { client, server } = await connectLegacy({ 'tools/call': () => done });
    await Promise.all([
      client.callTool('a', { x: 1 }, { meta: { 'dev.example/key': 'k' } }),
      client.callTool('b', {}),
    ]);
    const [first, second] = server.all('tools/call');
    expect(first!.params).toEqual({
      name: 'a',
      arguments: { x: 1 },
      _meta: { 'dev.example/key': 'k', progressToken: expect.anything() as number },
    });
    expect(metaOf(second!.params).progressToken).not.toEqual(metaOf(first!.params).progressToken);
  });

  test('of the modern era carries the client info each time', async () => {
    const { client, server } = await connectModern(
      { 'tools/call': () => done },
      { events: { onLog: () => undefined } },
    );
    expect(await client.callTool('a', {})).toMatchObject(done.result);
    expect(metaOf(server.all('tools/call')[0]!.params)).toEqual({
      progressToken: expect.anything() as number,
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
      'io.modelcontextprotocol/logLevel': 'info',
    });
  });

  test('delivers all of its progress in order and before the response', async () => {
    const { client, server } = await connectLegacy();
    const seen: (Progress | string)[] = [];
    const call = client
      .callTool('a', {}, { onProgress: (progress) => seen.push(progress) })
      .then(() => seen.push('answer'));
    const { id, params } = await server.receives('tools/call');
    const { progressToken } = metaOf(params);
    server.notify('notifications/progress', { progressToken, progress: 1 });
    server.notify('notifications/progress', { progressToken: 'other', progress: 50 });
    server.notify('notifications/progress', { progressToken, progress: 'half' });
    server.notify('notifications/progress', {
      progressToken,
      progress: 2,
      total: 3,
      message: 'two',
    });
    server.deliver({ id, ...done });
    await call;
    server.notify('notifications/progress', { progressToken, progress: 3 });
    expect(seen).toEqual([{ progress: 1 }, { progress: 2, total: 3, message: 'two' }, 'answer']);
  });

  test('rejects with the error of the server', async () => {
    const { client } = await connectLegacy({
      'tools/call': () => ({
        error: { code: -32602, message: 'Unknown tool', data: { name: 'a' } },
      }),
    });
    const error = await client.callTool('a', {}).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error).toMatchObject({ code: -32602, message: 'Unknown tool', data: { name: 'a' } });
  });

  test.each<[string, object]>([
    ['no result', { result: 'text' }],
    ['result and error', { result: {}, error: { code: 1, message: '' } }],
    ['content that is no list', { result: { content: {} } }],
  ])('rejects a response with %s', async (_name, answer) => {
    const { client, server } = await connectLegacy();
    const call = client.callTool('a', {});
    const { id } = await server.receives('tools/call');
    server.deliver({ id, ...answer });
    await expect(call).rejects.toMatchObject({ code: 'invalid-response', sent: true });
  });

  test('with params that JSON cannot represent is an error of the caller', async () => {
    const { client, server } = await connectLegacy();
    await expect(client.callTool('a', { n: 1n })).rejects.toMatchObject({
      code: 'invalid-argument',
      sent: false,
    });
    expect(server.all('tools/call')).toHaveLength(0);
  });

  test('settles once even when the server responds twice', async () => {
    const { client, server } = await connectLegacy({ ping: () => ({ result: {} }) });
    const call = client.callTool('a', {});
    const { id } = await server.receives('tools/call');
    server.deliver({ id, ...done });
    server.deliver({ id, error: { code: -1, message: 'changed my mind' } });
    expect(await call).toEqual(done.result);
    await client.ping();
  });

  test.each([-32002, -32602])(
    'for a missing resource rejects with ResourceNotFoundError for code %i',
    async (code) => {
      const { client } = await connectLegacy({
        'resources/read': () => ({ error: { code, message: 'gone', data: { uri: 'file:///a' } } }),
      });
      await expect(client.readResource('file:///a')).rejects.toBeInstanceOf(ResourceNotFoundError);
    },
  );

  test('for a resource with bad params is not taken for a missing resource', async () => {
    const { client } = await connectLegacy({
      'resources/read': () => ({ error: { code: -32602, message: 'bad uri' } }),
    });
    const error = await client.readResource('file:///a').catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: -32602, message: 'bad uri' });
  });

  test('for a resource gives its contents', async () => {
    const { client } = await connectModern({
      'resources/read': () => ({
        result: { contents: [{ uri: 'file:///a', text: 'A' }], ttlMs: 0, cacheScope: 'private' },
      }),
    });
    expect(await client.readResource('file:///a')).toEqual([{ uri: 'file:///a', text: 'A' }]);
  });
});

describe('cancelling', () => {
  test('before sending sends nothing', async () => {
    const { client, server } = await connectLegacy();
    await expect(client.callTool('a', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'request-cancelled',
      sent: false,
    });
    expect(server.received.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
    ]);
  });

  test.each([
    ['legacy', connectLegacy],
    ['modern', connectModern],
  ])('a %s request sends the notification and ignores the late response', async (_era, connect) => {
    const { client, server } = await connect();
    const stop = new AbortController();
    const progress: Progress[] = [];
    const settled = settling(
      client.callTool(
        'a',
        {},
        { signal: stop.signal, onProgress: (update) => progress.push(update) },
      ),
    );
    const { id, params } = await server.receives('tools/call');
    stop.abort(new Error('enough'));
    expect((await server.receives('notifications/cancelled')).params).toMatchObject({
      requestId: id,
    });
    server.notify('notifications/progress', {
      progressToken: metaOf(params).progressToken,
      progress: 1,
    });
    server.deliver({ id, ...done });
    await flush();
    expect(settled).toEqual({
      error: expect.objectContaining({
        code: 'request-cancelled',
        sent: true,
        cause: new Error('enough'),
      }) as LocalError,
    });
    expect(progress).toEqual([]);
  });

  test('reaches the server before anything that is sent afterwards', async () => {
    const { client, server } = await connectLegacy({ ping: () => ({ result: {} }) });
    const stop = new AbortController();
    const settled = settling(client.callTool('a', {}, { signal: stop.signal }));
    stop.abort();
    await client.ping();
    await client.close();
    expect(settled.error?.code).toBe('request-cancelled');
    expect(server.received.slice(2).map(({ method }) => method)).toEqual([
      'tools/call',
      'notifications/cancelled',
      'ping',
    ]);
  });

  test('at the time of the response does nothing', async () => {
    const { client, server } = await connectLegacy();
    const stop = new AbortController();
    const call = client.callTool('a', {}, { signal: stop.signal });
    const { id } = await server.receives('tools/call');
    server.deliver({ id, ...done });
    stop.abort();
    expect(await call).toEqual(done.result);
    expect(server.all('notifications/cancelled')).toHaveLength(0);
  });

  test('after the response does nothing', async () => {
    const { client, server } = await connectLegacy({ 'tools/call': () => done });
    const stop = new AbortController();
    await client.callTool('a', {}, { signal: stop.signal });
    stop.abort();
    await flush();
    expect(server.all('notifications/cancelled')).toHaveLength(0);
  });
});

describe('the end of the connection', () => {
  test('rejects every waiting request, which is never sent again', async () => {
    const ends: (Error | undefined)[] = [];
    const { client, server } = await connectLegacy(
      {},
      { events: { onClosed: (error) => ends.push(error) } },
    );
    const call = settling(client.callTool('a', {}));
    const list = settling(client.listTools());
    await server.receives('tools/list');
    server.crash(new Error('exited with code 9'));
    await flush();
    expect(call.error).toMatchObject({
      code: 'connection-lost',
      sent: true,
      message: expect.stringContaining('exited with code 9') as string,
    });
    expect(list.error).toMatchObject({ code: 'connection-lost', sent: true });
    expect(server.all('tools/call')).toHaveLength(1);
    expect(ends).toEqual([new Error('exited with code 9')]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('rejects later requests, which are not sent', async () => {
    const { client, server } = await connectLegacy();
    server.crash(new Error('gone'));
    await expect(client.callTool('a', {})).rejects.toMatchObject({
      code: 'connection-lost',
      sent: false,
    });
    await expect(client.ping()).rejects.toMatchObject({ code: 'connection-lost', sent: false });
    expect(server.all('tools/call')).toHaveLength(0);
  });

  test('by close is reported once, without an error', async () => {
    const ends: (Error | undefined)[] = [];
    const { client, server } = await connectLegacy(
      {},
      { events: { onClosed: (error) => ends.push(error) } },
    );
    const call = settling(client.callTool('a', {}));
    await server.receives('tools/call');
    await Promise.all([client.close(), client.close()]);
    await flush();
    expect(call.error).toMatchObject({ code: 'connection-lost', sent: true });
    expect(ends).toEqual([undefined]);
    await expect(client.callTool('a', {})).rejects.toMatchObject({
      code: 'connection-closed',
      sent: false,
    });
  });
});

describe('notifications', () => {
  test('of the end tolerate a callback that throws', async () => {
    const problems: unknown[] = [];
    const onClosed = (): void => {
      throw new Error('mine');
    };
    const { server } = await connectLegacy(
      {},
      { events: { onClosed, onProblem: ({ cause }) => problems.push(cause) } },
    );
    expect(() => server.crash()).not.toThrow();
    expect(problems).toEqual([new Error('mine')]);
  });

  test('of changed lists and logs reach their callbacks', async () => {
    const heard: string[] = [];
    const logs: LogEntry[] = [];
    const { client, server } = await connectLegacy(
      { ping: () => ({ result: {} }) },
      { events: { onLog: (entry) => logs.push(entry) } },
    );
    await client.watch({
      onToolsChanged: () => heard.push('tools'),
      onResourcesChanged: () => heard.push('resources'),
    });
    for (const list of ['tools', 'resources', 'prompts'])
      server.notify(`notifications/${list}/list_changed`, {});
    server.notify('notifications/message', { level: 'error', logger: 'db', data: { a: 1 } });
    server.notify('notifications/message', { level: 'shout', data: 'x' });
    server.notify('notifications/unheard/of', {});
    await client.ping();
    expect(heard).toEqual(['tools', 'resources']);
    expect(logs).toEqual([
      { level: 'error', logger: 'db', data: { a: 1 } },
      { level: 'info', data: 'x' },
    ]);
  });

  test('of a complete URL elicitation reach their callback with the id, and are ignored without an id', async () => {
    const heard: string[] = [];
    const { client, server } = await connectLegacy(
      { ping: () => ({ result: {} }) },
      { events: { onElicitationComplete: (id) => heard.push(id) } },
    );
    for (const elicitationId of ['e1', 7, undefined])
      server.notify('notifications/elicitation/complete', { elicitationId });
    await client.ping();
    expect(heard).toEqual(['e1']);
  });

  test('named like a member of Object.prototype are ignored', async () => {
    const problems: Error[] = [];
    const { client, server } = await connectLegacy(
      { ping: () => ({ result: {} }) },
      { events: { onProblem: (problem) => problems.push(problem) } },
    );
    for (const method of ['constructor', 'toString', '__proto__']) server.notify(method, {});
    await client.ping();
    expect(problems).toEqual([]);
  });

  test('whose callback throws do not affect the connection', async () => {
    const problems: Error[] = [];
    const onToolsChanged = (): void => {
      throw new Error('mine');
    };
    const { client, server } = await connectLegacy(
      { ping: () => ({ result: {} }) },
      { events: { onProblem: (problem) => problems.push(problem) } },
    );
    await client.watch({ onToolsChanged });
    server.notify('notifications/tools/list_changed', {});
    await client.ping();
    expect(problems.map(({ cause }) => cause)).toEqual([new Error('mine')]);
  });
});

describe('ping and roots', () => {
  test.each<
    [string, (script: Script, options?: Partial<ClientOptions>) => Promise<Connected>, string]
  >([
    ['legacy', connectLegacy, 'ping'],
    ['modern', connectModern, 'server/discover'],
  ])('ping a %s server with %s', async (_era, connect, method) => {
    const { client, server } = await connect({ ping: () => ({ result: {} }) });
    const before = server.all(method).length;
    await client.ping();
    expect(server.all(method)).toHaveLength(before + 1);
    const request: RequestOptions = { signal: AbortSignal.abort() };
    await expect(client.ping(request)).rejects.toMatchObject({ code: 'request-cancelled' });
  });

  test('changed roots are announced only to a legacy server that may list them', async () => {
    const handlers = { listRoots: () => Promise.resolve([]) };
    const asking = await connectLegacy({}, { handlers });
    const without = await connectLegacy();
    const modern = await connectModern({}, { handlers });
    for (const { client } of [asking, without, modern]) await client.rootsChanged();
    expect(
      [asking, without, modern].map(
        ({ server }) => server.all('notifications/roots/list_changed').length,
      ),
    ).toEqual([1, 0, 0]);
  });
});

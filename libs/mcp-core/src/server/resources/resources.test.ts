import { describe, expect, test } from 'vitest';
import { metaOf } from '../../era/meta-keys.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { PROTOCOL_VERSIONS } from '../../era/versions.ts';
import { ErrorCode, ProtocolError, ResourceNotFoundError } from '../../protocol/errors.ts';
import {
  connectRaw,
  initialize,
  modern,
  type RawClient,
} from '../../testing/raw-client.test.support.ts';
import { createServer } from '../create-server.ts';
import type { ResourceProvider } from './resource-provider.ts';
import type { Server } from '../server.ts';

const info = { name: 'test-server', version: '1' };
const gone = 'test:/gone';

/** A provider that tells what is watched. `test:/refused` cannot be watched. */
function watched(): ResourceProvider & {
  readonly attached: string[];
  readonly detached: string[];
} {
  const attached: string[] = [];
  const detached: string[] = [];
  return {
    attached,
    detached,
    list: (cursor) => {
      if (cursor === 'bad') throw new ProtocolError(ErrorCode.invalidParams, 'Unknown cursor');
      const page = cursor === undefined ? { nextCursor: '' } : {};
      return Promise.resolve({
        resources: [{ uri: 'test:/a', name: cursor ?? 'first' }],
        ttlMs: 1000,
        cacheScope: 'public',
        ...page,
      });
    },
    read: (uri) => {
      if (uri === gone) throw new ResourceNotFoundError(uri);
      if (uri === 'test:/crash') throw new Error('secret');
      return Promise.resolve({ contents: [{ uri, text: 'hello' }] });
    },
    subscribe: (uri) => {
      if (uri === 'test:/refused')
        return Promise.reject(new ProtocolError(ErrorCode.invalidParams, 'Not watchable'));
      attached.push(uri);
      return Promise.resolve(() => void detached.push(uri));
    },
  };
}

async function serve(version?: string): Promise<{
  provider: ReturnType<typeof watched>;
  server: Server;
  client: RawClient;
  errors: unknown[];
}> {
  const provider = watched();
  const errors: unknown[] = [];
  const server = createServer({
    info,
    tools: [],
    resources: provider,
    events: { onError: (error) => errors.push(error) },
  });
  const client = await connectRaw(server);
  if (version !== undefined) await initialize(client, version);
  return { provider, server, client, errors };
}

const notifications = (client: RawClient): unknown[] =>
  client.received
    .filter((message) => 'method' in (message as object))
    .map((message) => [
      (message as { method: string }).method,
      (message as { params: unknown }).params,
    ]);

describe('resources', () => {
  test('pass their pages and cache hints as each era supports', async () => {
    const { client } = await serve('2025-11-25');
    expect(await client.request(1, 'resources/list')).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { resources: [{ uri: 'test:/a', name: 'first' }], nextCursor: '' },
    });
    expect(await client.request(2, 'resources/list', { cursor: '' })).toMatchObject({
      result: { resources: [{ name: '' }] },
    });
    expect(await client.request(3, 'resources/list', modern())).toMatchObject({
      result: { resultType: 'complete', ttlMs: 1000, cacheScope: 'public' },
    });
    expect(await client.request(4, 'resources/list', { cursor: 'bad' })).toMatchObject({
      error: { code: -32602, message: 'Unknown cursor' },
    });
    expect(await client.request(5, 'resources/templates/list')).toEqual({
      jsonrpc: '2.0',
      id: 5,
      result: { resourceTemplates: [] },
    });
  });

  test.each(PROTOCOL_VERSIONS)('read, or are missing with the code of %s', async (version) => {
    const isModern = version === '2026-07-28';
    const { client, errors } = await serve(isModern ? undefined : version);
    const read = (id: number, uri: unknown) =>
      client.request(id, 'resources/read', isModern ? modern({ uri }) : { uri });
    expect(await read(1, 'test:/a')).toMatchObject({
      result: { contents: [{ uri: 'test:/a', text: 'hello' }] },
    });
    expect(await read(2, gone)).toMatchObject({
      error: { code: isModern ? -32602 : -32002, data: { uri: gone } },
    });
    expect(await read(3, 7)).toMatchObject({ error: { code: -32602 } });
    expect(
      await client.request(
        'forged',
        'resources/read',
        modern({ uri: 'test:/a', requestState: 'forged' }),
      ),
    ).toMatchObject({ error: { code: -32602 } });
    expect(await read(4, 'test:/crash')).toMatchObject({
      error: { code: -32603, message: 'Internal error' },
    });
    expect(errors).toMatchObject([{ message: 'secret' }]);
  });
});

describe('resources/subscribe', () => {
  test('attaches once, sends updates of that resource until unsubscribe, then detaches', async () => {
    const { provider, server, client } = await serve('2025-06-18');
    expect(await client.request(1, 'resources/subscribe', { uri: 'test:/a' })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {},
    });
    await client.request(2, 'resources/subscribe', { uri: 'test:/a' });
    expect(provider.attached).toEqual(['test:/a']);
    server.changes.resourceUpdated('test:/a');
    server.changes.resourceUpdated('test:/b');
    await client.request(3, 'resources/unsubscribe', { uri: 'test:/a' });
    server.changes.resourceUpdated('test:/a');
    expect(await client.request(4, 'resources/unsubscribe', { uri: 'test:/never' })).toHaveProperty(
      'result',
    );
    expect(notifications(client)).toEqual([
      ['notifications/resources/updated', { uri: 'test:/a' }],
    ]);
    expect(provider.detached).toEqual(['test:/a']);
  });

  test('passes on the refusal, and the resource stays unwatched', async () => {
    const { server, client } = await serve('2025-06-18');
    expect(await client.request(1, 'resources/subscribe', { uri: 'test:/refused' })).toMatchObject({
      error: { code: -32602, message: 'Not watchable' },
    });
    expect(await client.request(2, 'resources/subscribe', {})).toMatchObject({
      error: { code: -32602 },
    });
    server.changes.resourceUpdated('test:/refused');
    await client.settled();
    expect(notifications(client)).toEqual([]);
  });

  test('is undone when the connection ends', async () => {
    const { provider, client } = await serve('2025-06-18');
    await client.request(1, 'resources/subscribe', { uri: 'test:/a' });
    await client.request(2, 'resources/subscribe', { uri: 'test:/b' });
    await client.close();
    await client.connection.closed;
    await client.settled();
    expect(provider.detached).toEqual(['test:/a', 'test:/b']);
  });
});

test('list changes reach every initialized session, and no connection without one', async () => {
  const { server, client } = await serve('2024-11-05');
  const other = await connectRaw(server);
  await other.request(1, 'server/discover', modern());
  server.changes.toolsChanged();
  server.changes.resourcesChanged();
  server.changes.promptsChanged();
  await Promise.all([client.settled(), other.settled()]);
  expect(notifications(client)).toEqual([
    ['notifications/tools/list_changed', {}],
    ['notifications/resources/list_changed', {}],
  ]);
  expect(notifications(other)).toEqual([]);
});

describe('subscriptions/listen', () => {
  const listen = (
    client: RawClient,
    id: string | number,
    filter: unknown,
  ): Promise<{ [key: string]: unknown }> => {
    client.send({
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: modern({ notifications: filter }),
    });
    return client.find((message) => {
      const { method, params } = message as { method?: string; params?: JsonObject };
      return (
        method === 'notifications/subscriptions/acknowledged' &&
        metaOf(params)['io.modelcontextprotocol/subscriptionId'] === id
      );
    });
  };

  test('acknowledges the accepted filter first, then tags every message with the id and its type', async () => {
    const { provider, server, client } = await serve();
    const filter = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: false,
      resourceSubscriptions: ['test:/a', 'test:/refused', 'test:/a'],
      taskIds: ['t'],
    };
    const tag = { 'io.modelcontextprotocol/subscriptionId': 1 };
    expect(await listen(client, 1, filter)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        _meta: tag,
        notifications: { toolsListChanged: true, resourceSubscriptions: ['test:/a'] },
      },
    });
    expect(provider.attached).toEqual(['test:/a']);
    server.changes.toolsChanged();
    server.changes.resourcesChanged();
    server.changes.promptsChanged();
    server.changes.resourceUpdated('test:/a');
    server.changes.resourceUpdated('test:/refused');
    await client.settled();
    expect(notifications(client).slice(1)).toEqual([
      ['notifications/tools/list_changed', { _meta: tag }],
      ['notifications/resources/updated', { _meta: tag, uri: 'test:/a' }],
    ]);
  });

  test('keeps streams apart, also by the type of their ids', async () => {
    const { server, client } = await serve();
    await listen(client, 1, { toolsListChanged: true });
    await listen(client, '1', { resourcesListChanged: true });
    server.changes.toolsChanged();
    server.changes.resourcesChanged();
    await client.settled();
    expect(notifications(client).slice(2)).toEqual([
      [
        'notifications/tools/list_changed',
        { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
      ],
      [
        'notifications/resources/list_changed',
        { _meta: { 'io.modelcontextprotocol/subscriptionId': '1' } },
      ],
    ]);
  });

  test('delays changes before the acknowledgment', async () => {
    const attaching = Promise.withResolvers<() => void>();
    const begun = Promise.withResolvers<undefined>();
    const provider: ResourceProvider = {
      ...watched(),
      subscribe: () => {
        begun.resolve(undefined);
        return attaching.promise;
      },
    };
    const server = createServer({ info, resources: provider });
    const client = await connectRaw(server);
    const acknowledged = listen(client, 'l', { resourceSubscriptions: ['test:/a'] });
    await begun.promise;
    server.changes.resourceUpdated('test:/a');
    await client.settled();
    expect(client.received).toEqual([]);
    attaching.resolve(() => undefined);
    await acknowledged;
    await client.settled();
    expect(notifications(client).map((entry) => (entry as [string])[0])).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/resources/updated',
    ]);
  });

  test('sends repeated changes before the acknowledgment once', async () => {
    const attaching = Promise.withResolvers<() => void>();
    const begun = Promise.withResolvers<undefined>();
    const subscribe = (): Promise<() => void> => {
      begun.resolve(undefined);
      return attaching.promise;
    };
    const server = createServer({ info, tools: [], resources: { ...watched(), subscribe } });
    const client = await connectRaw(server);
    const acknowledged = listen(client, 'l', {
      resourceSubscriptions: ['test:/a'],
      toolsListChanged: true,
    });
    await begun.promise;
    for (let count = 0; count < 1000; count += 1) {
      server.changes.resourceUpdated('test:/a');
      server.changes.toolsChanged();
    }
    attaching.resolve(() => undefined);
    await acknowledged;
    await client.settled();
    expect(client.received).toHaveLength(3);
  });

  test('ends gracefully while a watcher is still being attached, which is then detached', async () => {
    const attaching = Promise.withResolvers<() => void>();
    const begun = Promise.withResolvers<undefined>();
    const detached = Promise.withResolvers<string>();
    const subscribe = (uri: string): Promise<() => void> => {
      begun.resolve(undefined);
      return attaching.promise.then(() => () => {
        detached.resolve(uri);
      });
    };
    const client = await connectRaw(createServer({ info, resources: { ...watched(), subscribe } }));
    const acknowledged = listen(client, 'l', { resourceSubscriptions: ['test:/a'] });
    await begun.promise;
    await client.connection.close();
    expect(await acknowledged).toMatchObject({ params: { notifications: {} } });
    expect(client.received.slice(1)).toMatchObject([
      { method: 'notifications/cancelled' },
      { id: 'l', result: {} },
    ]);
    attaching.resolve(() => undefined);
    expect(await detached.promise).toBe('test:/a');
  });

  test('ends without a response when the client cancels, and detaches', async () => {
    const { provider, server, client } = await serve();
    await listen(client, 'l', { toolsListChanged: true, resourceSubscriptions: ['test:/a'] });
    client.notify('notifications/cancelled', { requestId: 'l' });
    await client.settled();
    server.changes.toolsChanged();
    await client.settled();
    expect(client.received).toHaveLength(1);
    expect(provider.detached).toEqual(['test:/a']);
  });

  test('detaches a watcher that was still being attached when the client cancelled', async () => {
    const attaching = Promise.withResolvers<() => void>();
    const begun = Promise.withResolvers<undefined>();
    const detached = Promise.withResolvers<string>();
    const provider: ResourceProvider = {
      ...watched(),
      subscribe: (uri) => {
        begun.resolve(undefined);
        return attaching.promise.then(() => () => {
          detached.resolve(uri);
        });
      },
    };
    const client = await connectRaw(createServer({ info, resources: provider }));
    void listen(client, 'l', { resourceSubscriptions: ['test:/a'] });
    await begun.promise;
    client.notify('notifications/cancelled', { requestId: 'l' });
    await client.settled();
    attaching.resolve(() => undefined);
    expect(await detached.promise).toBe('test:/a');
    expect(client.received).toEqual([]);
  });

  test('ends with a cancellation and then its result when the server closes', async () => {
    const { client } = await serve();
    await listen(client, 7, { toolsListChanged: true });
    await client.connection.close();
    await client.closed;
    expect(client.received.slice(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: {
          _meta: { 'io.modelcontextprotocol/subscriptionId': 7 },
          requestId: 7,
          reason: 'The server ends the subscription',
        },
      },
      {
        jsonrpc: '2.0',
        id: 7,
        result: {
          resultType: 'complete',
          _meta: {
            'io.modelcontextprotocol/subscriptionId': 7,
            'io.modelcontextprotocol/serverInfo': info,
          },
        },
      },
    ]);
  });

  test.each([
    ['was refused', { taskIds: [] }],
    ['was given up', {}],
  ])('leaves no listener behind on the signal of the server when it %s', async (_title, filter) => {
    const server = createServer({ info, tools: [], settings: { tasks: {} } });
    const given = new AbortController();
    const ended = new AbortController().signal;
    const listeners = new Set<unknown>();
    ended.addEventListener = (_type: string, listener: unknown) => void listeners.add(listener);
    ended.removeEventListener = (_type: string, listener: unknown) =>
      void listeners.delete(listener);
    const link = { signal: given.signal, ended, notify: () => Promise.resolve(given.abort()) };
    const response = await server.handle(
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: modern({ notifications: filter }),
      },
      link,
    );
    expect(response).toHaveProperty('error');
    expect(listeners).toEqual(new Set());
  });

  test.each([
    [undefined],
    [[]],
    [{ toolsListChanged: 'yes' }],
    [{ resourceSubscriptions: 'test:/a' }],
    [{ resourceSubscriptions: [1] }],
  ])('refuses the filter %j', async (filter) => {
    const { client } = await serve();
    expect(
      await client.request(1, 'subscriptions/listen', modern({ notifications: filter })),
    ).toMatchObject({ error: { code: -32602 } });
  });
});

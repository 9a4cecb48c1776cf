import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject, RequestId } from '../../jsonrpc/messages.ts';
import type { Client } from '../client.ts';
import type { ClientOptions } from '../client-options.ts';
import { connectClient } from '../connect-client.ts';
import {
  discovered,
  initialized,
  ScriptedServer,
  type Step,
} from '../testing/scripted-server.test.support.ts';

interface Connected {
  readonly client: Client;
  readonly server: ScriptedServer;
}

type Script = { [method: string]: Step };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

async function connect(script: Script, options: Partial<ClientOptions>): Promise<Connected> {
  const server = new ScriptedServer({
    initialize: initialized(),
    'server/discover': discovered,
    ...script,
  });
  return {
    server,
    client: await connectClient(() => server, { info: { name: 't', version: '0' }, ...options }),
  };
}

/** Attaches a handler at once, so that a rejection in between is not reported as unhandled. */
function outcomeOf(watching: Promise<unknown>): Promise<unknown> {
  return watching.catch((error: unknown) => error);
}

const flush = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);
const empty: Step = () => ({ result: {} });

describe('a watch on a legacy server', () => {
  const subscribable: Script = { 'resources/subscribe': empty, 'resources/unsubscribe': empty };
  const connectLegacy = (script: Script = {}): Promise<Connected> =>
    connect({ ...subscribable, ...script }, { era: 'legacy' });

  function updated(server: ScriptedServer, uri: string): void {
    server.notify('notifications/resources/updated', { uri });
  }

  test('subscribes each URI, receives its updates, and nothing after close', async () => {
    const { client, server } = await connectLegacy();
    const heard: string[] = [];
    const watch = await client.watch({
      resources: ['file:///a', 'file:///b', 'file:///a'],
      onResourceUpdated: (uri) => heard.push(uri),
    });
    expect(watch.filter).toEqual({ resourceSubscriptions: ['file:///a', 'file:///b'] });
    expect(server.all('resources/subscribe').map(({ params }) => params!.uri)).toEqual([
      'file:///a',
      'file:///b',
    ]);
    updated(server, 'file:///a');
    updated(server, 'file:///b');
    const closing = watch.close();
    updated(server, 'file:///a');
    await closing;
    await watch.close();
    expect(heard).toEqual(['file:///a', 'file:///b']);
    expect(server.all('resources/unsubscribe').map(({ params }) => params!.uri)).toEqual([
      'file:///a',
      'file:///b',
    ]);
  });

  test('honours only what the server declared', async () => {
    const { client, server } = await connectLegacy({
      initialize: () => ({
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: { listChanged: true }, resources: {} },
        },
      }),
    });
    const watch = await client.watch({
      onToolsChanged: () => undefined,
      onPromptsChanged: () => undefined,
      onResourcesChanged: () => undefined,
      resources: ['file:///a'],
    });
    expect(watch.filter).toEqual({ toolsListChanged: true });
    expect(server.all('resources/subscribe')).toEqual([]);
  });

  test('leaves out a URI that the server refuses', async () => {
    const refusing: Step = ({ params }) =>
      params!.uri === 'file:///no' ? { error: { code: -32602, message: 'no' } } : { result: {} };
    const { client, server } = await connectLegacy({ 'resources/subscribe': refusing });
    const watch = await client.watch({ resources: ['file:///no', 'file:///yes'] });
    expect(watch.filter).toEqual({ resourceSubscriptions: ['file:///yes'] });
    await watch.close();
    expect(server.all('resources/unsubscribe').map(({ params }) => params!.uri)).toEqual([
      'file:///yes',
    ]);
  });

  test('shares the subscription of a URI with other watches until the last one closes', async () => {
    const { client, server } = await connectLegacy();
    const heard: string[] = [];
    const [first, second] = await Promise.all([
      client.watch({ resources: ['file:///a'], onResourceUpdated: () => heard.push('first') }),
      client.watch({ resources: ['file:///a'], onResourceUpdated: () => heard.push('second') }),
    ]);
    await first.close();
    updated(server, 'file:///a');
    expect(heard).toEqual(['second']);
    expect(server.all('resources/unsubscribe')).toEqual([]);
    await second.close();
    expect(server.all('resources/subscribe')).toHaveLength(1);
    expect(server.all('resources/unsubscribe')).toHaveLength(1);
  });

  test('receives updates for parts of its resource, even if their URI does not show the relation', async () => {
    const { client, server } = await connectLegacy();
    const heard: string[] = [];
    await client.watch({
      resources: ['file:///dir'],
      onResourceUpdated: (uri) => heard.push(`dir ${uri}`),
    });
    await client.watch({
      resources: ['file:///dirt'],
      onResourceUpdated: (uri) => heard.push(`dirt ${uri}`),
    });
    await client.watch({ onToolsChanged: () => undefined });
    updated(server, 'file:///dir/part');
    updated(server, 'part:7');
    expect(heard).toEqual(['dir file:///dir/part', 'dir part:7', 'dirt part:7']);
  });

  test('receives its updates even if a different watch throws', async () => {
    const problems: unknown[] = [];
    const { client, server } = await connect(subscribable, {
      era: 'legacy',
      events: { onProblem: ({ cause }) => problems.push(cause) },
    });
    const heard: string[] = [];
    const fail = (): void => {
      throw new Error('mine');
    };
    await client.watch({ resources: ['file:///a'], onResourceUpdated: fail });
    await client.watch({ resources: ['file:///a'], onResourceUpdated: (uri) => heard.push(uri) });
    updated(server, 'file:///a');
    expect([heard, problems]).toEqual([['file:///a'], [new Error('mine')]]);
  });

  test('waits with a new subscription until the last one of the same URI has ended', async () => {
    const { client, server } = await connectLegacy({ 'resources/unsubscribe': () => undefined });
    const first = await client.watch({ resources: ['file:///a'] });
    const closing = first.close();
    const again = client.watch({ resources: ['file:///a'] });
    const { id } = await server.receives('resources/unsubscribe');
    await flush();
    expect(server.all('resources/subscribe')).toHaveLength(1);
    server.deliver({ id, result: {} });
    await Promise.all([closing, again]);
    expect(server.all('resources/subscribe')).toHaveLength(2);
  });

  test('rejects when the connection ends first', async () => {
    const { client, server } = await connectLegacy({ 'resources/subscribe': () => undefined });
    const watching = outcomeOf(client.watch({ resources: ['file:///a'] }));
    await server.receives('resources/subscribe');
    server.crash(new Error('gone'));
    expect(await watching).toMatchObject({ code: 'connection-lost' });
  });
});

describe('a watch on a modern server', () => {
  const connectModern = (options: Partial<ClientOptions> = {}): Promise<Connected> =>
    connect({}, { era: 'modern', ...options });

  function tell(
    server: ScriptedServer,
    method: string,
    { id, ...params }: JsonObject & { readonly id: RequestId | undefined },
  ): void {
    server.notify(`notifications/${method}`, {
      ...params,
      _meta: { 'io.modelcontextprotocol/subscriptionId': id },
    });
  }

  async function open({ client, server }: Connected, heard: string[], count = 1) {
    const watching = client.watch({
      resources: ['file:///a', 'file:///b'],
      onResourceUpdated: (uri) => heard.push(uri),
      onToolsChanged: () => undefined,
    });
    const { id } = await server.receives('subscriptions/listen', count);
    tell(server, 'subscriptions/acknowledged', {
      id,
      notifications: { resourceSubscriptions: ['file:///a'] },
    });
    return { watch: await watching, id };
  }

  test('is one stream with the acknowledged filter', async () => {
    const connected = await connectModern();
    const { server } = connected;
    const heard: string[] = [];
    const { watch, id } = await open(connected, heard);
    expect(watch.filter).toEqual({ resourceSubscriptions: ['file:///a'] });
    expect(server.all('subscriptions/listen')[0]!.params).toMatchObject({
      notifications: {
        resourceSubscriptions: ['file:///a', 'file:///b'],
        toolsListChanged: true,
      },
    });
    tell(server, 'resources/updated', { id, uri: 'file:///a' });
    tell(server, 'resources/updated', { id: String(id), uri: 'file:///wrong-type' });
    tell(server, 'resources/updated', { id: 999, uri: 'file:///wrong-stream' });
    server.notify('notifications/resources/updated', { uri: 'file:///untagged' });
    expect(heard).toEqual(['file:///a']);
    await watch.close();
    tell(server, 'resources/updated', { id, uri: 'file:///late' });
    expect(heard).toEqual(['file:///a']);
    expect(server.all('notifications/cancelled').map(({ params }) => params!.requestId)).toEqual([
      id,
    ]);
    await watch.close();
    expect(server.all('notifications/cancelled')).toHaveLength(1);
  });

  test('receives only its own updates', async () => {
    const connected = await connectModern();
    const heard: [string[], string[]] = [[], []];
    const first = await open(connected, heard[0]);
    const second = await open(connected, heard[1], 2);
    tell(connected.server, 'resources/updated', { id: second.id, uri: 'file:///2' });
    await first.watch.close();
    tell(connected.server, 'resources/updated', { id: second.id, uri: 'file:///3' });
    expect(heard).toEqual([[], ['file:///2', 'file:///3']]);
  });

  test('may run forever without a timeout', async () => {
    const connected = await connectModern({ limits: { requestTimeoutMs: 100 } });
    const heard: string[] = [];
    const { id } = await open(connected, heard);
    await vi.advanceTimersByTimeAsync(1_000_000);
    tell(connected.server, 'resources/updated', { id, uri: 'file:///a' });
    expect(heard).toEqual(['file:///a']);
    expect(connected.server.all('notifications/cancelled')).toEqual([]);
  });

  test.each<[string, (server: ScriptedServer, id: RequestId) => void]>([
    ['a result', (server, id) => server.deliver({ id, result: { resultType: 'complete' } })],
    ['a cancellation', (server, id) => server.notify('notifications/cancelled', { requestId: id })],
    [
      'an error',
      (server, id) => server.deliver({ id, error: { code: -32603, message: 'stopping' } }),
    ],
  ])('ends when the server ends it with %s', async (_name, end) => {
    const connected = await connectModern();
    const heard: string[] = [];
    const { watch, id } = await open(connected, heard);
    end(connected.server, id!);
    await flush();
    tell(connected.server, 'resources/updated', { id, uri: 'file:///a' });
    await watch.close();
    expect(heard).toEqual([]);
    expect(connected.server.all('notifications/cancelled')).toEqual([]);
  });

  test('that is refused rejects with the error of the server', async () => {
    const { client, server } = await connectModern();
    const refused = outcomeOf(client.watch({ onToolsChanged: () => undefined }));
    const { id } = await server.receives('subscriptions/listen');
    server.deliver({ id, error: { code: -32601, message: 'Method not found' } });
    expect(await refused).toMatchObject({ code: -32601 });
  });

  test('that is not acknowledged in time is cancelled', async () => {
    const { client, server } = await connectModern({ limits: { requestTimeoutMs: 100 } });
    const refused = outcomeOf(client.watch({ onToolsChanged: () => undefined }));
    const { id } = await server.receives('subscriptions/listen');
    await vi.advanceTimersByTimeAsync(100);
    expect(await refused).toMatchObject({ code: 'request-timeout' });
    expect(server.all('notifications/cancelled').map(({ params }) => params!.requestId)).toEqual([
      id,
    ]);
  });

  test('that ends before it is acknowledged rejects', async () => {
    const { client, server } = await connectModern();
    const refused = outcomeOf(client.watch({ onToolsChanged: () => undefined }));
    const { id } = await server.receives('subscriptions/listen');
    server.deliver({ id, result: {} });
    expect(await refused).toMatchObject({ code: 'invalid-response' });
    const lost = outcomeOf(client.watch({ onToolsChanged: () => undefined }));
    await server.receives('subscriptions/listen', 2);
    server.crash(new Error('gone'));
    expect(await lost).toMatchObject({ code: 'connection-lost' });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a watch and a new connection', () => {
  const LISTEN = 'subscriptions/listen';

  /** Two modern servers, one for each connection; both acknowledge every stream. */
  async function connectTwice(listen: (server: ScriptedServer) => Step) {
    const servers = [0, 1].map(() => {
      const script: Script = { 'server/discover': discovered };
      const server = new ScriptedServer(script);
      script[LISTEN] = listen(server);
      return server;
    });
    const left = [...servers];
    const client = await connectClient(() => left.shift()!, {
      info: { name: 't', version: '0' },
      era: 'modern',
    });
    return { client, first: servers[0]!, second: servers[1]! };
  }

  function acknowledge(server: ScriptedServer): Step {
    return ({ id, params }) => {
      const meta = { 'io.modelcontextprotocol/subscriptionId': id };
      server.notify('notifications/subscriptions/acknowledged', {
        _meta: meta,
        notifications: params!.notifications,
      });
      return undefined;
    };
  }

  test('a broken stream that was restored by a reconnect is not opened again, and is missed once', async () => {
    const { client, first, second } = await connectTwice(acknowledge);
    const heard: string[] = [];
    await client.watch({ resources: ['file:///a'], onResourceUpdated: (uri) => heard.push(uri) });
    first.fail(first.all(LISTEN)[0]!.id!, new Error('socket hang up'));
    await flush();
    first.crash();
    await client.reconnect();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(second.all(LISTEN)).toHaveLength(1);
    expect(heard).toEqual(['file:///a']);
  });

  test('a reconnect while a broken stream is opened again subscribes once, and is missed once', async () => {
    let opened = 0;
    // The second stream of the first server is never acknowledged.
    const listen =
      (server: ScriptedServer): Step =>
      (request) =>
        (opened += 1) === 2 ? undefined : acknowledge(server)(request);
    const { client, first, second } = await connectTwice(listen);
    const heard: string[] = [];
    await client.watch({ resources: ['file:///a'], onResourceUpdated: (uri) => heard.push(uri) });
    first.fail(first.all(LISTEN)[0]!.id!, new Error('socket hang up'));
    await vi.advanceTimersByTimeAsync(700);
    expect(first.all(LISTEN)).toHaveLength(2);
    first.crash();
    await client.reconnect();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(second.all(LISTEN)).toHaveLength(1);
    expect(heard).toEqual(['file:///a']);
  });

  test('a watch that ended in the turn of its acknowledgment is not restored', async () => {
    const { client, first, second } = await connectTwice((server) => (request) => {
      acknowledge(server)(request);
      return { result: { resultType: 'complete' } };
    });
    const watch = await client.watch({ onToolsChanged: () => undefined });
    await expect(watch.ended).resolves.toBeInstanceOf(Error);
    first.crash();
    await client.reconnect();
    await flush();
    expect(second.all(LISTEN)).toEqual([]);
  });
});

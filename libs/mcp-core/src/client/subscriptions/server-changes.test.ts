import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Client } from '../client.ts';
import { connectClient } from '../connect-client.ts';
import type { ServerChange } from './server-changes.ts';
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

const empty: Step = () => ({ result: {} });

async function connect(era: 'legacy' | 'modern', servers = [newServer()]): Promise<Connected> {
  const [server] = servers;
  const waiting = [...servers];
  return {
    server: server!,
    client: await connectClient(() => waiting.shift()!, { info: { name: 't', version: '0' }, era }),
  };
}

function newServer(): ScriptedServer {
  return new ScriptedServer({
    initialize: initialized(),
    'server/discover': discovered,
    'resources/subscribe': empty,
    'resources/unsubscribe': empty,
    ping: empty,
  });
}

async function take(
  changes: AsyncIterator<ServerChange>,
  count: number,
): Promise<readonly ServerChange[]> {
  const taken: ServerChange[] = [];
  while (taken.length < count) {
    const next = await changes.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

describe('the changes of a legacy server', () => {
  test('are those of the filter, each once until it is read', async () => {
    const { client, server } = await connect('legacy');
    const changes = client.changes({
      toolsListChanged: true,
      resourceSubscriptions: ['file:///a'],
    });
    const first = changes.next();
    await server.receives('resources/subscribe');
    await client.ping();
    for (let time = 0; time < 3; time++) server.notify('notifications/tools/list_changed', {});
    expect(await first).toEqual({ done: false, value: { kind: 'tools' } });
    server.notify('notifications/resources/list_changed', {});
    for (const part of ['', '/x', ''])
      server.notify('notifications/resources/updated', { uri: `file:///a${part}` });
    server.notify('notifications/tools/list_changed', {});
    expect(await take(changes, 3)).toEqual([
      { kind: 'resource', uri: 'file:///a' },
      { kind: 'resource', uri: 'file:///a/x' },
      { kind: 'tools' },
    ]);
    await changes.return();
    expect(server.all('resources/unsubscribe')).toHaveLength(1);
    expect(await changes.next()).toEqual({ done: true, value: undefined });
  });

  test('are by default the announced changes, and the reader may stop at any time', async () => {
    const { client, server } = await connect('legacy');
    const seen: ServerChange[] = [];
    const reading = (async () => {
      for await (const change of client.changes()) {
        seen.push(change);
        if (seen.length === 2) break;
      }
    })();
    await client.ping();
    for (const list of ['tools', 'prompts', 'resources'])
      server.notify(`notifications/${list}/list_changed`, {});
    await reading;
    expect(seen).toEqual([{ kind: 'tools' }, { kind: 'resources' }]);
  });

  test('that are too many become one', async () => {
    const { client, server } = await connect('legacy');
    const changes = client.changes({
      toolsListChanged: true,
      resourceSubscriptions: ['file:///a'],
    });
    const first = changes.next();
    await server.receives('resources/subscribe');
    await client.ping();
    for (let part = 0; part < 5000; part++)
      server.notify('notifications/resources/updated', { uri: `file:///a/${part}` });
    server.notify('notifications/tools/list_changed', {});
    expect(await first).toEqual({ done: false, value: { kind: 'missed' } });
    server.notify('notifications/tools/list_changed', {});
    expect(await take(changes, 1)).toEqual([{ kind: 'tools' }]);
  });

  test('may have been missed when it was connected again', async () => {
    const [first, second] = [newServer(), newServer()];
    const { client } = await connect('legacy', [first, second]);
    const changes = client.changes({ toolsListChanged: true });
    const next = changes.next();
    await client.ping();
    first.crash();
    await client.reconnect();
    expect(await next).toEqual({ done: false, value: { kind: 'missed' } });
    second.notify('notifications/tools/list_changed', {});
    expect(await take(changes, 1)).toEqual([{ kind: 'tools' }]);
  });

  test('end with the client', async () => {
    const { client } = await connect('legacy');
    const next = client.changes({ toolsListChanged: true }).next();
    await client.ping();
    await client.close();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  test('cannot be read when the server does not answer', async () => {
    const { client, server } = await connect('legacy');
    server.crash();
    await expect(
      client.changes({ resourceSubscriptions: ['file:///a'] }).next(),
    ).rejects.toMatchObject({ code: 'connection-lost' });
  });
});

describe('the changes of a modern server', () => {
  async function open({ client, server }: Connected, filter?: JsonObject) {
    const changes = client.changes(filter);
    const first = changes.next();
    const { id, params } = await server.receives('subscriptions/listen');
    const tell = (method: string, more: JsonObject = {}): void =>
      server.notify(method, { ...more, _meta: { 'io.modelcontextprotocol/subscriptionId': id } });
    tell('notifications/subscriptions/acknowledged', { notifications: params!.notifications });
    return { changes, first, tell, id };
  }

  test('come by the stream', async () => {
    const connected = await connect('modern');
    const { changes, first, tell, id } = await open(connected);
    expect(connected.server.all('subscriptions/listen')[0]!.params!.notifications).toEqual({
      toolsListChanged: true,
      resourcesListChanged: true,
    });
    connected.server.notify('notifications/tools/list_changed', {});
    tell('notifications/resources/list_changed');
    expect(await first).toEqual({ done: false, value: { kind: 'resources' } });
    await changes.return();
    expect(
      connected.server.all('notifications/cancelled').map(({ params }) => params!.requestId),
    ).toEqual([id]);
  });

  test('that came before the server ended the stream are still read', async () => {
    const connected = await connect('modern');
    const { changes, first, tell, id } = await open(connected);
    tell('notifications/tools/list_changed');
    tell('notifications/resources/list_changed');
    connected.server.deliver({ id, result: { resultType: 'complete' } });
    expect(await first).toMatchObject({ value: { kind: 'tools' } });
    await vi.waitFor(() => expect(connected.server.received).toHaveLength(2), 10_000);
    expect(await take(changes, 5)).toEqual([{ kind: 'resources' }]);
  });
});

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Client } from '../client.ts';
import { connectClient } from '../connect-client.ts';
import {
  discovered,
  initialized,
  ScriptedServer,
  type Step,
} from '../testing/scripted-server.test.support.ts';
import type { ChangeHandlers } from './change-handlers.ts';

const LISTEN = 'subscriptions/listen';
const empty: Step = () => ({ result: {} });

function newServer(capabilities?: JsonObject): ScriptedServer {
  const script: { [method: string]: Step } = {
    initialize: initialized(),
    'server/discover': (request) => {
      const { result } = discovered(request) as { readonly result: JsonObject };
      return { result: { ...result, ...(capabilities === undefined ? {} : { capabilities }) } };
    },
    'resources/subscribe': empty,
    'resources/unsubscribe': empty,
  };
  const server = new ScriptedServer(script);
  script[LISTEN] = ({ id, params }) => {
    server.notify('notifications/subscriptions/acknowledged', {
      _meta: { 'io.modelcontextprotocol/subscriptionId': id },
      notifications: params?.notifications,
    });
    return undefined;
  };
  return server;
}

interface Connected {
  readonly client: Client;
  readonly server: ScriptedServer;
  /** Sends a change as a server of the era does. */
  readonly announce: (method: string, params?: JsonObject) => void;
  /** The causes of the reported problems. */
  readonly problems: readonly unknown[];
}

async function connect(era: 'legacy' | 'modern', servers = [newServer()]): Promise<Connected> {
  const [server] = servers as [ScriptedServer];
  const waiting = [...servers];
  const problems: unknown[] = [];
  const client = await connectClient(() => waiting.shift() as ScriptedServer, {
    info: { name: 't', version: '0' },
    era,
    events: { onProblem: (problem) => problems.push(problem.cause) },
  });
  onTestFinished(() => client.close());
  const announce: Connected['announce'] = (method, params = {}) => {
    const id = server.all(LISTEN)[0]?.id;
    const meta = { 'io.modelcontextprotocol/subscriptionId': id };
    server.notify(`notifications/${method}`, {
      ...params,
      ...(era === 'modern' ? { _meta: meta } : {}),
    });
  };
  return { client, server, announce, problems };
}

function recording(): { readonly seen: string[]; readonly handlers: ChangeHandlers } {
  const seen: string[] = [];
  const handlers = {
    onToolsChanged: () => seen.push('tools'),
    onResourcesChanged: () => seen.push('resources'),
    resources: ['file:///a'],
    onResourceUpdated: (uri: string) => seen.push(uri),
  };
  return { seen, handlers };
}

describe.each(['legacy', 'modern'] as const)('change handlers of a %s client', (era) => {
  test('receive the changes of lists and resources from their registration to close', async () => {
    const { client, announce } = await connect(era);
    const { seen, handlers } = recording();
    announce('tools/list_changed');
    const watch = await client.watch(handlers);
    announce('tools/list_changed');
    announce('prompts/list_changed');
    announce('resources/updated', { uri: 'file:///a' });
    announce('resources/list_changed');
    expect(seen).toEqual(['tools', 'file:///a', 'resources']);
    await watch.close();
    announce('tools/list_changed');
    expect(seen).toHaveLength(3);
  });

  test('are all called when changes may have been missed, unless there is a handler for that', async () => {
    const [first, second] = [newServer(), newServer()];
    const { client } = await connect(era, [first, second]);
    const { seen, handlers } = recording();
    const onMissed = vi.fn<() => void>();
    await client.watch(handlers);
    await client.watch({ ...handlers, onResourceUpdated: () => seen.push('unexpected'), onMissed });
    first.crash();
    await client.reconnect();
    expect(seen).toEqual(['file:///a', 'tools', 'resources']);
    expect(onMissed).toHaveBeenCalledOnce();
  });

  test('that reject are reported', async () => {
    const { client, announce, problems } = await connect(era);
    await client.watch({ onToolsChanged: () => Promise.reject(new Error('broken')) });
    announce('tools/list_changed');
    await vi.waitFor(() => expect(problems).toEqual([new Error('broken')]));
  });

  test('cannot be registered when the server does not respond', async () => {
    const { client, server } = await connect(era);
    server.crash();
    await expect(client.watch({ resources: ['file:///a'] })).rejects.toMatchObject({
      code: 'connection-lost',
    });
  });
});

test('a modern client opens no stream for changes that the server does not announce', async () => {
  const { client, server } = await connect('modern', [newServer({ tools: {}, prompts: {} })]);
  const watch = await client.watch({
    onToolsChanged: () => undefined,
    onPromptsChanged: () => undefined,
  });
  expect(watch.filter).toEqual({});
  expect(server.all(LISTEN)).toEqual([]);
  await watch.close();
});

test('a modern client opens one stream for all handlers', async () => {
  const { client, server } = await connect('modern');
  const { handlers } = recording();
  await client.watch(handlers);
  expect(server.all(LISTEN).map(({ params }) => params?.notifications)).toEqual([
    { toolsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ['file:///a'] },
  ]);
});

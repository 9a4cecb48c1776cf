import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../src/jsonrpc/messages.ts';
import { call, type McpClient } from './mcp-client.ts';
import { WATCHED, type ServerUnderTest } from './server-under-test.ts';

/** Steps of a client until it leaves. */
export interface Scenario {
  readonly name: string;
  /** Whether the handler serves legacy requests without sessions. */
  readonly isStateless?: boolean;
  /** Whether its requests outlast their clients, so that only the end of the server ends them. */
  readonly isEndless?: boolean;
  run(client: McpClient, tested: ServerUnderTest): Promise<void>;
}

const ACCEPTED = { action: 'accept', content: {} };
const TASK_CALL = call('job', { task: { ttl: 60_000 } });

const modern: readonly Scenario[] = [
  {
    name: 'a list',
    run: async (client) => {
      await (await client.modern('tools/list')).last();
    },
  },
  {
    name: 'a call with a stream',
    run: async (client) => {
      await (await client.modern('tools/call', call('stream'))).last();
    },
  },
  {
    name: 'a call that lasts',
    run: async (client) => {
      await (await client.modern('tools/call', call('hold'))).next();
    },
  },
  {
    name: 'a call with an input request',
    run: async (client) => {
      const asked = resultOf(await (await client.modern('tools/call', call('ask'))).last());
      const answered = { requestState: asked.requestState, inputResponses: { sure: ACCEPTED } };
      await (await client.modern('tools/call', call('ask', answered))).last();
    },
  },
  {
    name: 'a listen stream',
    run: async (client, { server }) => {
      const stream = await client.modern('subscriptions/listen', {
        notifications: { toolsListChanged: true, resourceSubscriptions: [WATCHED] },
      });
      await stream.next();
      server.changes.toolsChanged();
      await stream.next();
    },
  },
  {
    name: 'a task',
    run: async (client) => {
      const started = resultOf(await (await client.modern('tools/call', call('job'))).last());
      const { taskId } = started;
      const stream = await client.modern('subscriptions/listen', {
        notifications: { taskIds: [taskId] },
      });
      await stream.next();
      await (await client.modern('tasks/get', { taskId })).last();
    },
  },
  {
    name: 'a body that is too long',
    run: async (client) => {
      await (await client.modern('tools/call', call('echo', { more: 'x'.repeat(9000) }))).last();
    },
  },
];

const stateless: readonly Scenario[] = [
  {
    name: 'a stateless call',
    isStateless: true,
    run: async (client) => {
      await client.initialize();
      await (await client.legacy('tools/call', call('stream'))).last();
    },
  },
  {
    name: 'a stateless batch',
    isStateless: true,
    run: async (client) => {
      await client.initialize('2025-03-26');
      await (await client.send({ body: batchOf(client, ['echo', 'stream', 'ask']) })).last();
    },
  },
];

const endless: readonly Scenario[] = [
  {
    name: 'a stateless call that lasts',
    isStateless: true,
    isEndless: true,
    run: async (client) => {
      await client.initialize();
      await (await client.legacy('tools/call', call('hold'))).next();
      client.leave();
    },
  },
  {
    name: 'a stateless batch that lasts',
    isStateless: true,
    isEndless: true,
    run: async (client, tested) => {
      await client.initialize('2025-03-26');
      client.send({ body: batchOf(client, ['hold', 'hold']) }).catch(() => undefined);
      while (tested.handlers < 2 && !client.hasLeft) await nextTurn();
    },
  },
];

const sessions: readonly Scenario[] = [
  {
    name: 'a session with calls',
    run: async (client) => {
      await client.initialize();
      await (await client.legacy('tools/call', call('echo'))).last();
      await (await client.legacy('tools/call', call('stream'))).last();
    },
  },
  {
    name: 'a session with a GET stream',
    run: async (client, { server }) => {
      await client.initialize();
      const stream = await client.send({ method: 'GET' });
      await (await client.legacy('resources/subscribe', { uri: WATCHED })).last();
      await (await client.legacy('tools/call', call('hold'))).next();
      server.changes.resourceUpdated(WATCHED);
      server.log('error', 'x'.repeat(9000));
      await stream.next();
    },
  },
  {
    name: 'a session with an input request',
    run: async (client) => {
      await client.initialize();
      const asking = await client.legacy('tools/call', call('ask'));
      const { id } = await asking.next();
      await client.send({ body: { jsonrpc: '2.0', id, result: ACCEPTED } });
      await asking.last();
      await (await client.legacy('tools/call', call('ask'))).next();
    },
  },
  {
    name: 'a resumed stream',
    run: async (client) => {
      await client.initialize();
      const polled = await client.legacy('tools/call', call('poll'));
      await polled.next();
      const resumed = { 'last-event-id': polled.eventId() };
      await (await client.send({ method: 'GET', headers: resumed })).last();
      await (await client.send({ method: 'GET', headers: resumed })).last();
    },
  },
  {
    name: 'a resumed GET stream',
    run: async (client, { server }) => {
      await client.initialize();
      const stream = await client.send({ method: 'GET' });
      for (let count = 0; count < 4; count += 1) server.log('error', 'x'.repeat(4000));
      await stream.next();
      const resumed = { 'last-event-id': stream.eventId() };
      const again = await client.send({ method: 'GET', headers: resumed });
      await again.next();
      await again.next();
    },
  },
  {
    name: 'a session with a batch',
    run: async (client) => {
      await client.initialize('2025-03-26');
      await (await client.send({ body: batchOf(client, ['stream', 'echo', 'ask']) })).next();
    },
  },
  {
    name: 'a session with a task',
    run: async (client) => {
      await client.initialize();
      const started = resultOf(await (await client.legacy('tools/call', TASK_CALL)).last());
      const { taskId } = started.task as JsonObject;
      await (await client.legacy('tasks/result', { taskId })).next();
    },
  },
  {
    name: 'a session that ends itself',
    run: async (client) => {
      await client.initialize();
      await client.send({ method: 'GET' });
      await (await client.legacy('tools/call', call('hold'))).next();
      await client.send({ method: 'DELETE' });
    },
  },
  {
    name: 'HTTP+SSE',
    run: async (client, { server }) => {
      const stream = await client.send({ method: 'GET', path: '/sse' });
      const { text: path } = await stream.next();
      const post = (body: unknown) => client.send({ path: String(path), body });
      await post(client.initializeRequest('2024-11-05'));
      await stream.next();
      await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
      server.log('error', 'x'.repeat(9000));
      await stream.next();
      await post(client.request('tools/call', call('stream')));
      await post(client.request('tools/call', call('hold')));
      await stream.next();
      await stream.next();
    },
  },
];

export const scenarios: readonly Scenario[] = [...modern, ...stateless, ...endless, ...sessions];

function batchOf(client: McpClient, tools: readonly string[]): readonly JsonObject[] {
  return tools.map((tool) => client.request('tools/call', call(tool)));
}

function resultOf({ result, error }: JsonObject): JsonObject {
  if (result === undefined) throw new Error(`No result: ${JSON.stringify(error)}`);
  return result as JsonObject;
}

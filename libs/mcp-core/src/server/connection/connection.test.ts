import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { PROTOCOL_VERSIONS } from '../../era/versions.ts';
import {
  connectRaw,
  initialize,
  modern,
  type RawClient,
} from '../../testing/raw-client.test.support.ts';
import { createInMemoryTransports } from '../../testing/in-memory-transport.ts';
import { Changes } from '../subscriptions/change-hub.ts';
import { createServer } from '../create-server.ts';
import type { ToolDefinition } from '../tools/tool.ts';

/** Repeatable pseudo-random numbers from 0 to below `limit`. */
function sequence(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return (state >> 8) % limit;
  };
}

function createBusyServer(random: (limit: number) => number) {
  const annotations = {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };
  const handlers: { readonly [name: string]: ToolDefinition['handler'] } = {
    work: async (_args, context) => {
      for (let progress = 1; progress < 5; progress += 1) {
        context.progress({ progress });
        for (let turn = random(6); turn > 0; turn -= 1) await Promise.resolve();
      }
      return { content: [] };
    },
    ask: async (_args, context) => ({
      structuredContent: await context.gather({
        one: { listRoots: true },
        two: { listRoots: true },
      }),
    }),
    fail: () => Promise.reject(new Error('broken')),
  };
  const tools = Object.entries(handlers).map(([name, handler]) => ({
    name,
    description: name,
    inputSchema: { type: 'object' },
    annotations,
    handler,
  }));
  return createServer({
    info: { name: 'busy', version: '1' },
    tools,
    events: { onError: () => undefined },
  });
}

/** Sends a storm of requests and cancellations; the ids of those that were not cancelled. */
async function storm(client: RawClient, random: (limit: number) => number): Promise<Set<number>> {
  const uncancelled = new Set<number>();
  const names = ['work', 'ask', 'fail', 'unknown'];
  for (let id = 1; id <= 40; id += 1) {
    const call = { name: names[random(names.length)] };
    const params =
      random(2) === 0
        ? modern(call, { progressToken: id })
        : { ...call, _meta: { progressToken: id } };
    client.send({ jsonrpc: '2.0', id, method: random(5) === 0 ? 'no/such' : 'tools/call', params });
    uncancelled.add(id);
    for (let turn = random(8); turn > 0; turn -= 1) await Promise.resolve();
    const requestId = id - random(4);
    if (random(3) === 0 && uncancelled.delete(requestId))
      client.notify('notifications/cancelled', { requestId });
    if (random(8) === 0) client.send([null, 7, [], { jsonrpc: '2.0', result: {} }][random(4)]);
  }
  return uncancelled;
}

describe('a connection in a storm of requests, cancellations and nonsense', () => {
  test.each(PROTOCOL_VERSIONS.slice(1))(
    'answers each request that was not cancelled exactly once, its progress before that (%s)',
    async (version) => {
      for (let seed = 1; seed <= 8; seed += 1) {
        const random = sequence(seed);
        const client = await connectRaw(createBusyServer(random));
        await initialize(client, version, { roots: {} });
        const answerQuestions = (): void => {
          for (const question of client.received
            .filter(isJsonObject)
            .filter(({ method }) => method === 'roots/list')) {
            client.send({ jsonrpc: '2.0', id: question.id, result: { roots: [] } });
          }
        };
        const uncancelled = await storm(client, random);
        const answersOf = (id: unknown): JsonObject[] =>
          client.received
            .filter(isJsonObject)
            .filter((message) => message.id === id && message.method === undefined);
        while ([...uncancelled].some((id) => answersOf(id).length === 0)) {
          answerQuestions();
          await new Promise(setImmediate);
        }
        await client.request('last', 'ping');
        for (let id = 1; id <= 40; id += 1) {
          const [answer, ...others] = answersOf(id);
          expect(others).toEqual([]);
          const progress = client.received
            .filter(isJsonObject)
            .filter(({ params }) => isJsonObject(params) && params.progressToken === id);
          expect(
            progress.filter(
              (message) =>
                answer !== undefined &&
                client.received.indexOf(message) > client.received.indexOf(answer),
            ),
          ).toEqual([]);
          const values = progress.map(({ params }) => (params as { progress: number }).progress);
          expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b));
        }
        await client.close();
      }
    },
  );
});

test('a transport that cannot start leaves no connection behind', async () => {
  const server = createServer({ info: { name: 'test', version: '1' }, tools: [] });
  const send = (): Promise<void> => Promise.resolve();
  const transport = {
    start: () => Promise.reject(new Error('no port')),
    send,
    close: () => Promise.resolve(),
  };
  const remove = vi.spyOn(Changes.prototype, 'remove');
  onTestFinished(() => {
    remove.mockRestore();
  });
  await expect(server.connect(transport)).rejects.toThrow('no port');
  expect(remove).toHaveBeenCalledOnce();
});

test('on a transport with a stream per request, a listen stream ends with its result alone', async () => {
  const [near, far] = createInMemoryTransports();
  const server = createServer({ info: { name: 'test', version: '1' }, tools: [] });
  const received: unknown[] = [];
  await near.start({
    message: (value) => received.push(value),
    unreadable: () => undefined,
    closed: () => undefined,
  });
  const connection = await server.connect(Object.assign(far, { hasStreamPerRequest: true }));
  const params = modern({ notifications: { toolsListChanged: true } });
  await near.send({ jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params });
  await vi.waitFor(() => expect(received).toHaveLength(1));
  await connection.close();
  expect(received).toEqual([
    expect.objectContaining({ method: 'notifications/subscriptions/acknowledged' }),
    expect.objectContaining({ id: 7, result: expect.anything() as unknown }),
  ]);
});

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Progress } from '../protocol/progress.ts';
import type { ElicitResult } from '../protocol/client-features.ts';
import { ProtocolError, ToolError } from '../protocol/errors.ts';
import type { Task } from '../protocol/tasks.ts';
import type { InteractiveContext } from '../server/requests/request-context.ts';
import { createServer } from '../server/create-server.ts';
import type { Server, ServerOptions } from '../server/server.ts';
import type { ToolDefinition } from '../server/tools/tool.ts';
import { createInMemoryTransports } from './in-memory-transport.ts';
import type { Client } from '../client/client.ts';
import type { ClientOptions } from '../client/client-options.ts';
import { connectClient } from '../client/connect-client.ts';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const form = {
  message: 'Name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
} as const;
const accept = (name: string): ElicitResult => ({ action: 'accept', content: { name } });

interface Serving extends Partial<ServerOptions> {
  readonly task?: NonNullable<ToolDefinition['task']>;
}

/** Creates a server whose tool `run` returns the JSON of the callback's value. */
function serverOf(
  run: (context: InteractiveContext) => unknown,
  { task = 'required', ...options }: Serving = {},
): Server {
  const handler: ToolDefinition['handler'] = async (_args, context) => {
    await context.startTask();
    return { structuredContent: { value: (await run(context)) ?? null } };
  };
  const tool: ToolDefinition = {
    name: 'run',
    description: 'Runs',
    inputSchema: { type: 'object' },
    annotations,
    task,
    handler,
  };
  return createServer({ info: { name: 'tasks', version: '1' }, tools: [tool], ...options });
}

/** Connects a client and records its messages. */
async function connect(
  server: Server,
  options: Partial<ClientOptions> = {},
): Promise<{ client: Client; sent: JsonObject[]; readonly cut: () => Promise<void> }> {
  const sent: JsonObject[] = [];
  let cut = (): Promise<void> => Promise.resolve();
  const client = await connectClient(
    async () => {
      const [near, far] = createInMemoryTransports();
      await server.connect(far);
      cut = () => far.close();
      return {
        start: (receiver) => near.start(receiver),
        send: (message, sendOptions) => {
          sent.push(message as unknown as JsonObject);
          return near.send(message, sendOptions);
        },
        close: () => near.close(),
      };
    },
    { info: { name: 'client', version: '1' }, ...options },
  );
  await client.listTools();
  return { client, sent, cut: () => cut() };
}

const methodsOf = (sent: readonly JsonObject[]): unknown[] => sent.map(({ method }) => method);

function callIn(sent: readonly JsonObject[]): JsonObject {
  const call = sent.find(({ method }) => method === 'tools/call');
  expect(call).toBeDefined();
  return call ?? {};
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Advances the time in small steps until the promise settles. */
async function passing<T>(promise: Promise<T>, stepMs = 100): Promise<T> {
  const turn = async (): Promise<'waiting'> => {
    await vi.advanceTimersByTimeAsync(stepMs);
    // Needs no time, only turns of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    return 'waiting';
  };
  const settled = promise.then(
    () => 'settled' as const,
    () => 'settled' as const,
  );
  while ((await Promise.race([settled, turn()])) === 'waiting');
  return promise;
}

describe.each(['modern', 'legacy'] as const)('a %s call that continues as a task', (era) => {
  test('has the same result as without a task', async () => {
    const { client, sent } = await connect(
      serverOf(() => new Promise((resolve) => setTimeout(resolve, 2500, 'done'))),
      { era },
    );
    expect(await passing(client.callTool('run', {}))).toMatchObject({
      structuredContent: { value: 'done' },
    });
    expect(methodsOf(sent)).toContain('tasks/get');
    expect(methodsOf(sent)).not.toContain('notifications/cancelled');
    await client.close();
  });

  test('is reported with its id immediately, and with each observed status', async () => {
    const seen: Task[] = [];
    const { client } = await connect(
      serverOf(async (context) => {
        context.progress({ progress: 1, message: 'half way' });
        await new Promise((resolve) => setTimeout(resolve, 1500));
      }),
      { era },
    );
    await passing(client.callTool('run', {}, { task: { onTask: (task) => seen.push(task) } }));
    expect(seen[0]).toMatchObject({ status: 'working', ttlMs: 3_600_000, pollIntervalMs: 1000 });
    expect(seen[0]).not.toHaveProperty('statusMessage');
    expect(seen[1]).toMatchObject({
      taskId: seen[0]?.taskId,
      status: 'working',
      statusMessage: 'half way',
    });
    await client.close();
  });

  test('uses the same handlers, once per input request', async () => {
    const asked: string[] = [];
    const elicit = async ({ message }: { readonly message: string }): Promise<ElicitResult> => {
      asked.push(message);
      await new Promise((resolve) => setTimeout(resolve, 5000));
      return accept(message);
    };
    const server = serverOf(async (context) => {
      const both = await context.gather({
        a: { elicit: { ...form, message: 'A' } },
        b: { elicit: { ...form, message: 'B' } },
      });
      return [both, await context.elicit('c', { ...form, message: 'C' })];
    });
    const { client } = await connect(server, { era, handlers: { elicit } });
    expect(await passing(client.callTool('run', {}))).toMatchObject({
      structuredContent: { value: [{ a: accept('A'), b: accept('B') }, accept('C')] },
    });
    expect(asked).toEqual(['A', 'B', 'C']);
    await client.close();
  });

  test('rejects with the error of the call', async () => {
    const { client } = await connect(
      serverOf(() => Promise.reject(new ProtocolError(-32001, 'No power', { data: 1 }))),
      { era },
    );
    await expect(passing(client.callTool('run', {}))).rejects.toMatchObject({
      name: 'ProtocolError',
      code: -32001,
      message: 'No power',
      data: 1,
    });
    await client.close();
  });

  test('returns the failure of its tool as a result', async () => {
    const { client } = await connect(
      serverOf(() => Promise.reject(new ToolError('No disk'))),
      { era },
    );
    expect(await passing(client.callTool('run', {}))).toMatchObject({
      isError: true,
      content: [{ text: 'No disk' }],
    });
    await client.close();
  });

  test('is cancelled as a task when its signal aborts', async () => {
    const stopped = Promise.withResolvers<unknown>();
    const { client, sent } = await connect(
      serverOf(async ({ signal }) => {
        signal.addEventListener('abort', () => stopped.resolve(signal.reason));
        await stopped.promise;
      }),
      { era },
    );
    const controller = new AbortController();
    const call = client.callTool(
      'run',
      {},
      {
        signal: controller.signal,
        task: { onTask: () => setTimeout(() => controller.abort(new Error('enough')), 1500) },
      },
    );
    await expect(passing(call)).rejects.toMatchObject({
      code: 'request-cancelled',
      sent: true,
      cause: new Error('enough'),
    });
    expect(String(await stopped.promise)).toBe('LocalError: The client cancelled the task');
    const cancelled = sent
      .filter(({ method }) => method === 'notifications/cancelled')
      .map(({ params }) => (params as JsonObject).requestId);
    expect(cancelled).not.toContain(callIn(sent).id);
    await client.close();
  });

  test('is cancelled when it exceeds the limit, even if its server is responsive', async () => {
    const signals: AbortSignal[] = [];
    const { client } = await connect(
      serverOf(({ signal }) => {
        signals.push(signal);
        return new Promise(() => undefined);
      }),
      { era },
    );
    const began = performance.now();
    await expect(
      passing(client.callTool('run', {}, { timeoutMs: 3000, maxTotalMs: 10_000 })),
    ).rejects.toMatchObject({ code: 'request-timeout', sent: true });
    expect(performance.now() - began).toBeGreaterThanOrEqual(10_000);
    expect(performance.now() - began).toBeLessThan(12_000);
    await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true));
    await client.close();
  });

  test('may exceed the inactivity limit, because each response resets it', async () => {
    const { client } = await connect(
      serverOf(() => new Promise((resolve) => setTimeout(resolve, 20_000, 'late'))),
      { era },
    );
    expect(await passing(client.callTool('run', {}, { timeoutMs: 3000 }))).toMatchObject({
      structuredContent: { value: 'late' },
    });
    await client.close();
  });

  test('excludes the time spent waiting for user input from its limit', async () => {
    const elicit = (): Promise<ElicitResult> =>
      new Promise((resolve) => setTimeout(resolve, 60_400, accept('Ada')));
    const { client } = await connect(
      serverOf(async (context) => (await context.elicit('who', form)).content),
      { era, handlers: { elicit } },
    );
    expect(await passing(client.callTool('run', {}, { maxTotalMs: 5000 }), 500)).toMatchObject({
      structuredContent: { value: { name: 'Ada' } },
    });
    await client.close();
  });

  test('that another client cancelled rejects, and withdraws its input requests', async () => {
    const withdrawn: unknown[] = [];
    const elicit = (
      _params: unknown,
      { signal }: { readonly signal: AbortSignal },
    ): Promise<ElicitResult> =>
      new Promise(() => {
        signal.addEventListener('abort', () => withdrawn.push(signal.reason));
      });
    const server = serverOf((context) => context.elicit('who', form));
    const { client } = await connect(server, { era, handlers: { elicit } });
    const other = await connect(server, { era });
    const call = client.callTool(
      'run',
      {},
      {
        task: {
          onTask: ({ taskId, status }) => {
            if (status === 'working')
              setTimeout(() => void other.client.tasks.cancel(taskId), 3500);
          },
        },
      },
    );
    await expect(passing(call)).rejects.toMatchObject({ code: 'request-cancelled', sent: true });
    await vi.waitFor(() => expect(withdrawn).toHaveLength(1));
    await Promise.all([client.close(), other.client.close()]);
  });

  test('can be resumed after the connection was lost', async () => {
    const server = serverOf(async (context) => {
      await new Promise((resolve) => setTimeout(resolve, 5000));
      return (await context.elicit('who', form)).content;
    });
    const { client, cut } = await connect(server, {
      era,
      handlers: { elicit: () => Promise.resolve(accept('Ada')) },
    });
    const ids: string[] = [];
    const call = client.callTool(
      'run',
      {},
      {
        task: {
          onTask: ({ taskId }) => {
            ids.push(taskId);
            setTimeout(() => void cut(), 1500);
          },
        },
      },
    );
    await expect(passing(call)).rejects.toMatchObject({ code: 'connection-lost' });
    await client.reconnect();
    const [taskId = ''] = ids;
    expect(await client.tasks.get(taskId)).toMatchObject({ taskId, status: 'working' });
    await expect(client.tasks.result(taskId)).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(await passing(client.tasks.resume(taskId))).toMatchObject({
      structuredContent: { value: { name: 'Ada' } },
    });
    expect(await client.tasks.result(taskId)).toMatchObject({
      structuredContent: { value: { name: 'Ada' } },
    });
    await client.close();
  });

  test('is cancelled by its id', async () => {
    const { client } = await connect(
      serverOf(() => new Promise(() => undefined)),
      { era },
    );
    const call = client.callTool(
      'run',
      {},
      {
        task: {
          onTask: ({ taskId, status }) =>
            void (status === 'working' && client.tasks.cancel(taskId)),
        },
      },
    );
    await expect(passing(call)).rejects.toMatchObject({ code: 'request-cancelled' });
    await client.close();
  });

  test('with an unknown id fails with the error of the server', async () => {
    const { client } = await connect(
      serverOf(() => 1),
      { era },
    );
    const { tasks } = client;
    for (const answer of [
      tasks.get('unknown'),
      tasks.result('unknown'),
      tasks.cancel('unknown'),
      tasks.resume('unknown'),
    ])
      await expect(answer).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  test('that expires rejects', async () => {
    const { client } = await connect(
      serverOf(() => new Promise(() => undefined), { settings: { tasks: { defaultTtlMs: 2500 } } }),
      { era },
    );
    await expect(passing(client.callTool('run', {}))).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  test('rejects immediately when the client closes or the connection ends between two polls', async () => {
    const { client, cut } = await connect(
      serverOf(() => new Promise(() => undefined), {
        settings: { tasks: { pollIntervalMs: 60_000 } },
      }),
      { era },
    );
    const calls = [client.callTool('run', {}).catch((error: unknown) => error)];
    await vi.advanceTimersByTimeAsync(1000);
    await cut();
    expect(await calls[0]).toMatchObject({ code: 'connection-lost', sent: true });
    await client.reconnect();
    calls.push(client.callTool('run', {}).catch((error: unknown) => error));
    await vi.advanceTimersByTimeAsync(1000);
    await client.close();
    expect(await calls[1]).toMatchObject({ code: 'connection-lost' });
  });

  test('leaves no timer behind', async () => {
    const { client } = await connect(
      serverOf(() => 'done', {
        settings: { tasks: { defaultTtlMs: Infinity, maxTtlMs: Infinity } },
      }),
      { era },
    );
    const idle = vi.getTimerCount();
    await passing(client.callTool('run', {}, { maxTotalMs: 100_000 }));
    expect(vi.getTimerCount()).toBeLessThanOrEqual(idle + 1);
    await client.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a modern task', () => {
  test('begins after the input requests before it', async () => {
    const asked: string[] = [];
    const tool: ToolDefinition = {
      name: 'run',
      description: 'Runs',
      inputSchema: { type: 'object' },
      annotations,
      task: 'optional',
      handler: async (_args, context) => {
        const before = await context.elicit('before', { ...form, message: 'before' });
        await context.startTask();
        return {
          structuredContent: {
            value: [before, await context.elicit('after', { ...form, message: 'after' })],
          },
        };
      },
    };
    const elicit = ({ message }: { readonly message: string }): Promise<ElicitResult> => {
      asked.push(message);
      return Promise.resolve(accept(message));
    };
    const { client } = await connect(
      createServer({ info: { name: 'tasks', version: '1' }, tools: [tool] }),
      { era: 'modern', handlers: { elicit } },
    );
    expect(await passing(client.callTool('run', {}))).toMatchObject({
      structuredContent: { value: [accept('before'), accept('after')] },
    });
    expect(asked).toEqual(['before', 'after']);
    await client.close();
  });

  test('whose input request is refused is cancelled, and the call rejects', async () => {
    const signals: AbortSignal[] = [];
    const server = serverOf((context) => {
      signals.push(context.signal);
      return context.elicit('who', form);
    });
    const { client } = await connect(server, {
      era: 'modern',
      handlers: { elicit: () => Promise.reject(new ProtocolError(-1, 'Never')) },
    });
    await expect(passing(client.callTool('run', {}))).rejects.toMatchObject({
      code: 'input-refused',
    });
    await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true));
    await client.close();
  });

  test('with endless input requests is cancelled', async () => {
    let count = 0;
    const server = serverOf(async (context) => {
      for (;;) await context.elicit(`question-${String((count += 1))}`, form);
    });
    const { client } = await connect(server, {
      era: 'modern',
      limits: { maxInputRounds: 3 },
      handlers: { elicit: () => Promise.resolve(accept('Ada')) },
    });
    await expect(passing(client.callTool('run', {}))).rejects.toMatchObject({
      code: 'invalid-response',
      message: 'The task of tools/call asked for input 4 times; at most 3 rounds are allowed.',
    });
    expect(count).toBeLessThanOrEqual(5);
    await client.close();
  });
});

describe('a legacy call', () => {
  test('requests a task where the tool requires or the caller wants one, and never where it is impossible', async () => {
    const params = async (
      task: NonNullable<ToolDefinition['task']>,
      wanted?: { readonly ttlMs?: number },
    ): Promise<unknown> => {
      const { client, sent } = await connect(
        serverOf(() => 1, { task, settings: { tasks: {} } }),
        { era: 'legacy' },
      );
      await passing(
        client.callTool('run', {}, wanted === undefined ? {} : { task: { request: wanted } }),
      );
      await client.close();
      return (callIn(sent).params as JsonObject).task;
    };
    expect(await params('required')).toEqual({});
    expect(await params('required', { ttlMs: 5000 })).toEqual({ ttl: 5000 });
    expect(await params('optional')).toBeUndefined();
    expect(await params('optional', { ttlMs: 5000 })).toEqual({ ttl: 5000 });
    expect(await params('never', { ttlMs: 5000 })).toBeUndefined();
  });

  test('is repeated as a task when its server requires that, and not otherwise', async () => {
    const run = vi.fn<() => number>(() => 1);
    const { client, sent, cut } = await connect(serverOf(run), { era: 'legacy' });
    await cut();
    await client.reconnect();
    expect(await passing(client.callTool('run', {}))).toMatchObject({
      structuredContent: { value: 1 },
    });
    expect(
      sent
        .filter(({ method }) => method === 'tools/call')
        .map(({ params }) => (params as JsonObject).task),
    ).toEqual([undefined, {}]);
    expect(run).toHaveBeenCalledTimes(1);
    await expect(client.callTool('none', {})).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  test('never requests a task from a server without tasks, nor in another revision', async () => {
    const { client, sent } = await connect(
      serverOf(() => 1, { task: 'never' }),
      { era: 'legacy' },
    );
    await client.callTool('run', {}, { task: { request: {} } });
    const modern = await connect(
      serverOf(() => 1, { task: 'optional' }),
      { era: 'modern' },
    );
    await passing(modern.client.callTool('run', {}, { task: { request: { ttlMs: 1 } } }));
    expect(callIn(sent).params).not.toHaveProperty('task');
    expect(callIn(modern.sent).params).not.toHaveProperty('task');
    await Promise.all([client.close(), modern.client.close()]);
  });

  test('knows from the list which tools can become tasks', async () => {
    const { client } = await connect(
      serverOf(() => 1, { task: 'optional' }),
      { era: 'legacy' },
    );
    const [tool] = await client.listTools();
    expect(tool).toMatchObject({ name: 'run', task: 'optional' });
    expect(tool).not.toHaveProperty('execution');
    await client.close();
  });

  test('receives the progress until its task has ended', async () => {
    const heard: Progress[] = [];
    const server = serverOf(async (context) => {
      for (let progress = 1; progress <= 3; progress += 1) {
        context.progress({ progress });
        await new Promise((resolve) => setTimeout(resolve, 1500));
      }
    });
    const { client } = await connect(server, { era: 'legacy' });
    await passing(client.callTool('run', {}, { onProgress: (progress) => heard.push(progress) }));
    expect(heard.map(({ progress }) => progress)).toEqual([1, 2, 3]);
    await client.close();
  });

  test('relates its input responses to the task', async () => {
    const { client, sent } = await connect(
      serverOf((context) => context.elicit('who', form)),
      { era: 'legacy', handlers: { elicit: () => Promise.resolve({ action: 'decline' }) } },
    );
    let taskId: string | undefined;
    await passing(
      client.callTool('run', {}, { task: { onTask: (task) => (taskId = task.taskId) } }),
    );
    expect(sent.find(({ result }) => result !== undefined)?.result).toEqual({
      action: 'decline',
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    });
    await client.close();
  });
});

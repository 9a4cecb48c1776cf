import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { connectRaw } from '../../testing/raw-client.test.support.ts';
import type { ResultOrError } from '../../jsonrpc/responses.ts';
import type { Server } from '../server.ts';
import { FileTaskStore } from './file-task-store.test.support.ts';
import { InMemoryTaskStore } from './in-memory-task-store.ts';
import {
  ask,
  capable,
  form,
  refusal,
  serve,
  serverOf,
  start,
  until,
} from './task-server.test.support.ts';
import type { TaskRecord, TaskStore } from './task-store.ts';

const HOUR_MS = 3_600_000;

/** A request of this principal, over a transport that has authenticated it. */
async function handle(
  server: Server,
  principal: string | undefined,
  method: string,
  params: JsonObject,
): Promise<ResultOrError> {
  const link = {
    signal: new AbortController().signal,
    notify: () => Promise.resolve(),
    ...(principal === undefined ? {} : { auth: { principal } }),
  };
  return server.handle({ jsonrpc: '2.0', id: 1, method, params: capable(params) }, link);
}

async function startAs(server: Server, principal: string | undefined): Promise<string> {
  const response = await handle(server, principal, 'tools/call', { name: 'run' });
  expect(response).toMatchObject({ result: { resultType: 'task' } });
  return (response as { result: { taskId: string } }).result.taskId;
}

describe('a task and the principal that created it', () => {
  test.each([
    ['ada', 'bob'],
    ['ada', undefined],
    [undefined, 'ada'],
  ])('that of %s does not exist for %s', async (owner, other) => {
    const server = serverOf(async (context) => {
      await context.startTask();
      return context.elicit('who', form);
    });
    const taskId = await startAs(server, owner);
    const unknown = await handle(server, other, 'tasks/get', { taskId: 'unknown' });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect(
        await handle(server, other, method, {
          taskId,
          inputResponses: { who: { action: 'cancel' } },
        }),
      ).toEqual(unknown);
    }
    expect(unknown).toMatchObject({ error: { code: -32602 } });
    expect(await handle(server, owner, 'tasks/get', { taskId })).toMatchObject({
      result: { status: 'input_required' },
    });
  });

  test('is sent to a listen stream that names it among the first thousand tasks only', async () => {
    const server = serverOf((context) => context.startTask());
    const taskId = await startAs(server, 'ada');
    const honoured = async (others: number): Promise<unknown> => {
      const gone = new AbortController();
      const told: JsonObject[] = [];
      const link = {
        signal: gone.signal,
        auth: { principal: 'ada' },
        notify: (_method: string, params: JsonObject) => Promise.resolve(void told.push(params)),
      };
      const taskIds = [
        ...Array.from({ length: others }, (_, index) => `other ${String(index)}`),
        taskId,
      ];
      const stream = server.handle(
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'subscriptions/listen',
          params: capable({ notifications: { taskIds } }),
        },
        link,
      );
      await vi.waitFor(() => expect(told).not.toEqual([]));
      gone.abort();
      await stream;
      return told[0]?.notifications;
    };
    expect(await honoured(999)).toEqual({ taskIds: [taskId] });
    expect(await honoured(1000)).toEqual({ taskIds: [] });
  });

  test('is not sent to a listen stream of another principal', async () => {
    const server = serverOf((context) => context.startTask());
    const taskId = await startAs(server, 'ada');
    const told: JsonObject[] = [];
    const gone = new AbortController();
    const link = {
      signal: gone.signal,
      auth: { principal: 'bob' },
      notify: (_method: string, params: JsonObject) => Promise.resolve(void told.push(params)),
    };
    const stream = server.handle(
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: capable({ notifications: { taskIds: [taskId] } }),
      },
      link,
    );
    await vi.waitFor(() => expect(told).toMatchObject([{ notifications: { taskIds: [] } }]));
    gone.abort();
    await stream;
  });
});

describe('the limits of running tasks', () => {
  const releases: (() => void)[] = [];
  afterEach(() => {
    for (const release of releases.splice(0)) release();
  });
  const busy = (server: Parameters<typeof serve>[1]): Server =>
    serverOf(async (context) => {
      await context.startTask();
      await new Promise<void>((resolve) => releases.push(resolve));
    }, server);

  test('do not end the process when a handler does not await its task', async () => {
    const server = serverOf((context) => void context.startTask(), {
      settings: { tasks: { maxRunning: 0 } },
    });
    expect(await handle(server, undefined, 'tools/call', { name: 'run' })).toMatchObject({
      result: { resultType: 'complete' },
    });
    // A rejection that nobody handles is found after the turn.
    await new Promise((resolve) => setImmediate(resolve));
  });

  test('apply to each principal, with an error for the model', async () => {
    const server = busy({ settings: { tasks: { maxRunningPerPrincipal: 2 } } });
    for (const principal of ['ada', 'ada', 'bob'])
      expect(await handle(server, principal, 'tools/call', { name: 'run' })).toMatchObject({
        result: { resultType: 'task' },
      });
    expect(await handle(server, 'ada', 'tools/call', { name: 'run' })).toMatchObject({
      result: {
        isError: true,
        content: [{ text: 'You have 2 running tasks; wait for a task to end or cancel one' }],
      },
    });
  });

  test('apply to all tasks together', async () => {
    const server = busy({ settings: { tasks: { maxRunning: 2 } } });
    await handle(server, 'ada', 'tools/call', { name: 'run' });
    await handle(server, 'bob', 'tools/call', { name: 'run' });
    expect(await handle(server, 'eve', 'tools/call', { name: 'run' })).toMatchObject({
      result: {
        isError: true,
        content: [{ text: expect.stringContaining('Too many tasks') as string }],
      },
    });
  });

  test('count running tasks, not stored tasks', async () => {
    const server = busy({ settings: { tasks: { maxRunning: 1 } } });
    for (let round = 0; round < 3; round += 1) {
      const taskId = await startAs(server, 'ada');
      await handle(server, 'ada', 'tasks/cancel', { taskId });
      expect(await handle(server, 'ada', 'tasks/get', { taskId })).toMatchObject({
        result: { status: 'cancelled' },
      });
    }
  });

  test('are errors of a call that must be a task in 2025-11-25', async () => {
    const client = await connectRaw(
      busy({ task: 'required', settings: { tasks: { maxRunning: 0 } } }),
    );
    await client.request(0, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    });
    expect(await client.request(1, 'tools/call', { name: 'run', task: {} })).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('Too many') as string },
    });
  });
});

describe('the time a task is kept', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    [undefined, {}, HOUR_MS],
    [undefined, { defaultTtlMs: 1000 }, 1000],
    [5000, { defaultTtlMs: 1000 }, 5000],
    [100 * HOUR_MS, {}, 24 * HOUR_MS],
    [5000, { maxTtlMs: 2000 }, 2000],
    [0.4, {}, 1],
    [undefined, { defaultTtlMs: Infinity, maxTtlMs: Infinity }, null],
  ])('wanted %s, with %j, is %s', async (ttlMs, tasks, expected) => {
    const client = await serve(
      (context) => context.startTask(ttlMs === undefined ? {} : { ttlMs }),
      { settings: { tasks } },
    );
    expect(await ask(client, 'tools/call', { name: 'run' })).toMatchObject({ ttlMs: expected });
  });

  test('ends for an ended task: it becomes unknown and leaves the store', async () => {
    const store = new InMemoryTaskStore();
    const client = await serve((context) => context.startTask({ ttlMs: 5000 }), {
      settings: { tasks: { store } },
    });
    const taskId = await start(client);
    await client.settled();
    await vi.advanceTimersByTimeAsync(4999);
    expect(await ask(client, 'tasks/get', { taskId })).toMatchObject({ status: 'completed' });
    await vi.advanceTimersByTimeAsync(1);
    expect(await refusal(client, 'tasks/get', capable({ taskId }))).toBe(-32602);
    expect(await store.get(taskId)).toBeUndefined();
  });

  test('ends for a running task: its handler aborts, and waiting requests fail as expired', async () => {
    const reasons: unknown[] = [];
    const client = await connectRaw(
      serverOf(async (context) => {
        context.signal.addEventListener('abort', () => reasons.push(String(context.signal.reason)));
        await context.elicit('who', form);
      }),
    );
    await client.request(0, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'raw', version: '1' },
    });
    const { result } = await client.request(1, 'tools/call', { name: 'run', task: { ttl: 5000 } });
    const { taskId } = (result as { task: { taskId: string } }).task;
    const waiting = client.request(2, 'tasks/result', { taskId });
    await client.find(({ method }) => method === 'elicitation/create');
    await vi.advanceTimersByTimeAsync(5000);
    expect(await waiting).toMatchObject({
      error: { code: -32602, message: 'The task has expired' },
    });
    expect(reasons).toEqual(['LocalError: The task has expired']);
    expect(await client.request(3, 'tasks/get', { taskId })).toMatchObject({
      error: { code: -32602 },
    });
  });

  test('is enforced by one timer, which stops without tasks and does not keep the process alive', async () => {
    const client = await serve((context) => context.startTask({ ttlMs: 1000 }));
    const before = vi.getTimerCount();
    for (let count = 0; count < 10; count += 1) await start(client);
    expect(vi.getTimerCount()).toBe(before + 1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(vi.getTimerCount()).toBe(before);
  });

  test('follows the injected clock', async () => {
    let now = Date.parse('2030-01-01T00:00:00Z');
    const client = await serve((context) => context.startTask({ ttlMs: 5000 }), {
      settings: { tasks: { clock: () => now } },
    });
    const task = await ask(client, 'tools/call', { name: 'run' });
    expect(task.createdAt).toBe('2030-01-01T00:00:00.000Z');
    now += 5000;
    expect(await refusal(client, 'tasks/get', capable({ taskId: task.taskId }))).toBe(-32602);
  });
});

test('a task that the store evicted has no timer', async () => {
  vi.useFakeTimers();
  try {
    const store = new InMemoryTaskStore({ maxTasks: 1 });
    const client = await serve((context) => context.startTask({ ttlMs: 5000 }), {
      settings: { tasks: { store } },
    });
    const remove = vi.spyOn(store, 'delete');
    const dropped = await start(client);
    await client.settled();
    await start(client);
    await vi.advanceTimersByTimeAsync(5000);
    expect(remove).not.toHaveBeenCalledWith(dropped);
    expect(remove).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});

test('stopTasks ends after 500 ms when the store hangs, and reports that', async () => {
  vi.useFakeTimers();
  try {
    const store = new InMemoryTaskStore();
    const onError = vi.fn<(error: unknown) => void>();
    const server = serverOf(
      async (context) => {
        await context.startTask();
        return new Promise(() => undefined);
      },
      { settings: { tasks: { store } }, events: { onError } },
    );
    await startAs(server, 'ada');
    vi.spyOn(store, 'update').mockReturnValue(new Promise(() => undefined));
    const stopped = server.stopTasks();
    await vi.advanceTimersByTimeAsync(500);
    await expect(stopped).resolves.toBeUndefined();
    expect(String(onError.mock.calls[0]?.[0])).toContain(
      'did not store the end of 1 running tasks within 500 ms',
    );
  } finally {
    vi.useRealTimers();
  }
});

describe('a durable store', () => {
  test('returns the results of ended tasks to the next server, and marks running tasks as failed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tasks-'));
    const never = new Promise<never>(() => undefined);
    const run = (which: string | undefined): Server =>
      serverOf(
        async (context) => {
          await context.startTask();
          if (which === 'working') await never;
          if (which === 'asking') await context.elicit('who', form);
          return 'survived';
        },
        { settings: { tasks: { store: new FileTaskStore(folder) } } },
      );
    const ids: { [which: string]: string } = {};
    const store = new FileTaskStore(folder);
    for (const [which, status] of [
      ['done', 'completed'],
      ['working', 'working'],
      ['asking', 'input_required'],
    ] as const) {
      const client = await connectRaw(run(which));
      const taskId = await start(client);
      ids[which] = taskId;
      // Its server lives on and must not write any more when the next one begins.
      await vi.waitFor(async () => expect(await store.get(taskId)).toMatchObject({ status }), {
        timeout: 10_000,
      });
      await client.close();
    }
    const client = await connectRaw(run(undefined));
    expect(await ask(client, 'tasks/get', { taskId: ids.done })).toMatchObject({
      status: 'completed',
      result: { structuredContent: { value: 'survived' } },
    });
    for (const which of ['working', 'asking']) {
      const failed = await ask(client, 'tasks/get', { taskId: ids[which] });
      expect(failed).toMatchObject({
        status: 'failed',
        statusMessage: 'The server ended before the task did; it will not be continued.',
        error: { code: -32603 },
      });
      expect(failed).not.toHaveProperty('inputRequests');
      await ask(client, 'tasks/cancel', { taskId: ids[which] });
      await ask(client, 'tasks/update', { taskId: ids[which], inputResponses: {} });
    }
    await rm(folder, { recursive: true });
  });

  test('is swept by the next server', async () => {
    vi.useFakeTimers();
    try {
      const store = new InMemoryTaskStore();
      const first = await serve((context) => context.startTask({ ttlMs: 5000 }), {
        settings: { tasks: { store } },
      });
      const taskId = await start(first);
      await first.settled();
      const second = await serve((context) => context.startTask(), {
        settings: { tasks: { store } },
      });
      await ask(second, 'tasks/get', { taskId });
      await vi.advanceTimersByTimeAsync(5000);
      expect(await store.get(taskId)).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the end of a task', () => {
  test('is sent when it is stored, not before', async () => {
    const store = new InMemoryTaskStore();
    const update = store.update.bind(store);
    const writing = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    Object.assign(store, {
      update: async (record: TaskRecord, expected: TaskRecord['status']) => {
        writing.resolve(undefined);
        await release.promise;
        return update(record, expected);
      },
    });
    const client = await serve(
      async (context) => {
        await context.startTask();
        context.progress({ progress: 1, message: 'nearly' });
      },
      { settings: { tasks: { store } } },
    );
    const taskId = await start(client);
    await writing.promise;
    const answers: unknown[] = [];
    const answer = ask(client, 'tasks/get', { taskId }).then((task) => answers.push(task.status));
    await client.settled();
    expect(answers).toEqual([]);
    release.resolve(undefined);
    await answer;
    expect(answers).toEqual(['completed']);
    expect(await store.get(taskId)).toMatchObject({ status: 'completed' });
  });

  test('is final: progress and results that come later change nothing', async () => {
    const store = new InMemoryTaskStore();
    const ended = Promise.withResolvers<undefined>();
    const client = await serve(
      async (context) => {
        await context.startTask();
        await context.elicit('who', form).catch(() => undefined);
        context.progress({ progress: 1, message: 'late' });
        ended.resolve(undefined);
        return 'late';
      },
      { settings: { tasks: { store } } },
    );
    const taskId = await start(client);
    await until(client, taskId, 'input_required');
    await ask(client, 'tasks/cancel', { taskId });
    const cancelled = await ask(client, 'tasks/get', { taskId });
    await ended.promise;
    await client.settled();
    expect(cancelled).toMatchObject({
      status: 'cancelled',
      statusMessage: 'The task was cancelled.',
    });
    expect(await ask(client, 'tasks/get', { taskId })).toEqual(cancelled);
    expect(await store.get(taskId)).toMatchObject({
      status: 'cancelled',
      statusMessage: 'The task was cancelled.',
    });
  });
});

describe('a server that ends', () => {
  test('aborts the handlers of its tasks, and marks these tasks as failed first', async () => {
    const store = new InMemoryTaskStore();
    const reasons: unknown[] = [];
    const server = serverOf(
      async (context) => {
        await context.startTask();
        context.signal.addEventListener('abort', () => reasons.push(String(context.signal.reason)));
        await context.elicit('who', form);
      },
      { settings: { tasks: { store } } },
    );
    const client = await connectRaw(server);
    const taskId = await start(client);
    await until(client, taskId, 'input_required');
    await server.stopTasks();
    expect(await store.get(taskId)).toMatchObject({ status: 'failed', error: { code: -32603 } });
    expect(reasons).toEqual([
      'LocalError: The server ended before the task did; it will not be continued.',
    ]);
    await server.stopTasks();
    await serverOf(() => 1, { task: 'never' }).stopTasks();
  });
});

describe('a store that fails', () => {
  test('when a task is created, fails the call and leaves nothing running', async () => {
    const store = Object.assign(new InMemoryTaskStore(), {
      create: () => Promise.reject(new Error('Disk full')),
    });
    const reported: unknown[] = [];
    const client = await serve((context) => context.startTask(), {
      settings: { tasks: { store, maxRunning: 1 } },
      events: { onError: (error) => reported.push(error) },
    });
    for (let count = 0; count < 2; count += 1)
      expect(await ask(client, 'tools/call', { name: 'run' })).toMatchObject({
        resultType: 'complete',
        isError: true,
      });
    expect(reported.map(String)).toEqual(['Error: Disk full', 'Error: Disk full']);
  });

  test('when a task ends, is reported, and the end is sent all the same', async () => {
    const store = Object.assign(new InMemoryTaskStore(), {
      update: () => Promise.reject(new Error('Disk full')),
    });
    const reported: unknown[] = [];
    const client = await serve(
      async (context) => {
        await context.startTask();
        return 'done';
      },
      { settings: { tasks: { store } }, events: { onError: (error) => reported.push(error) } },
    );
    expect(await until(client, await start(client), 'completed')).toMatchObject({
      result: { structuredContent: { value: 'done' } },
    });
    expect(reported.map(String)).toEqual(['Error: Disk full']);
  });

  test('does not count tasks whose end it cannot store as running', async () => {
    const store = Object.assign(new InMemoryTaskStore(), {
      update: () => Promise.reject(new Error('Disk full')),
    });
    const client = await serve((context) => context.startTask(), {
      settings: { tasks: { store, maxRunning: 1 } },
      events: { onError: () => undefined },
    });
    for (let count = 0; count < 3; count += 1)
      expect(await until(client, await start(client), 'completed')).toMatchObject({
        result: { structuredContent: { value: null } },
      });
  });

  test('when the server starts, is read again', async () => {
    const store: TaskStore = new InMemoryTaskStore();
    const all = store.all.bind(store);
    let isDown = true;
    Object.assign(store, {
      all: (): AsyncIterable<TaskRecord> => {
        if (isDown) throw new Error('Down');
        return all();
      },
    });
    const client = await serve((context) => context.startTask(), {
      settings: { tasks: { store } },
      events: { onError: () => undefined },
    });
    expect(await refusal(client, 'tasks/get', capable({ taskId: 'x' }))).toBe(-32603);
    isDown = false;
    expect(await refusal(client, 'tasks/get', capable({ taskId: 'x' }))).toBe(-32602);
  });

  test('when another writer deleted a running task, aborts its handler', async () => {
    const store = new InMemoryTaskStore();
    const client = await serve(
      async (context) => {
        await context.startTask();
        await context.elicit('who', form).catch(() => undefined);
        await context.elicit('what', form);
      },
      { settings: { tasks: { store } } },
    );
    const taskId = await start(client);
    await until(client, taskId, 'input_required');
    await store.delete(taskId);
    await ask(client, 'tasks/update', { taskId, inputResponses: { who: { action: 'decline' } } });
    await vi.waitFor(async () =>
      expect(await refusal(client, 'tasks/get', capable({ taskId }))).toBe(-32602),
    );
  });
});

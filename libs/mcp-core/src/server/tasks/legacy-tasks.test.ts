import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import { ProtocolError, ToolError } from '../../protocol/errors.ts';
import { createInMemoryTransports } from '../../testing/in-memory-transport.ts';
import { connectRaw, initialize, type RawClient } from '../../testing/raw-client.test.support.ts';
import type { InteractiveContext } from '../requests/request-context.ts';
import { form, RELATED, serverOf, type Serving } from './task-server.test.support.ts';

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u) as string;
const everything = { elicitation: {}, sampling: {}, roots: {} };

/** A session of 2025-11-25, by default, with a server whose tool `run` gives the JSON of what this returns. */
async function open(
  run: (context: InteractiveContext) => unknown,
  { version = '2025-11-25', ...serving }: Serving & { readonly version?: string } = {},
): Promise<RawClient> {
  const client = await connectRaw(serverOf(run, serving));
  await initialize(client, version, everything);
  return client;
}

let requests = 0;

async function ask(client: RawClient, method: string, params: JsonObject): Promise<JsonObject> {
  const answer = await client.request(`legacy-${String((requests += 1))}`, method, params);
  expect(answer).toHaveProperty('result');
  return answer.result as JsonObject;
}

async function refusal(client: RawClient, method: string, params: JsonObject): Promise<JsonObject> {
  const answer = await client.request(`legacy-${String((requests += 1))}`, method, params);
  expect(answer).toHaveProperty('error');
  return answer.error as JsonObject;
}

async function start(client: RawClient, params: JsonObject = {}): Promise<string> {
  const { task } = await ask(client, 'tools/call', { name: 'run', task: {}, ...params });
  return (task as { taskId: string }).taskId;
}

function until(client: RawClient, taskId: string, status: string): Promise<JsonObject> {
  return vi.waitFor(
    async () => {
      const task = await ask(client, 'tasks/get', { taskId });
      expect(task).toMatchObject({ status });
      return task;
    },
    { timeout: 5000, interval: 5 },
  );
}

const asks = (method: string) => (message: JsonObject) => message.method === method;

describe('a server of 2025-11-25 with tasks', () => {
  test('announces them by request type, and only there', async () => {
    const client = await connectRaw(serverOf(() => 1));
    const { result } = await initialize(client, '2025-11-25');
    expect(result).toMatchObject({
      capabilities: { tasks: { cancel: {}, requests: { tools: { call: {} } } } },
    });
    const { capabilities } = result as { capabilities: JsonObject };
    expect(capabilities).not.toHaveProperty('extensions');
    expect(capabilities.tasks).not.toHaveProperty('list');
    const older = await initialize(await connectRaw(serverOf(() => 1)), '2025-06-18');
    expect((older.result as JsonObject).capabilities).not.toHaveProperty('tasks');
    expect((older.result as JsonObject).capabilities).not.toHaveProperty('extensions');
  });

  test('returns the task of a call before the handler runs, and its result later', async () => {
    const release = Promise.withResolvers<string>();
    const client = await open(async (context) => {
      await context.startTask({ ttlMs: 5 });
      return release.promise;
    });
    const created = await ask(client, 'tools/call', { name: 'run', task: { ttl: 60_000 } });
    const task = {
      taskId: expect.stringMatching(/^[\w-]{32}$/u) as string,
      status: 'working',
      createdAt: iso,
      lastUpdatedAt: iso,
      ttl: 60_000,
      pollInterval: 1000,
    };
    expect(created).toEqual({ task });
    const { taskId } = created.task as { taskId: string };
    expect(await ask(client, 'tasks/get', { taskId })).toEqual({ ...task, taskId });
    const result = ask(client, 'tasks/result', { taskId });
    release.resolve('done');
    expect(await result).toEqual({
      content: [{ type: 'text', text: '{"value":"done"}' }],
      structuredContent: { value: 'done' },
      _meta: { [RELATED]: { taskId } },
    });
    expect(await ask(client, 'tasks/get', { taskId })).toEqual({
      ...task,
      taskId,
      status: 'completed',
    });
    expect(await ask(client, 'tasks/result', { taskId })).toMatchObject({
      structuredContent: { value: 'done' },
    });
  });

  test('marks the task of a failed tool as failed, with its text, and returns its result', async () => {
    const client = await open(() => Promise.reject(new ToolError('No disk')));
    const taskId = await start(client);
    expect(await until(client, taskId, 'failed')).toMatchObject({ statusMessage: 'No disk' });
    expect(await ask(client, 'tasks/result', { taskId })).toMatchObject({
      isError: true,
      content: [{ text: 'No disk' }],
      _meta: { [RELATED]: { taskId } },
    });
  });

  test('returns the error of the call unchanged', async () => {
    const client = await open(() =>
      Promise.reject(new ProtocolError(-32001, 'No power', { data: 1 })),
    );
    const taskId = await start(client);
    expect(await until(client, taskId, 'failed')).toMatchObject({ statusMessage: 'No power' });
    expect(await refusal(client, 'tasks/result', { taskId })).toEqual({
      code: -32001,
      message: 'No power',
      data: 1,
    });
  });

  test('refuses calls that contradict the task support of the tool', async () => {
    const run = vi.fn<() => void>();
    expect(
      await refusal(await open(run, { task: 'required' }), 'tools/call', { name: 'run' }),
    ).toMatchObject({ code: -32601 });
    const never = { settings: { tasks: {} }, task: 'never' } as const;
    expect(
      await refusal(await open(run, never), 'tools/call', { name: 'run', task: {} }),
    ).toMatchObject({ code: -32601 });
    expect(await refusal(await open(run), 'tools/call', { name: 'run', task: 1 })).toMatchObject({
      code: -32602,
    });
    expect(
      await refusal(await open(run), 'tools/call', { name: 'run', task: { ttl: 'long' } }),
    ).toMatchObject({ code: -32602 });
    expect(await refusal(await open(run), 'tools/call', { name: 'none', task: {} })).toMatchObject({
      code: -32602,
    });
    expect(run).not.toHaveBeenCalled();
  });

  test('runs a call without the parameter as a plain call, although the handler starts a task', async () => {
    const client = await open(async (context) => {
      await context.startTask();
      return 'plain';
    });
    expect(await ask(client, 'tools/call', { name: 'run' })).toMatchObject({
      structuredContent: { value: 'plain' },
    });
  });

  test('without tasks, ignores the parameter', async () => {
    const client = await open(() => 'plain', { task: 'never' });
    expect(await ask(client, 'tools/call', { name: 'run', task: { ttl: 5 } })).toMatchObject({
      structuredContent: { value: 'plain' },
    });
    expect(await refusal(client, 'tasks/get', { taskId: 'x' })).toMatchObject({ code: -32601 });
  });

  test.each(['2025-06-18', '2025-03-26', '2024-11-05'])(
    'of %s ignores the parameter and has no methods for tasks',
    async (version) => {
      const client = await open(() => 'plain', { version });
      expect(await ask(client, 'tools/call', { name: 'run', task: {} })).toMatchObject({
        content: [{ text: '{"value":"plain"}' }],
      });
      for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/list'])
        expect(await refusal(client, method, { taskId: 'x' })).toMatchObject({ code: -32601 });
    },
  );

  test('notifies the session of each status, without related-task metadata', async () => {
    const client = await open((context) => context.elicit('who', form));
    const taskId = await start(client);
    void client.request('result', 'tasks/result', { taskId });
    const { id } = await client.find(asks('elicitation/create'));
    client.send({ jsonrpc: '2.0', id, result: { action: 'decline' } });
    const completed = await client.find(
      ({ method, params }) =>
        method === 'notifications/tasks/status' && (params as JsonObject).status === 'completed',
    );
    expect(completed.params).toEqual({
      taskId,
      status: 'completed',
      createdAt: iso,
      lastUpdatedAt: iso,
      ttl: 3_600_000,
      pollInterval: 1000,
    });
    const told = client.received.filter(
      (message) => (message as JsonObject).method === 'notifications/tasks/status',
    ) as { params: JsonObject }[];
    expect(told.map(({ params }) => params.status)).toEqual([
      'input_required',
      'working',
      'completed',
    ]);
  });

  test('keeps the progress token of the call until the task has ended', async () => {
    const release = Promise.withResolvers<undefined>();
    const client = await open(async (context) => {
      context.progress({ progress: 1, message: 'begun' });
      await release.promise;
      context.progress({ progress: 2 });
    });
    const taskId = await start(client, { _meta: { progressToken: 'p' } });
    const begun = await client.find(asks('notifications/progress'));
    expect(begun.params).toEqual({
      progressToken: 'p',
      progress: 1,
      message: 'begun',
      _meta: { [RELATED]: { taskId } },
    });
    expect(await ask(client, 'tasks/get', { taskId })).toMatchObject({ statusMessage: 'begun' });
    release.resolve(undefined);
    await client.find(
      ({ method, params }) =>
        method === 'notifications/progress' && (params as JsonObject).progress === 2,
    );
    await until(client, taskId, 'completed');
  });
});

describe('the input requests of a legacy task', () => {
  test('wait for tasks/result, are related to the task, and bring it back to working', async () => {
    const release = Promise.withResolvers<undefined>();
    const client = await open(async (context) => {
      const { content } = await context.elicit('who', form);
      await release.promise;
      return content;
    });
    const taskId = await start(client);
    await until(client, taskId, 'input_required');
    expect(
      client.received.some((message) => asks('elicitation/create')(message as JsonObject)),
    ).toBe(false);
    const result = ask(client, 'tasks/result', { taskId });
    const question = await client.find(asks('elicitation/create'));
    expect(question.params).toEqual({ ...form, _meta: { [RELATED]: { taskId } } });
    client.send({
      jsonrpc: '2.0',
      id: question.id,
      result: { action: 'accept', content: { name: 'Ada' }, _meta: { [RELATED]: { taskId } } },
    });
    await until(client, taskId, 'working');
    release.resolve(undefined);
    expect(await result).toMatchObject({ structuredContent: { value: { name: 'Ada' } } });
  });

  test('are sent on the next tasks/result when the client cancelled the first', async () => {
    const client = await open((context) => context.elicit('who', form));
    const taskId = await start(client);
    client.send({ jsonrpc: '2.0', id: 'first', method: 'tasks/result', params: { taskId } });
    const first = await client.find(asks('elicitation/create'));
    client.notify('notifications/cancelled', { requestId: 'first' });
    expect((await client.find(asks('notifications/cancelled'))).params).toMatchObject({
      requestId: first.id,
    });
    await until(client, taskId, 'input_required');
    const result = ask(client, 'tasks/result', { taskId });
    const second = await client.find(
      ({ method, id }) => method === 'elicitation/create' && id !== first.id,
    );
    client.send({ jsonrpc: '2.0', id: second.id, result: { action: 'decline' } });
    expect(await result).toMatchObject({ structuredContent: { value: { action: 'decline' } } });
  });

  test('are sent once, however many requests wait for the result', async () => {
    const client = await open((context) => context.elicit('who', form));
    const taskId = await start(client);
    const results = [
      ask(client, 'tasks/result', { taskId }),
      ask(client, 'tasks/result', { taskId }),
    ];
    const { id } = await client.find(asks('elicitation/create'));
    results.push(ask(client, 'tasks/result', { taskId }));
    await until(client, taskId, 'input_required');
    client.send({ jsonrpc: '2.0', id, result: { action: 'decline' } });
    for (const result of await Promise.all(results))
      expect(result).toMatchObject({ structuredContent: { value: { action: 'decline' } } });
    expect(
      client.received.filter((message) => asks('elicitation/create')(message as JsonObject)),
    ).toHaveLength(1);
  });

  test('go to another session that waits for the same task', async () => {
    const server = serverOf((context) => context.elicit('who', form));
    const [first, second] = [await connectRaw(server), await connectRaw(server)];
    await initialize(first, '2025-11-25', everything);
    await initialize(second, '2025-11-25', everything);
    const taskId = await start(first);
    await first.close();
    const result = ask(second, 'tasks/result', { taskId });
    const { id } = await second.find(asks('elicitation/create'));
    second.send({ jsonrpc: '2.0', id, result: { action: 'cancel' } });
    expect(await result).toMatchObject({ structuredContent: { value: { action: 'cancel' } } });
  });

  test('reject with the client’s own error', async () => {
    const client = await open((context) =>
      context
        .sample('s', { messages: [], maxTokens: 1 })
        .catch((error: unknown) => (error as ProtocolError).code),
    );
    const taskId = await start(client);
    const result = ask(client, 'tasks/result', { taskId });
    const { id } = await client.find(asks('sampling/createMessage'));
    client.send({ jsonrpc: '2.0', id, error: { code: -1, message: 'No' } });
    expect(await result).toMatchObject({ structuredContent: { value: -1 } });
  });
});

describe('cancelling a legacy task', () => {
  test('returns the cancelled task, aborts the handler, and is refused afterwards', async () => {
    const signals: AbortSignal[] = [];
    const client = await open(async (context) => {
      signals.push(context.signal);
      await new Promise((resolve) => {
        context.signal.addEventListener('abort', resolve);
      });
      return 'late';
    });
    const taskId = await start(client);
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    const result = client.request('result', 'tasks/result', { taskId });
    expect(await ask(client, 'tasks/cancel', { taskId })).toMatchObject({
      taskId,
      status: 'cancelled',
      statusMessage: 'The task was cancelled.',
    });
    expect(signals[0]?.aborted).toBe(true);
    expect((await result).error).toMatchObject({
      message: 'The task has no result: The task was cancelled.',
    });
    expect(await refusal(client, 'tasks/cancel', { taskId })).toMatchObject({
      code: -32602,
      message: 'The task cannot be cancelled: it is cancelled',
    });
    expect(await ask(client, 'tasks/get', { taskId })).toMatchObject({ status: 'cancelled' });
  });

  test('is refused for an unknown task', async () => {
    const client = await open(() => 1);
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect(await refusal(client, method, { taskId: 'x' })).toMatchObject({ code: -32602 });
  });

  test('does not follow from cancelling tasks/result', async () => {
    const release = Promise.withResolvers<undefined>();
    const client = await open(() => release.promise);
    const taskId = await start(client);
    client.send({ jsonrpc: '2.0', id: 'waiting', method: 'tasks/result', params: { taskId } });
    client.notify('notifications/cancelled', { requestId: 'waiting' });
    expect(await ask(client, 'tasks/get', { taskId })).toMatchObject({ status: 'working' });
    release.resolve(undefined);
    await until(client, taskId, 'completed');
  });
});

describe('tasks/list', () => {
  test('is neither announced nor served without authentication', async () => {
    const client = await open(() => 1);
    expect(await refusal(client, 'tasks/list', {})).toMatchObject({ code: -32601 });
  });

  test('returns an authenticated client its own tasks, page by page', async () => {
    const server = serverOf(() => 1);
    const [ada, bob] = [
      await openAs(server, { principal: 'ada' }),
      await openAs(server, { principal: 'bob' }),
    ];
    expect((ada.initialized.result as JsonObject).capabilities).toMatchObject({
      tasks: { list: {} },
    });
    const started: unknown[] = [];
    for (let index = 0; index < 101; index += 1)
      started.push(
        (
          (await ada.ask('tools/call', { name: 'run', task: {} })).result as {
            task: { taskId: string };
          }
        ).task.taskId,
      );
    const first = (await ada.ask('tasks/list', {})).result as {
      tasks: JsonObject[];
      nextCursor: string;
    };
    expect(first.tasks).toHaveLength(100);
    expect(first.tasks[0]).toEqual({
      taskId: started[0],
      status: 'completed',
      createdAt: iso,
      lastUpdatedAt: iso,
      ttl: 3_600_000,
      pollInterval: 1000,
    });
    const second = (await ada.ask('tasks/list', { cursor: first.nextCursor })).result as {
      tasks: JsonObject[];
    };
    expect([...first.tasks, ...second.tasks].map(({ taskId }) => taskId)).toEqual(started);
    expect(second).not.toHaveProperty('nextCursor');
    expect((await ada.ask('tasks/list', { cursor: 'x' })).error).toMatchObject({ code: -32602 });
    expect((await bob.ask('tasks/list', {})).result).toEqual({ tasks: [] });
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect((await bob.ask(method, { taskId: started[0] })).error).toMatchObject({ code: -32602 });
    expect((await ada.ask('tasks/get', { taskId: started[0] })).result).toMatchObject({
      status: 'completed',
    });
  });
});

/** A session whose transport has authenticated its client. */
async function openAs(
  server: ReturnType<typeof serverOf>,
  auth: AuthContext,
): Promise<{
  initialized: JsonObject;
  ask(method: string, params: JsonObject): Promise<JsonObject>;
}> {
  const [near, far] = createInMemoryTransports();
  const answers = new Map<unknown, (answer: JsonObject) => void>();
  await near.start({
    message: (value) => answers.get((value as JsonObject).id)?.(value as JsonObject),
    unreadable: () => undefined,
    closed: () => undefined,
  });
  await server.connect({
    start: (receiver) =>
      far.start({
        message: (value) => receiver.message(value, { auth }),
        unreadable: (problem) => receiver.unreadable(problem),
        closed: (error) => receiver.closed(error),
      }),
    send: (message) => far.send(message),
    close: () => far.close(),
  });
  const request = (method: string, params: JsonObject): Promise<JsonObject> =>
    new Promise((resolve) => {
      const id = answers.size;
      answers.set(id, resolve);
      void near.send({ jsonrpc: '2.0', id, method, params });
    });
  const initialized = await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  });
  return { initialized, ask: request };
}

import { describe, expect, test, vi } from 'vitest';
import { metaOf } from '../../era/meta-keys.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ProtocolError, ToolError } from '../../protocol/errors.ts';
import { modern } from '../../testing/raw-client.test.support.ts';
import { InMemoryTaskStore } from './in-memory-task-store.ts';
import type { TaskRecord } from './task-store.ts';
import {
  ask,
  capable,
  form,
  info,
  refusal,
  serve,
  start,
  TASKS,
  until,
} from './task-server.test.support.ts';

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u) as string;
const accepted = (name: unknown): JsonObject => ({ action: 'accept', content: { name } });

describe('a modern server with tasks', () => {
  test('announces the extension, and no core tasks', async () => {
    const client = await serve(() => 1);
    const { capabilities } = await ask(client, 'server/discover', {});
    expect(capabilities).toMatchObject({ extensions: { [TASKS]: {} } });
    expect(capabilities).not.toHaveProperty('tasks');
  });

  test('without a tool that supports tasks has neither the extension nor its methods', async () => {
    const client = await serve(() => 1, { task: 'never' });
    expect((await ask(client, 'server/discover', {})).capabilities).not.toHaveProperty(
      'extensions',
    );
    expect(await refusal(client, 'tasks/get', capable({ taskId: 'x' }))).toBe(-32601);
  });

  test('returns the flat task when the handler starts a task, and inlines the result into tasks/get', async () => {
    const release = Promise.withResolvers<string>();
    const client = await serve(async (context) => {
      await context.startTask({ ttlMs: 60_000 });
      return release.promise;
    });
    const created = await ask(client, 'tools/call', { name: 'run' });
    const base = {
      taskId: expect.stringMatching(/^[\w-]{32}$/u) as string,
      createdAt: iso,
      lastUpdatedAt: iso,
      ttlMs: 60_000,
      pollIntervalMs: 1000,
      _meta: { 'io.modelcontextprotocol/serverInfo': info },
    };
    expect(created).toEqual({ ...base, resultType: 'task', status: 'working' });
    const taskId = created.taskId as string;
    expect(await ask(client, 'tasks/get', { taskId })).toEqual({
      ...base,
      taskId,
      resultType: 'complete',
      status: 'working',
    });
    release.resolve('done');
    expect(await until(client, taskId, 'completed')).toEqual({
      ...base,
      resultType: 'complete',
      status: 'completed',
      result: {
        content: [{ type: 'text', text: '{"value":"done"}' }],
        structuredContent: { value: 'done' },
      },
    });
  });

  test('returns the plain result when no task is started, whatever a legacy task parameter says', async () => {
    const client = await serve(() => 'plain');
    expect(await ask(client, 'tools/call', { name: 'run', task: { ttl: 1 } })).toMatchObject({
      resultType: 'complete',
      structuredContent: { value: 'plain' },
    });
  });

  test('starts no task for a request that did not declare the extension, although another request did', async () => {
    const client = await serve(async (context) => {
      await context.startTask();
      return context.client.can('tasks');
    });
    await start(client);
    const { result } = await client.request(1, 'tools/call', modern({ name: 'run' }));
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { value: false } });
  });

  test('refuses a call that must become a task, naming the extension, and does not run it', async () => {
    const run = vi.fn<() => void>();
    const client = await serve(run, { task: 'required' });
    expect(await client.request(1, 'tools/call', modern({ name: 'run' }))).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } },
    });
    expect(run).not.toHaveBeenCalled();
  });

  test('marks a tool error as completed, and a protocol error as failed', async () => {
    const failing = await serve(async (context) => {
      await context.startTask();
      throw new ToolError('No disk');
    });
    expect(await until(failing, await start(failing), 'completed')).toMatchObject({
      result: { isError: true, content: [{ type: 'text', text: 'No disk' }] },
    });
    const broken = await serve(async (context) => {
      await context.startTask();
      throw new ProtocolError(-32603, 'No power', { data: { amperes: 0 } });
    });
    const failed = await until(broken, await start(broken), 'failed');
    expect(failed).toMatchObject({
      statusMessage: 'No power',
      error: { code: -32603, message: 'No power', data: { amperes: 0 } },
    });
    expect(failed).not.toHaveProperty('result');
  });

  test('has no tasks/result and no tasks/list', async () => {
    const client = await serve((context) => context.startTask());
    const taskId = await start(client);
    expect(await refusal(client, 'tasks/result', capable({ taskId }))).toBe(-32601);
    expect(await refusal(client, 'tasks/list', capable())).toBe(-32601);
  });

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    'refuses %s for an unknown task, and without the extension',
    async (method) => {
      const client = await serve((context) => context.startTask());
      const taskId = await start(client);
      expect(
        await refusal(client, method, capable({ taskId: 'unknown', inputResponses: {} })),
      ).toBe(-32602);
      expect(await refusal(client, method, capable({ inputResponses: {} }))).toBe(-32602);
      expect(await refusal(client, method, modern({ taskId, inputResponses: {} }))).toBe(-32021);
      expect(await ask(client, method, { taskId, inputResponses: {} })).toMatchObject({
        resultType: 'complete',
      });
    },
  );

  test('stores the message of the progress, and sends neither progress nor log messages', async () => {
    const release = Promise.withResolvers<undefined>();
    const client = await serve(async (context) => {
      await context.startTask();
      context.progress({ progress: 1, message: 'half way' });
      context.log('error', 'loud');
      await release.promise;
    });
    const meta = { progressToken: 7, 'io.modelcontextprotocol/logLevel': 'debug' };
    const taskId = await start(client, { _meta: { ...metaOf(capable()), ...meta } });
    await vi.waitFor(async () =>
      expect(await ask(client, 'tasks/get', { taskId })).toMatchObject({
        status: 'working',
        statusMessage: 'half way',
      }),
    );
    release.resolve(undefined);
    expect(await until(client, taskId, 'completed')).not.toHaveProperty('statusMessage');
    expect(client.received.filter((message) => 'method' in (message as object))).toEqual([]);
  });
});

describe('the input requests of a modern task', () => {
  test('are inlined while they are open, and the task resumes with their responses', async () => {
    const client = await serve(async (context) => {
      await context.startTask();
      return [await context.elicit('who', form), await context.listRoots()];
    });
    const taskId = await start(client);
    const waiting = await until(client, taskId, 'input_required');
    expect(waiting.inputRequests).toEqual({ who: { method: 'elicitation/create', params: form } });
    const ack = await ask(client, 'tasks/update', {
      taskId,
      inputResponses: { who: accepted('Ada') },
    });
    expect(ack).toEqual({ resultType: 'complete', _meta: expect.anything() as unknown });
    await vi.waitFor(async () =>
      expect((await ask(client, 'tasks/get', { taskId })).inputRequests).toEqual({
        roots: { method: 'roots/list', params: {} },
      }),
    );
    await ask(client, 'tasks/update', {
      taskId,
      inputResponses: { roots: { roots: [{ uri: 'file:///a' }] } },
    });
    const { result } = await until(client, taskId, 'completed');
    expect(result).toMatchObject({
      structuredContent: { value: [accepted('Ada'), [{ uri: 'file:///a' }]] },
    });
    expect(await ask(client, 'tasks/get', { taskId })).not.toHaveProperty('inputRequests');
  });

  test('follow the input requests before the start of the task', async () => {
    const client = await serve(async (context) => {
      const { content } = await context.elicit('before', form);
      await context.startTask();
      return [content, (await context.elicit('after', form)).content];
    });
    const round = await ask(client, 'tools/call', { name: 'run' });
    expect(round).toMatchObject({
      resultType: 'input_required',
      inputRequests: { before: { method: 'elicitation/create' } },
    });
    const taskId = await start(client, {
      inputResponses: { before: accepted('Ada') },
      requestState: round.requestState,
    });
    expect(
      Object.keys((await until(client, taskId, 'input_required')).inputRequests as object),
    ).toEqual(['after']);
    await ask(client, 'tasks/update', { taskId, inputResponses: { after: accepted('Bob') } });
    expect(await until(client, taskId, 'completed')).toMatchObject({
      result: { structuredContent: { value: [{ name: 'Ada' }, { name: 'Bob' }] } },
    });
  });

  test('delay the start of the task when they were made, but not awaited, before it', async () => {
    const client = await serve(async (context) => {
      const answer = context.elicit('before', form);
      await context.startTask();
      return (await answer).content;
    });
    const round = await ask(client, 'tools/call', { name: 'run' });
    expect(round.resultType).toBe('input_required');
    const taskId = await start(client, {
      inputResponses: { before: accepted('Ada') },
      requestState: round.requestState,
    });
    expect(await until(client, taskId, 'completed')).toMatchObject({
      result: { structuredContent: { value: { name: 'Ada' } } },
    });
  });

  test('belong to the task while it is being started', async () => {
    const client = await serve(async (context) => {
      const [, { content }] = await Promise.all([context.startTask(), context.elicit('who', form)]);
      return content;
    });
    const taskId = await start(client);
    await until(client, taskId, 'input_required');
    await ask(client, 'tasks/update', { taskId, inputResponses: { who: accepted('Ada') } });
    expect(await until(client, taskId, 'completed')).toMatchObject({
      result: { structuredContent: { value: { name: 'Ada' } } },
    });
  });

  test('accept responses one by one, and ignore other keys', async () => {
    const client = await serve(async (context) => {
      await context.startTask();
      return context.gather({ a: { elicit: form }, b: { elicit: form } });
    });
    const taskId = await start(client);
    expect(
      Object.keys((await until(client, taskId, 'input_required')).inputRequests as object),
    ).toEqual(['a', 'b']);
    await ask(client, 'tasks/update', {
      taskId,
      inputResponses: { a: accepted('A'), c: accepted('C') },
    });
    expect(
      Object.keys((await ask(client, 'tasks/get', { taskId })).inputRequests as object),
    ).toEqual(['b']);
    await ask(client, 'tasks/update', {
      taskId,
      inputResponses: { a: accepted('other'), b: accepted('B') },
    });
    expect(await until(client, taskId, 'completed')).toMatchObject({
      result: { structuredContent: { value: { a: accepted('A'), b: accepted('B') } } },
    });
  });

  test.each([
    { action: 'accept', content: { name: 1 } },
    { action: 'accept' },
    { action: 'perhaps' },
    'Ada',
    null,
  ])('are opened again under a new key when %j does not fit', async (response) => {
    const client = await serve(async (context) => {
      await context.startTask();
      return (await context.elicit('who', form)).content;
    });
    const taskId = await start(client);
    await until(client, taskId, 'input_required');
    await ask(client, 'tasks/update', { taskId, inputResponses: { who: response } });
    expect((await ask(client, 'tasks/get', { taskId })).inputRequests).toEqual({
      'who#2': { method: 'elicitation/create', params: form },
    });
    await ask(client, 'tasks/update', {
      taskId,
      inputResponses: { who: accepted('Eve'), 'who#2': accepted('Ada') },
    });
    expect(await until(client, taskId, 'completed')).toMatchObject({
      result: { structuredContent: { value: { name: 'Ada' } } },
    });
  });

  test('have one response per key, and each key one input request', async () => {
    const client = await serve(async (context) => {
      await context.startTask();
      const answers = [await context.elicit('who', form), await context.elicit('who', form)];
      const other = await context
        .elicit('who', { ...form, message: 'Other?' })
        .catch((error: unknown) => String(error));
      return [...answers, other];
    });
    const taskId = await start(client);
    await until(client, taskId, 'input_required');
    await ask(client, 'tasks/update', { taskId, inputResponses: { who: accepted('Ada') } });
    expect(await until(client, taskId, 'completed')).toMatchObject({
      result: {
        structuredContent: {
          value: [
            accepted('Ada'),
            accepted('Ada'),
            'Error: Two different input requests have the key "who"',
          ],
        },
      },
    });
  });

  test('are withdrawn with their gather', async () => {
    const client = await serve(async (context) => {
      await context.startTask();
      await context
        .gather({ a: { elicit: form }, b: { sample: { messages: [], maxTokens: 1, tools: [] } } })
        .catch(() => undefined);
      return context.elicit('a', form);
    });
    const taskId = await start(client);
    const { inputRequests } = await until(client, taskId, 'input_required');
    // `b` cannot be asked; the first `a` is gone with it and its key is not used again.
    expect(Object.keys(inputRequests as object)).toEqual(['a#2']);
  });

  test('are not sent to a client that did not declare the capability', async () => {
    const client = await serve(async (context) => {
      await context.startTask();
      return context.elicit('who', { mode: 'url', message: 'x', url: 'https://example.com' });
    });
    expect(await until(client, await start(client), 'failed')).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } },
    });
  });

  test('need input responses that are an object', async () => {
    const client = await serve((context) => context.startTask());
    expect(await refusal(client, 'tasks/update', capable({ taskId: await start(client) }))).toBe(
      -32602,
    );
  });
});

describe('cancelling a modern task', () => {
  test('aborts the handler and its input requests, is acknowledged, and ignores the later result', async () => {
    const stopped: unknown[] = [];
    const client = await serve(async (context) => {
      await context.startTask();
      await context
        .elicit('who', form)
        .catch((reason: unknown) => stopped.push(String(reason), context.signal.aborted));
      return 'late';
    });
    const taskId = await start(client);
    await until(client, taskId, 'input_required');
    expect(await ask(client, 'tasks/cancel', { taskId })).toEqual({
      resultType: 'complete',
      _meta: expect.anything() as unknown,
    });
    const cancelled = await ask(client, 'tasks/get', { taskId });
    expect(cancelled).toMatchObject({
      status: 'cancelled',
      statusMessage: 'The task was cancelled.',
    });
    expect(stopped).toEqual(['LocalError: The client cancelled the task', true]);
    await client.settled();
    expect(await ask(client, 'tasks/get', { taskId })).toEqual(cancelled);
  });

  test('is acknowledged and changes nothing when the task has ended, or is cancelled twice', async () => {
    const client = await serve((context) => context.startTask());
    const taskId = await start(client);
    await until(client, taskId, 'completed');
    await ask(client, 'tasks/cancel', { taskId });
    expect(await ask(client, 'tasks/get', { taskId })).toMatchObject({ status: 'completed' });
  });

  test('takes precedence over a response at the same time, and not over an earlier end', async () => {
    const client = await serve(async (context) => {
      await context.startTask();
      return (await context.elicit('who', form)).content;
    });
    const late = await start(client);
    await until(client, late, 'input_required');
    await Promise.all([
      ask(client, 'tasks/cancel', { taskId: late }),
      ask(client, 'tasks/update', { taskId: late, inputResponses: { who: accepted('Ada') } }),
    ]);
    expect(await ask(client, 'tasks/get', { taskId: late })).toMatchObject({ status: 'cancelled' });
    const answered = await start(client);
    await until(client, answered, 'input_required');
    await ask(client, 'tasks/update', {
      taskId: answered,
      inputResponses: { who: accepted('Ada') },
    });
    await until(client, answered, 'completed');
    await ask(client, 'tasks/cancel', { taskId: answered });
    expect(await ask(client, 'tasks/get', { taskId: answered })).toMatchObject({
      status: 'completed',
    });
  });

  test('happens to a task whose request was cancelled before it could be announced', async () => {
    const store = new InMemoryTaskStore();
    const create = store.create.bind(store);
    const creating = Promise.withResolvers<string>();
    const release = Promise.withResolvers<undefined>();
    Object.assign(store, {
      create: async (record: TaskRecord) => {
        await create(record);
        creating.resolve(record.taskId);
        await release.promise;
      },
    });
    const stopped = Promise.withResolvers<undefined>();
    const client = await serve(
      async (context) => {
        await context.startTask();
        context.signal.addEventListener('abort', () => stopped.resolve(undefined));
        if (context.signal.aborted) stopped.resolve(undefined);
      },
      { settings: { tasks: { store } } },
    );
    client.send({
      jsonrpc: '2.0',
      id: 'call',
      method: 'tools/call',
      params: capable({ name: 'run' }),
    });
    const taskId = await creating.promise;
    client.notify('notifications/cancelled', { requestId: 'call' });
    await client.settled();
    release.resolve(undefined);
    await stopped.promise;
    expect(await ask(client, 'tasks/get', { taskId })).toMatchObject({ status: 'cancelled' });
  });

  test('does not follow from the end of the request or of the connection', async () => {
    const release = Promise.withResolvers<undefined>();
    const signals: AbortSignal[] = [];
    const client = await serve(async (context) => {
      signals.push(context.signal);
      await context.startTask();
      await release.promise;
    });
    await client.request('call', 'tools/call', capable({ name: 'run' }));
    client.notify('notifications/cancelled', { requestId: 'call' });
    await client.close();
    await client.settled();
    expect(signals[0]?.aborted).toBe(false);
    release.resolve(undefined);
  });
});

describe('a listen stream with task ids', () => {
  test('receives the visible tasks, each time as the whole task', async () => {
    const client = await serve(async (context) => {
      await context.startTask();
      return (await context.elicit('who', form)).content;
    });
    const [taskId, other] = [await start(client), await start(client)];
    await until(client, taskId, 'input_required');
    client.send({
      jsonrpc: '2.0',
      id: 'stream',
      method: 'subscriptions/listen',
      params: capable({ notifications: { taskIds: [taskId, 'unknown', taskId] } }),
    });
    const acknowledged = await client.find(
      ({ method }) => method === 'notifications/subscriptions/acknowledged',
    );
    expect(acknowledged.params).toMatchObject({ notifications: { taskIds: [taskId] } });
    await ask(client, 'tasks/update', { taskId: other, inputResponses: { who: accepted('Eve') } });
    await ask(client, 'tasks/update', { taskId, inputResponses: { who: accepted('Ada') } });
    const completed = await client.find(
      ({ method, params }) =>
        method === 'notifications/tasks' && (params as JsonObject).status === 'completed',
    );
    const { _meta: stamp, resultType, ...task } = await until(client, taskId, 'completed');
    expect(resultType).toBe('complete');
    expect(stamp).toBeDefined();
    expect(completed.params).toEqual({
      _meta: { 'io.modelcontextprotocol/subscriptionId': 'stream' },
      ...task,
    });
    const told = client.received.filter(
      (message) => (message as JsonObject).method === 'notifications/tasks',
    ) as { params: JsonObject }[];
    expect(told.map(({ params }) => [params.taskId, params.status])).toEqual([
      [taskId, 'working'],
      [taskId, 'completed'],
    ]);
  });

  test('receives the changes before its acknowledgment', async () => {
    const attached = Promise.withResolvers<undefined>();
    const resources = {
      list: () => Promise.resolve({ resources: [] }),
      read: () => Promise.resolve({ contents: [] }),
      subscribe: async () => {
        await attached.promise;
        return () => undefined;
      },
    };
    const client = await serve(
      async (context) => {
        await context.startTask();
        await context.elicit('who', form);
      },
      { resources },
    );
    const taskId = await start(client);
    await until(client, taskId, 'input_required');
    const params = capable({
      notifications: { taskIds: [taskId], resourceSubscriptions: ['file:///a'] },
    });
    client.send({ jsonrpc: '2.0', id: 'stream', method: 'subscriptions/listen', params });
    await ask(client, 'tasks/update', { taskId, inputResponses: { who: { action: 'decline' } } });
    await until(client, taskId, 'completed');
    expect(client.received.filter((message) => 'method' in (message as object))).toEqual([]);
    attached.resolve(undefined);
    const told = await client.find(({ method }) => method === 'notifications/tasks');
    expect(told.params).toMatchObject({ taskId, status: 'completed' });
    const methods = client.received
      .map((message) => (message as JsonObject).method)
      .filter((method) => method !== undefined);
    expect(methods).toEqual(['notifications/subscriptions/acknowledged', 'notifications/tasks']);
  });

  test('is refused without the extension', async () => {
    const client = await serve((context) => context.startTask());
    expect(
      await refusal(client, 'subscriptions/listen', modern({ notifications: { taskIds: [] } })),
    ).toBe(-32021);
    expect(
      await refusal(client, 'subscriptions/listen', capable({ notifications: { taskIds: [1] } })),
    ).toBe(-32602);
  });
});

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { ElicitResult } from '../../protocol/client-features.ts';
import type { Client } from '../client.ts';
import type { ClientOptions } from '../client-options.ts';
import { connectClient } from '../connect-client.ts';
import {
  discovered,
  initialized,
  ScriptedServer,
  type Step,
} from '../testing/scripted-server.test.support.ts';

const base = {
  taskId: 't',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: null,
  pollIntervalMs: 1000,
};
const created: Step = () => ({ result: { resultType: 'task', ...base, status: 'working' } });
const working = { ...base, resultType: 'complete', status: 'working' };
const completed = {
  ...base,
  resultType: 'complete',
  status: 'completed',
  result: { content: [{ type: 'text', text: 'done' }] },
};
const form = {
  method: 'elicitation/create',
  params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
};
const asking = (...keys: string[]): JsonObject => ({
  ...base,
  resultType: 'complete',
  status: 'input_required',
  inputRequests: Object.fromEntries(keys.map((key) => [key, form])),
});

/** A modern server whose task has these states, one after the other; the last one stays. */
async function connect(
  states: readonly JsonObject[],
  options: Partial<ClientOptions> = {},
  script: { [method: string]: Step } = {},
): Promise<{ client: Client; server: ScriptedServer }> {
  let polls = 0;
  const get: Step = () => {
    const state = states[Math.min(polls, states.length - 1)];
    polls += 1;
    return { result: state ?? working };
  };
  const server = new ScriptedServer({
    'server/discover': discovered,
    'tools/call': created,
    'tasks/get': get,
    'tasks/update': () => ({ result: { resultType: 'complete' } }),
    'tasks/cancel': () => ({ result: { resultType: 'complete' } }),
    ...script,
  });
  const client = await connectClient(() => server, {
    info: { name: 'client', version: '1' },
    era: 'modern',
    ...options,
  });
  return { client, server };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Resolves with the reason of a rejection. */
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

describe('a client that waits for a modern task', () => {
  test('declares the extension in each request, and sends the task id', async () => {
    const { client, server } = await connect([completed]);
    const call = client.callTool('run', {});
    await pass(1000);
    expect(await call).toEqual({ content: [{ type: 'text', text: 'done' }] });
    const declared = {
      'io.modelcontextprotocol/clientCapabilities': {
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    };
    expect(server.all('tools/call')[0]?.params).toMatchObject({ _meta: declared });
    expect(server.all('tasks/get')[0]?.params).toMatchObject({ taskId: 't', _meta: declared });
    await client.close();
  });

  test.each([
    [2500, 2500],
    [undefined, 1000],
    [0, 50],
    [-5, 50],
    [3_600_000, 60_000],
  ])('polls every %s ms when the server suggests %s', async (pollIntervalMs, expected) => {
    const { pollIntervalMs: _default, ...rest } = working;
    const state = pollIntervalMs === undefined ? rest : { ...rest, pollIntervalMs };
    const { client, server } = await connect(
      [state],
      {},
      { 'tools/call': () => ({ result: { ...state, resultType: 'task' } }) },
    );
    const call = client.callTool('run', {}).catch(() => undefined);
    await pass(expected - 1);
    expect(server.all('tasks/get')).toHaveLength(0);
    await pass(1);
    expect(server.all('tasks/get')).toHaveLength(1);
    await pass(expected);
    expect(server.all('tasks/get')).toHaveLength(2);
    await client.close();
    await pass(expected);
    await call;
  });

  test('adopts each new poll interval', async () => {
    const { client, server } = await connect([{ ...working, pollIntervalMs: 5000 }, working]);
    const call = client.callTool('run', {}).catch(() => undefined);
    await pass(5999);
    expect(server.all('tasks/get')).toHaveLength(1);
    await pass(1);
    expect(server.all('tasks/get')).toHaveLength(2);
    await client.close();
    await pass(1000);
    await call;
  });

  test('polls immediately for a task that had already ended', async () => {
    const { client } = await connect(
      [completed],
      {},
      { 'tools/call': () => ({ result: { ...base, resultType: 'task', status: 'completed' } }) },
    );
    expect(await client.callTool('run', {})).toMatchObject({ content: [{ text: 'done' }] });
    await client.close();
  });

  test('sends each input response when it is ready, and only once', async () => {
    const answers: ((answer: ElicitResult) => void)[] = [];
    const elicit = (): Promise<ElicitResult> => new Promise((resolve) => answers.push(resolve));
    const { client, server } = await connect(
      [asking('a', 'b'), asking('a', 'b'), asking('a', 'b'), completed],
      { handlers: { elicit } },
    );
    const call = client.callTool('run', {});
    await pass(2000);
    expect(answers).toHaveLength(2);
    answers[1]?.({ action: 'decline' });
    await pass(1000);
    expect(
      server.all('tasks/update').map(({ params }) => [params?.taskId, params?.inputResponses]),
    ).toEqual([['t', { b: { action: 'decline' } }]]);
    answers[0]?.({ action: 'cancel' });
    await pass(1000);
    expect(await call).toMatchObject({ content: [{ text: 'done' }] });
    expect(server.all('tasks/update')).toHaveLength(2);
    expect(answers).toHaveLength(2);
    await client.close();
  });

  test('aborts an input request that the server no longer lists, without a response', async () => {
    const signals: AbortSignal[] = [];
    const elicit = (
      _params: unknown,
      { signal }: { readonly signal: AbortSignal },
    ): Promise<ElicitResult> => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const { client, server } = await connect([asking('a'), asking('b'), completed], {
      handlers: { elicit },
    });
    const call = client.callTool('run', {});
    await pass(2000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    await pass(1000);
    await call;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(server.all('tasks/update')).toEqual([]);
    await client.close();
  });

  test('cancels a task that requests undeclared input', async () => {
    const { client, server } = await connect([asking('a')]);
    const outcome = failure(client.callTool('run', {}));
    await pass(1000);
    expect(await outcome).toMatchObject({ code: 'capability-missing' });
    expect(server.all('tasks/cancel').map(({ params }) => params?.taskId)).toEqual(['t']);
    await client.close();
  });

  test('reports the refusal when the server lists a refused input request again', async () => {
    const handlers = { elicit: () => Promise.resolve({ action: 'decline' } as const) };
    const refuse: Step = () => ({ error: { code: -32603, message: 'Too early' } });
    const { client } = await connect([asking('a')], { handlers }, { 'tasks/update': refuse });
    const outcome = failure(client.callTool('run', {}));
    await pass(2000);
    expect(await outcome).toMatchObject({ code: -32603, message: 'Too early' });
    await client.close();
  });

  test('ignores the refusal of a response to a task that has ended', async () => {
    const handlers = { elicit: () => Promise.resolve({ action: 'decline' } as const) };
    const { client } = await connect(
      [asking('a'), completed],
      { handlers },
      { 'tasks/update': () => ({ error: { code: -32602, message: 'Ended' } }) },
    );
    const call = client.callTool('run', {});
    await pass(2000);
    expect(await call).toMatchObject({ content: [{ text: 'done' }] });
    await client.close();
  });

  test.each([
    ['a result that is none', { ...completed, result: 1 }],
    ['a result without content', { ...completed, result: {} }],
    ['a status that does not exist', { ...working, status: 'tired' }],
    ['another thing', { resultType: 'complete' }],
    ['a task as the answer', { ...working, resultType: 'task' }],
  ])('rejects %s', async (_what, state) => {
    const { client } = await connect([state]);
    const outcome = failure(client.callTool('run', {}));
    await pass(1000);
    expect(await outcome).toMatchObject({ code: 'invalid-response' });
    await client.close();
  });

  test('reads a failed task without its error', async () => {
    const { client } = await connect([{ ...working, status: 'failed', statusMessage: 'No power' }]);
    const outcome = failure(client.callTool('run', {}));
    await pass(1000);
    expect(await outcome).toMatchObject({ code: -32603, message: 'No power' });
    await client.close();
  });

  test('accepts a task only as the result of a tool call', async () => {
    const { client } = await connect([], {}, { 'resources/read': created, 'tools/list': created });
    await expect(client.readResource('file:///a')).rejects.toMatchObject({
      code: 'invalid-response',
    });
    await expect(client.listTools()).rejects.toMatchObject({ code: 'invalid-response' });
    await client.close();
  });

  test('rejects a task without an id', async () => {
    const { client } = await connect(
      [],
      {},
      { 'tools/call': () => ({ result: { resultType: 'task', status: 'working' } }) },
    );
    await expect(client.callTool('run', {})).rejects.toMatchObject({ code: 'invalid-response' });
    await client.close();
  });

  test('polls again after single lost responses, and fails when all are lost', async () => {
    const { client, server } = await connect([], {}, { 'tasks/get': () => undefined });
    const lose = async (count: number): Promise<void> => {
      await pass(1000);
      const { id } = await server.receives('tasks/get', count);
      server.fail(id!, new Error('Its stream broke'));
    };
    const call = client.callTool('run', {});
    const outcome = failure(call);
    for (let count = 1; count <= 4; count += 1) await lose(count);
    expect(await outcome).toMatchObject({ code: 'connection-lost' });
    // Somebody may resume it.
    expect(server.all('tasks/cancel')).toEqual([]);
    await client.close();
  });

  test('restarts the count of lost responses after each response', async () => {
    let polls = 0;
    const get: Step = () =>
      (polls += 1) % 3 === 0 ? { result: polls < 12 ? working : completed } : undefined;
    const { client, server } = await connect([], {}, { 'tasks/get': get });
    const call = client.callTool('run', {});
    for (let count = 1; count <= 12; count += 1) {
      await pass(1000);
      const { id } = await server.receives('tasks/get', count);
      if (count % 3 !== 0) server.fail(id!, new Error('Its stream broke'));
    }
    expect(await call).toMatchObject({ content: [{ text: 'done' }] });
    await client.close();
  });

  test('sends an input response again when it may not have reached the server', async () => {
    const handlers = { elicit: () => Promise.resolve({ action: 'decline' } as const) };
    let updates = 0;
    const update: Step = () =>
      (updates += 1) === 1 ? undefined : { result: { resultType: 'complete' } };
    const { client, server } = await connect(
      [asking('a'), asking('a'), asking('a'), completed],
      { handlers },
      { 'tasks/update': update },
    );
    const call = client.callTool('run', {});
    await pass(1000);
    server.fail((await server.receives('tasks/update')).id!, new Error('Its stream broke'));
    await pass(3000);
    await call;
    expect(server.all('tasks/update')).toHaveLength(2);
    await client.close();
  });

  test('does not cancel before the inactivity limit of a silent server', async () => {
    const { client, server } = await connect(
      [],
      { limits: { requestTimeoutMs: 5000 } },
      { 'tasks/get': () => undefined },
    );
    const outcome = failure(client.callTool('run', {}));
    await pass(5999);
    expect(server.all('tasks/cancel')).toHaveLength(0);
    await pass(1);
    expect(await outcome).toMatchObject({ code: 'request-timeout' });
    expect(server.all('tasks/cancel')).toHaveLength(1);
    await client.close();
  });
});

describe('a client that waits for a legacy task', () => {
  const legacyTask = {
    taskId: 't',
    status: 'working',
    createdAt: '',
    lastUpdatedAt: '',
    ttl: null,
    pollInterval: 1000,
  };
  const capabilities = { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } };
  const legacy = async (script: {
    [method: string]: Step;
  }): Promise<{ client: Client; server: ScriptedServer }> => {
    const server = new ScriptedServer({
      initialize: () => ({
        result: {
          protocolVersion: '2025-11-25',
          capabilities,
          serverInfo: { name: 'legacy', version: '1' },
        },
      }),
      'tools/call': () => ({ result: { task: legacyTask } }),
      'tasks/get': () => ({ result: legacyTask }),
      'tasks/cancel': () => ({ result: { ...legacyTask, status: 'cancelled' } }),
      ...script,
    });
    return {
      client: await connectClient(() => server, {
        info: { name: 'client', version: '1' },
        era: 'legacy',
      }),
      server,
    };
  };

  test('waits with one tasks/result, and polls to detect a server that stopped', async () => {
    const { client, server } = await legacy({});
    const call = client.callTool(
      'run',
      {},
      { task: { request: { ttlMs: 5000 } }, timeoutMs: 3000 },
    );
    await pass(10_000);
    expect(server.all('tools/call')[0]?.params).toMatchObject({ task: { ttl: 5000 } });
    expect(server.all('tasks/result')).toHaveLength(1);
    expect(server.all('tasks/get')).toHaveLength(10);
    server.deliver({ id: server.all('tasks/result')[0]?.id, result: { content: [] } });
    expect(await call).toEqual({ content: [] });
    await pass(10_000);
    expect(server.all('tasks/get')).toHaveLength(10);
    await client.close();
  });

  test('requests the result again when its stream broke', async () => {
    const { client, server } = await legacy({});
    const call = client.callTool('run', {}, { task: { request: {} } });
    await pass(0);
    server.fail((await server.receives('tasks/result')).id!, new Error('Its stream broke'));
    await pass(1000);
    const { id } = await server.receives('tasks/result', 2);
    server.deliver({ id, result: { content: [] } });
    expect(await call).toEqual({ content: [] });
    await client.close();
  });

  test('requests a task only from a server that offers tasks, and accepts a plain result from any server', async () => {
    const server = new ScriptedServer({
      initialize: initialized(),
      'tools/call': () => ({ result: { content: [] } }),
    });
    const client = await connectClient(() => server, {
      info: { name: 'client', version: '1' },
      era: 'legacy',
    });
    expect(await client.callTool('run', {}, { task: { request: {} } })).toEqual({ content: [] });
    expect(server.all('tools/call')[0]?.params).not.toHaveProperty('task');
    await client.close();
  });
});

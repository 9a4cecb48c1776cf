import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Client } from '../client.ts';
import { connectClient } from '../connect-client.ts';
import type { InputHandlers } from '../input/input-handlers.ts';
import {
  discovered,
  ScriptedServer,
  silent,
  type Step,
} from '../testing/scripted-server.test.support.ts';

const task = {
  taskId: 't',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: null,
  pollIntervalMs: 1000,
};
const form = {
  method: 'elicitation/create',
  params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
};
const sampling = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 10 },
};
const meta = { 'dev.example/run': 7 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A modern server whose calls are tasks that ask this for ever. */
async function connect(
  inputRequests: JsonObject,
  handlers: InputHandlers,
  script: { [method: string]: Step } = {},
): Promise<{ client: Client; server: ScriptedServer }> {
  const empty: Step = () => ({ result: { resultType: 'complete' } });
  const server = new ScriptedServer({
    'server/discover': discovered,
    'tools/call': () => ({ result: { resultType: 'task', ...task, status: 'working' } }),
    'tasks/get': () => ({
      result: { resultType: 'complete', ...task, status: 'input_required', inputRequests },
    }),
    'tasks/update': empty,
    'tasks/cancel': empty,
    ...script,
  });
  return {
    server,
    client: await connectClient(() => server, {
      info: { name: 't', version: '0' },
      era: 'modern',
      handlers,
    }),
  };
}

test('an input request of a task names its call to the handler', async () => {
  const elicit = vi.fn<NonNullable<InputHandlers['elicit']>>(() =>
    Promise.resolve({ action: 'decline' }),
  );
  const { client } = await connect({ who: form }, { elicit });
  void client.callTool('a', {}, { meta }).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(1000);
  expect(elicit.mock.calls.map(([, { request }]) => request)).toEqual([
    { method: 'tools/call', name: 'a', meta },
  ]);
  await client.close();
});

test('an input request of a legacy task names the waiting request to the handler', async () => {
  const elicit = vi.fn<NonNullable<InputHandlers['elicit']>>(() =>
    Promise.resolve({ action: 'decline' }),
  );
  const { ttlMs, pollIntervalMs, ...core } = task;
  const server = new ScriptedServer({
    initialize: () => ({
      result: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
        serverInfo: { name: 'legacy', version: '1' },
      },
    }),
    'tools/call': () => ({
      result: { task: { ...core, ttl: ttlMs, pollInterval: pollIntervalMs, status: 'working' } },
    }),
    'tasks/result': silent,
  });
  const client = await connectClient(() => server, {
    info: { name: 't', version: '0' },
    era: 'legacy',
    handlers: { elicit },
  });
  void client.callTool('a', {}, { meta, task: { request: {} } }).catch(() => undefined);
  await server.receives('tasks/result');
  server.deliver({
    id: 'q',
    ...form,
    params: { ...form.params, _meta: { 'io.modelcontextprotocol/related-task': { taskId: 't' } } },
  });
  server.deliver({
    id: 'r',
    ...form,
    params: {
      ...form.params,
      _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'another' } },
    },
  });
  await server.answerTo('r');
  expect(elicit.mock.calls.map(([, { request }]) => request)).toEqual([
    { method: 'tasks/result', meta },
    undefined,
  ]);
  await client.close();
});

test('a task cannot send more than a thousand input requests at once', async () => {
  const elicit = vi.fn<NonNullable<InputHandlers['elicit']>>(() =>
    Promise.resolve({ action: 'decline' }),
  );
  const { client, server } = await connect(
    Object.fromEntries(Array.from({ length: 1001 }, (_, key) => [key, form])),
    { elicit },
  );
  const call = client.callTool('a', {}).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await call).toMatchObject({ code: 'invalid-response' });
  expect([elicit.mock.calls.length, server.all('tasks/cancel').length]).toEqual([0, 1]);
});

test('an input response that cannot be sent rejects the call', async () => {
  const sample: InputHandlers['sample'] = () =>
    Promise.resolve({
      role: 'assistant',
      content: { type: 'text', text: 'Hello' },
      model: 'm',
      usage: 1n,
    });
  const { client } = await connect({ model: sampling }, { sample });
  const call = client.callTool('a', {}).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(3000);
  expect(await call).toMatchObject({ code: 'invalid-argument' });
});

test('a task is not polled after its call has ended', async () => {
  const { client, server } = await connect({}, {}, { 'tasks/get': silent });
  const cancellation = new AbortController();
  const call = client
    .callTool('a', {}, { signal: cancellation.signal })
    .catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1000);
  const { id } = await server.receives('tasks/get');
  cancellation.abort();
  expect(await call).toMatchObject({ code: 'request-cancelled' });
  server.fail(id!, new Error('its stream broke'));
  await vi.advanceTimersByTimeAsync(5000);
  expect(server.all('tasks/get')).toHaveLength(1);
});

import { expect, test } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { initialize, modern } from '../../testing/raw-client.test.support.ts';
import { ask, capable, serve, until } from './task-server.test.support.ts';

const KEY = { 'dev.signalbox/idempotency-key': 'k' };

/** A tool that becomes a task and counts its runs; each run waits for `release`. */
async function serveHeld() {
  const held = Promise.withResolvers<undefined>();
  const state = { runs: 0 };
  const client = await serve(async (context) => {
    state.runs += 1;
    await context.startTask();
    await held.promise;
    return state.runs;
  });
  return { client, state, release: () => held.resolve(undefined) };
}

function keyed({ _meta: meta, ...params }: JsonObject): JsonObject {
  return { ...params, _meta: { ...(meta as JsonObject | undefined), ...KEY } };
}

test('a call with the key of a call that runs as a task gets the same task, or its result when the client has no tasks', async () => {
  const { client, state, release } = await serveHeld();
  const call = (id: number): Promise<JsonObject> =>
    client.request(id, 'tools/call', keyed(capable({ name: 'run' })));
  const [first, second] = await Promise.all([call(1), call(2)]);
  expect(first).toMatchObject({ result: { resultType: 'task', status: 'working' } });
  expect(second.result).toEqual(first.result);
  expect((await call(3)).result).toEqual(first.result);
  const plain = client.request(4, 'tools/call', keyed(modern({ name: 'run' })));
  release();
  expect(await plain).toMatchObject({ result: { structuredContent: { value: 1 } } });
  expect(await call(5)).toMatchObject({
    result: { resultType: 'complete', structuredContent: { value: 1 } },
  });
  expect(state.runs).toBe(1);
});

test('a call with the key of a cancelled task runs when the task has stopped', async () => {
  const { client, state, release } = await serveHeld();
  const call = (id: number): Promise<JsonObject> =>
    client.request(id, 'tools/call', keyed(capable({ name: 'run' })));
  const { taskId } = (await call(1)).result as { taskId: string };
  await ask(client, 'tasks/cancel', { taskId });
  await until(client, taskId, 'cancelled');
  const again = call(2);
  await client.settled();
  expect(state.runs).toBe(1);
  release();
  const { taskId: other } = (await again).result as { taskId: string };
  expect(other).not.toBe(taskId);
  expect(state.runs).toBe(2);
});

test('in 2025-11-25 a repeated finished call becomes a new task with the stored result', async () => {
  const { client, state, release } = await serveHeld();
  await initialize(client, '2025-11-25');
  const call = (id: number): Promise<JsonObject> =>
    client.request(id, 'tools/call', keyed({ name: 'run', task: { ttl: 60_000 } }));
  const [first, second] = await Promise.all([call(1), call(2)]);
  expect(first).toMatchObject({ result: { task: { status: 'working' } } });
  expect(second.result).toEqual(first.result);
  release();
  const { taskId } = (first.result as { task: { taskId: string } }).task;
  expect(await client.request(3, 'tasks/result', { taskId })).toMatchObject({
    result: { structuredContent: { value: 1 } },
  });
  const replayed = ((await call(4)).result as { task: { taskId: string } }).task.taskId;
  expect(replayed).not.toBe(taskId);
  expect(await client.request(5, 'tasks/result', { taskId: replayed })).toMatchObject({
    result: { structuredContent: { value: 1 } },
  });
  expect(state.runs).toBe(1);
});

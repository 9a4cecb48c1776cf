import { expect, test, vi } from 'vitest';
import { SerializedJson } from '../../jsonrpc/serialized-json.ts';
import { connectRaw, modern } from '../../testing/raw-client.test.support.ts';
import { createServer } from '../create-server.ts';
import { ask, capable, info, until } from '../tasks/task-server.test.support.ts';

/** A server whose tool `run` gives a serialized result, as a task if asked to. */
async function serveSerialized() {
  const release = vi.fn<() => void>();
  const given = new SerializedJson([Buffer.from('{"value":1}')], release);
  const server = createServer({
    info,
    tools: [
      {
        name: 'run',
        description: 'Runs',
        inputSchema: { type: 'object', properties: { asTask: { type: 'boolean' } } },
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        task: 'optional',
        handler: async ({ asTask }, context) => {
          if (asTask === true) await context.startTask();
          return { structuredContent: given };
        },
      },
    ],
  });
  /** Whether a write of the result over stdio frees the memory of its text. */
  const isReleased = (): boolean => {
    given.beginWrite();
    given.endWrite();
    return release.mock.calls.length > 0;
  };
  return { client: await connectRaw(server), isReleased };
}

test('a serialized result that is sent once is released', async () => {
  const { client, isReleased } = await serveSerialized();
  await client.request(1, 'tools/call', modern({ name: 'run' }));
  expect(isReleased()).toBe(true);
});

test('a serialized result that is stored for the repeated call stays', async () => {
  const { client, isReleased } = await serveSerialized();
  const call = modern({ name: 'run' }, { 'dev.signalbox/idempotency-key': 'k' });
  await client.request(1, 'tools/call', call);
  expect(isReleased()).toBe(false);
  expect(await client.request(2, 'tools/call', call)).toHaveProperty(
    'result.structuredContent.value',
    1,
  );
});

test('a serialized result of a task stays', async () => {
  const { client, isReleased } = await serveSerialized();
  const params = capable({ name: 'run', arguments: { asTask: true } });
  const { result } = await client.request(1, 'tools/call', params);
  const { taskId } = result as { taskId: string };
  await until(client, taskId, 'completed');
  expect(isReleased()).toBe(false);
  expect(await ask(client, 'tasks/get', { taskId })).toHaveProperty(
    'result.structuredContent.value',
    1,
  );
});

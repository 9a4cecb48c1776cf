import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { connectRaw, modern, type RawClient } from '../../testing/raw-client.test.support.ts';
import type { InteractiveContext } from '../context.ts';
import { createServer } from '../create-server.ts';
import type { ServerOptions } from '../server.ts';
import type { ToolDefinition } from '../tool.ts';

const info = { name: 'test-server', version: '1' };
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const TASKS = 'io.modelcontextprotocol/tasks';

interface Serving extends Partial<ServerOptions> {
  readonly task?: NonNullable<ToolDefinition['task']>;
}

/** A server whose tool `run` gives the JSON of what this returns. */
async function serve(run: (context: InteractiveContext) => Promise<unknown>, { task = 'optional', ...options }: Serving = {}): Promise<RawClient> {
  const handler: ToolDefinition['handler'] = async (_args, context) => ({ structuredContent: { value: await run(context) } });
  const tool: ToolDefinition = { name: 'run', description: 'Runs', inputSchema: { type: 'object' }, annotations, task, handler };
  return connectRaw(createServer({ info, tools: [tool], ...options }));
}

/** Params of a request whose client has tasks and answers forms. */
function capable(params: JsonObject = {}): JsonObject {
  return modern(params, { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions: { [TASKS]: {} } } });
}

/** Asks until the task has this status. */
async function until(client: RawClient, taskId: string, status: string): Promise<JsonObject> {
  let asked = 0;
  return vi.waitFor(async () => {
    const { result } = await client.request(`get-${String((asked += 1))}`, 'tasks/get', capable({ taskId }));
    expect(result).toMatchObject({ status });
    return result as JsonObject;
  });
}

describe('the extension', () => {
  test('is announced by discover', async () => {
    const client = await serve(() => Promise.resolve(1));
    const { result } = await client.request(1, 'server/discover', modern());
    expect(result).toMatchObject({ capabilities: { extensions: { [TASKS]: {} } } });
    expect((result as { capabilities: JsonObject }).capabilities).not.toHaveProperty('tasks');
  });

  test('a call is answered with the flat task as soon as its handler starts one, and tasks/get inlines the result', async () => {
    const release = Promise.withResolvers<undefined>();
    const client = await serve(async (context) => {
      await context.startTask({ ttlMs: 60_000 });
      await release.promise;
      return 'done';
    });
    const { result } = await client.request(1, 'tools/call', capable({ name: 'run' }));
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u) as string;
    const taskId = expect.stringMatching(/^[\w-]{32}$/u) as string;
    const base = { taskId, createdAt: iso, lastUpdatedAt: iso, ttlMs: 60_000, pollIntervalMs: 1000, _meta: { 'io.modelcontextprotocol/serverInfo': info } };
    expect(result).toEqual({ resultType: 'task', status: 'working', ...base });
    const id = (result as { taskId: string }).taskId;
    const working = await client.request(2, 'tasks/get', capable({ taskId: id }));
    expect(working.result).toEqual({ ...base, resultType: 'complete', status: 'working' });
    release.resolve(undefined);
    const completed = await until(client, id, 'completed');
    expect(completed).toEqual({
      ...base,
      resultType: 'complete',
      status: 'completed',
      result: { content: [{ type: 'text', text: '{"value":"done"}' }], structuredContent: { value: 'done' } },
    });
  });
});

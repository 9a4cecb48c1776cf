import { expect, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { connectRaw, modern, type RawClient } from '../../testing/raw-client.test.support.ts';
import type { InteractiveContext } from '../requests/request-context.ts';
import { createServer } from '../create-server.ts';
import type { Server, ServerOptions } from '../server.ts';
import type { ToolDefinition } from '../tools/tool.ts';

export const info = { name: 'test-server', version: '1' };
export const TASKS = 'io.modelcontextprotocol/tasks';
export const RELATED = 'io.modelcontextprotocol/related-task';
export const form = {
  message: 'Name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
} as const;

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export interface Serving extends Partial<ServerOptions> {
  readonly task?: NonNullable<ToolDefinition['task']>;
}

/** A server whose tool `run` gives the JSON of what this returns. */
export function serverOf(
  run: (context: InteractiveContext) => unknown,
  { task = 'optional', ...options }: Serving = {},
): Server {
  const handler: ToolDefinition['handler'] = async (_args, context) => ({
    structuredContent: { value: (await run(context)) ?? null },
  });
  return createServer({
    info,
    tools: [
      {
        name: 'run',
        description: 'Runs',
        inputSchema: { type: 'object' },
        annotations,
        task,
        handler,
      },
    ],
    ...options,
  });
}

export function serve(
  run: (context: InteractiveContext) => unknown,
  serving: Serving = {},
): Promise<RawClient> {
  return connectRaw(serverOf(run, serving));
}

/** Params of a modern request whose client has tasks and can be asked everything. */
export function capable(params: JsonObject = {}): JsonObject {
  return modern(params, {
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: {},
      roots: {},
      sampling: {},
      extensions: { [TASKS]: {} },
    },
  });
}

let requests = 0;

/** The result of a modern request. */
export async function ask(
  client: RawClient,
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  const answer = await client.request(`modern-${String((requests += 1))}`, method, capable(params));
  expect(answer).toHaveProperty('result');
  return answer.result as JsonObject;
}

/** The code of the error of a modern request. */
export async function refusal(
  client: RawClient,
  method: string,
  params: JsonObject,
): Promise<number> {
  const answer = await client.request(`modern-${String((requests += 1))}`, method, params);
  expect(answer).toHaveProperty('error');
  return (answer.error as { code: number }).code;
}

/** The id of the task that a call of `run` becomes. */
export async function start(client: RawClient, params: JsonObject = {}): Promise<string> {
  const { taskId, resultType } = await ask(client, 'tools/call', { name: 'run', ...params });
  expect(resultType).toBe('task');
  return taskId as string;
}

/** Asks for the task until it has this status. */
export function until(client: RawClient, taskId: string, status: string): Promise<JsonObject> {
  return vi.waitFor(
    async () => {
      const task = await ask(client, 'tasks/get', { taskId });
      expect(task).toMatchObject({ status });
      return task;
    },
    { timeout: 5000, interval: 5 },
  );
}

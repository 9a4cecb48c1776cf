import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Client } from '../client/client.ts';
import type { ClientOptions } from '../client/client-options.ts';
import { connectClient } from '../client/connect-client.ts';
import type { Era } from '../era/versions.ts';
import type { Progress } from '../protocol/progress.ts';
import { createServer } from '../server/create-server.ts';
import type { Server } from '../server/server.ts';
import { defineTool } from '../server/tools/tool.ts';
import { httpTransport } from './client/http-transport.ts';
import type { Authenticate } from './server/authentication.ts';
import { headerOf } from './headers/http-headers.ts';
import { serveHttp, type ServeHttpOptions } from './server/serve-http.ts';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const form = {
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
} as const;
const WAIT = { timeout: 10_000 };

const greet = defineTool({
  name: 'greet',
  description: 'Greets whom it asks for, in its own time.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  annotations,
  task: 'required',
  handler: async (_, context) => {
    await context.startTask();
    context.progress({ progress: 1, message: 'Asking' });
    const { content } = await context.elicit('who', form);
    return { structuredContent: { greeted: content?.name } };
  },
});

const serve = (): Server =>
  createServer({
    info: { name: 'greeter', version: '1' },
    tools: [greet],
    settings: { tasks: { pollIntervalMs: 50 } },
  });

async function listen(server: Server, options: ServeHttpOptions = {}): Promise<string> {
  const listener = await serveHttp(server, { limits: { drainMs: 0 }, ...options });
  onTestFinished(() => listener.close());
  return listener.url;
}

async function connect(
  url: string,
  era: Era,
  { user, ...options }: Partial<ClientOptions> & { readonly user?: string } = {},
): Promise<Client> {
  const headers = user === undefined ? {} : { headers: { Authorization: `Bearer ${user}` } };
  const elicit = (): Promise<{ action: 'accept'; content: { name: string } }> =>
    Promise.resolve({ action: 'accept', content: { name: 'Ada' } });
  const client = await connectClient(() => httpTransport({ url, ...headers }), {
    info: { name: 't', version: '0' },
    era,
    handlers: { elicit },
    ...options,
  });
  onTestFinished(() => client.close());
  await client.listTools();
  return client;
}

describe.each(['modern', 'legacy'] as const)('a %s task over HTTP', (era) => {
  test('is awaited, with input requests through the handlers', async () => {
    const client = await connect(await listen(serve()), era);
    expect(await client.callTool('greet', {})).toMatchObject({
      structuredContent: { greeted: 'Ada' },
    });
  });

  test('survives the client that started it', async () => {
    const url = await listen(serve());
    const first = await connect(url, era, {
      handlers: { elicit: () => new Promise(() => undefined) },
    });
    const taskId = await new Promise<string>((resolve) => {
      first
        .callTool('greet', {}, { task: { onTask: (task) => resolve(task.taskId) } })
        .catch(() => undefined);
    });
    await first.close();
    const second = await connect(url, era);
    expect(await second.tasks.resume(taskId)).toMatchObject({
      structuredContent: { greeted: 'Ada' },
    });
  });

  test('belongs to its user only', async () => {
    const authenticate: Authenticate = (headers) => {
      const user = /^Bearer (?<user>\w+)$/u.exec(headerOf(headers, 'authorization') ?? '')?.groups
        ?.user;
      return user === undefined ? { refused: 401 } : { auth: { principal: user } };
    };
    const url = await listen(serve(), { access: { authenticate } });
    const ada = await connect(url, era, {
      user: 'ada',
      handlers: { elicit: () => new Promise(() => undefined) },
    });
    const bob = await connect(url, era, { user: 'bob' });
    const taskId = await new Promise<string>((resolve) => {
      ada
        .callTool('greet', {}, { task: { onTask: (task) => resolve(task.taskId) } })
        .catch(() => undefined);
    });
    for (const answer of [
      bob.tasks.get(taskId),
      bob.tasks.cancel(taskId),
      bob.tasks.resume(taskId),
    ])
      await expect(answer).rejects.toMatchObject({ code: -32602 });
    expect(await ada.tasks.get(taskId)).toMatchObject({ taskId });
  });
});

test('a legacy task makes progress after its call has ended', async () => {
  const client = await connect(await listen(serve()), 'legacy');
  const heard: Progress[] = [];
  await client.callTool('greet', {}, { onProgress: (progress) => heard.push(progress) });
  await vi.waitFor(() => expect(heard).toEqual([{ progress: 1, message: 'Asking' }]), WAIT);
});

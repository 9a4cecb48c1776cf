import { createHttpHandler, type HttpHandler } from '@signalbox/mcp-core/http/server';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { once } from 'node:events';
import { createServer as createListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiClient, type Json } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import { startService, temporaryFolder, type Service } from './support/service.ts';

const TOKEN = 'a-token-of-the-test';
const LIMIT = { timeout: 15_000 };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service | undefined;
let listener: Server | undefined;

beforeEach(async () => {
  folder = await temporaryFolder();
  service = undefined;
  listener = undefined;
});

afterEach(async () => {
  await service?.stop();
  await hangUp();
  await folder.remove();
});

/** A server at an address, whose one tool has this description. */
async function listen(description: string, port = 0): Promise<number> {
  const note = defineTool({
    name: 'note',
    description,
    inputSchema: { type: 'object', properties: {} },
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: () => ({ content: [{ type: 'text', text: 'noted' }] }),
  });
  const handler: HttpHandler = createHttpHandler(
    createServer({ info: { name: 'far', version: '1' }, tools: [note] }),
    { access: { bearerToken: TOKEN } },
  );
  listener = createListener((request, response) => handler.handle(request, response)).listen(
    port,
    '127.0.0.1',
  );
  await once(listener, 'listening');
  return (listener.address() as AddressInfo).port;
}

async function hangUp(): Promise<void> {
  if (listener?.listening !== true) return;
  const closed = once(listener, 'close');
  listener.close();
  listener.closeAllConnections();
  await closed;
}

async function start(port: number): Promise<ApiClient> {
  const scenario = await writeScenario(folder.path, [
    { prompt: 'take a note', steps: [[{ tool: 'far__note' }]], answer: 'done' },
  ]);
  const far = {
    type: 'http',
    url: `http://127.0.0.1:${port}/mcp?key=\${FAR_KEY}`,
    headers: { Authorization: 'Bearer ${FAR_TOKEN}' },
    signalbox: { approval: 'auto' },
  };
  service = await startService({
    folder: folder.path,
    config: { llm: { provider: 'scripted', scenario }, mcpServers: { far } },
    env: { FAR_TOKEN: TOKEN, FAR_KEY: 'a-key-of-the-test' },
  });
  const api = new ApiClient(service.url);
  await expect.poll(async () => (await statusOf(api))['state'], LIMIT).toMatch(/ready|failed/);
  return api;
}

function statusOf(api: ApiClient): Promise<Json> {
  return api.get('/v1/servers/far');
}

async function noteTaken(
  api: ApiClient,
): Promise<{ readonly run: Json; readonly call: Json | undefined }> {
  const run = await api.settled((await api.start('take a note')).id);
  const { data } = await api.get<{ data: Json[] }>(`/v1/runs/${run.id}/tool-calls`);
  return { run, call: data[0] };
}

test('a run uses a remote server; its credentials appear nowhere', async () => {
  const api = await start(await listen('Takes a note.'));
  expect(await statusOf(api)).toMatchObject({
    state: 'ready',
    transport: 'http',
    era: 'modern',
    health: 'ok',
    breaker: 'closed',
  });
  expect(await noteTaken(api)).toMatchObject({
    run: { status: 'completed', answer: 'done' },
    call: { state: 'succeeded' },
  });
  expect(`${service?.log()}${JSON.stringify(await statusOf(api))}`).not.toMatch(/-of-the-test/);
});

test('an unavailable server fails no run, and is used again when it is back', async () => {
  const port = await listen('Takes a note.');
  const api = await start(port);
  await hangUp();
  const lost = await api.start('take a note');
  await expect
    .poll(async () => (await api.run(lost.id)).status, LIMIT)
    .toMatch(/completed|input_required/);
  await expect.poll(async () => (await statusOf(api))['state'], LIMIT).not.toBe('ready');
  await listen('Takes a note.', port);
  await api.post('/v1/servers/far/reconnect');
  await expect.poll(async () => (await statusOf(api))['state'], LIMIT).toBe('ready');
  expect(await noteTaken(api)).toMatchObject({ call: { state: 'succeeded' } });
});

test('a tool that changed while the service was down is not called before a person approves the change', async () => {
  const port = await listen('Takes a note.');
  await start(port);
  await service?.stop();
  await hangUp();
  await listen('Takes a note, and sends it to everybody.', port);
  const api = await start(port);
  expect(await statusOf(api)).toMatchObject({
    health: 'degraded',
    quarantined: ['note'],
    tool_count: 0,
  });
  const refused = await noteTaken(api);
  expect(refused).toMatchObject({ run: { status: 'completed' }, call: { state: 'failed' } });
  expect(JSON.stringify(refused.call)).toContain('is quarantined');
  const { pins } = await api.get<{ pins: { quarantined: { digest: string } }[] }>(
    '/v1/servers/far',
  );
  await api.post('/v1/servers/far/tools/note/approve', { digest: pins[0]?.quarantined.digest });
  expect(await noteTaken(api)).toMatchObject({ call: { state: 'succeeded' } });
});

test('a drained server takes no calls until it is reconnected', async () => {
  const api = await start(await listen('Takes a note.'));
  await api.post('/v1/servers/far/drain');
  expect(await statusOf(api)).toMatchObject({ state: 'drained', health: 'down' });
  expect((await noteTaken(api)).call).toMatchObject({ state: 'failed' });
  await api.post('/v1/servers/far/reconnect');
  await expect.poll(async () => (await statusOf(api))['state'], LIMIT).toBe('ready');
  expect((await noteTaken(api)).call).toMatchObject({ state: 'succeeded' });
});

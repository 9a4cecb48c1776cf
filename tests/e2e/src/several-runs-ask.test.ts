import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { officialEverythingServer } from '../../peers/src/official-servers.ts';
import { compileCache } from './support/compile-cache.ts';
import { ApiClient, type RunView } from './support/client.ts';
import { startService, temporaryFolder } from './support/service.ts';

interface Started {
  readonly api: ApiClient;
  stop(): Promise<void>;
}

/** Starts a service with the entries, whose calls need no approval. */
async function start(
  entries: { readonly [name: string]: object },
  policy: object = {},
): Promise<Started> {
  const folder = await temporaryFolder();
  const signalbox = { approval: 'auto', ...policy };
  const mcpServers = Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [name, { ...entry, signalbox }]),
  );
  const service = await startService({ folder: folder.path, config: { mcpServers } });
  return {
    api: new ApiClient(service.url),
    async stop() {
      await service.stop();
      await folder.remove();
    },
  };
}

/** The official server of the legacy era, on SDK v1: its questions name no call. */
const stdio = { command: 'node', args: [officialEverythingServer, 'stdio'] };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

async function startHttp(): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const port = await freePort();
  const remote = spawn(process.execPath, [officialEverythingServer, 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: String(port), ...compileCache },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await once(remote.stderr, 'data');
  return { url: `http://127.0.0.1:${port}/mcp`, process: remote };
}

let api: ApiClient;

function call(server: string, tool: string, args: object = {}): Promise<RunView> {
  return api.post(`/v1/tools/${server}__${tool}/call`, { arguments: args });
}

const ask = (server: string): Promise<RunView> => call(server, 'trigger-elicitation-request');
const sum = (server = 'fresh'): Promise<RunView> => call(server, 'get-sum', { a: 2, b: 3 });

async function isAsked({ id }: RunView): Promise<string> {
  const { data } = await api.waitFor(id, ({ type }) => type === 'inbox.opened');
  return String(data['inbox_item_id']);
}

const answer = (item: string, name = 'Ada'): Promise<unknown> =>
  api.post(`/v1/inbox/${item}/respond`, { action: 'accept', content: { name } });
const types = async ({ id }: RunView): Promise<readonly string[]> =>
  (await api.events(id)).map(({ type }) => type);

describe.each(['stdio', 'HTTP'])('a legacy server of the official SDK over %s', (transport) => {
  let service: Started;
  let remote: Awaited<ReturnType<typeof startHttp>> | undefined;

  beforeAll(async () => {
    if (transport === 'HTTP') remote = await startHttp();
    const entry = remote === undefined ? stdio : { url: remote.url };
    // Neither has asked before its first test.
    service = await start({ fresh: entry, unasked: entry });
    ({ api } = service);
  });

  afterAll(async () => {
    await service.stop();
    remote?.process.kill('SIGKILL');
  });

  test('gets its very first, concurrent input requests of four runs answered in their own runs', async () => {
    const runs = await Promise.all(Array.from({ length: 4 }, () => ask('fresh')));
    const items = await Promise.all(runs.map(isAsked));
    await Promise.all(items.map((item, index) => answer(item, `Ada ${index}`)));
    for (const [index, run] of runs.entries())
      expect((await api.settled(run.id)).answer).toMatch(new RegExp(`Ada ${index}\\b`));
  });

  test('answers the calls of other runs while an input request of a run is open, and each response goes to its own run', async () => {
    const first = await ask('fresh');
    const firstItem = await isAsked(first);
    const second = await ask('fresh');
    const secondItem = await isAsked(second);
    expect(await api.settled((await sum()).id)).toMatchObject({
      status: 'completed',
      answer: 'The sum of 2 and 3 is 5.',
    });
    await api.post(`/v1/inbox/${secondItem}/respond`, { action: 'decline' });
    expect((await api.settled(second.id)).answer).toMatch(/declined/);
    await answer(firstItem);
    expect((await api.settled(first.id)).answer).toMatch(/Ada/);
  });

  test('gets its first input request answered during a long call of a different run, or after a cancelled call', async () => {
    const long = { duration: 3, steps: 3 };
    const cancelled = await call('unasked', 'trigger-long-running-operation', {
      duration: 60,
      steps: 60,
    });
    await api.waitFor(cancelled.id, ({ type }) => type === 'tool_call.progress');
    await api.post(`/v1/runs/${cancelled.id}/cancel`);
    await api.settled(cancelled.id);
    const busy = await call('unasked', 'trigger-long-running-operation', long);
    await api.waitFor(busy.id, ({ type }) => type === 'tool_call.progress');
    const asking = await ask('unasked');
    await answer(await isAsked(asking));
    expect(await api.settled(asking.id)).toMatchObject({ status: 'completed' });
    expect(await api.settled(busy.id)).toMatchObject({ status: 'completed' });
  });

  test('loses no call of other runs when a call with an open input request is cancelled', async () => {
    const asking = await ask('fresh');
    await isAsked(asking);
    const others = [sum(), api.post(`/v1/runs/${asking.id}/cancel`).then(() => sum()), sum()];
    for (const other of await Promise.all(others))
      expect(await api.settled(other.id)).toMatchObject({
        status: 'completed',
        answer: 'The sum of 2 and 3 is 5.',
      });
    expect(await api.settled((await sum()).id)).toMatchObject({ status: 'completed' });
    expect(await api.settled(asking.id)).toMatchObject({ status: 'cancelled' });
  });
});

test('with one connection lets the calls of other runs wait, and the run and the server show the reason', async () => {
  const service = await start({ everything: stdio }, { connections: 1 });
  onTestFinished(() => service.stop());
  ({ api } = service);
  const asking = await ask('everything');
  const item = await isAsked(asking);
  const other = await sum('everything');
  const { data } = await api.waitFor(other.id, ({ type }) => type === 'tool_call.waiting');
  expect(data).toMatchObject({
    reason: 'connections_busy',
    message:
      'the only connection to the server carries calls of other runs; 1 of them waits for a person or the model',
  });
  const { data: servers } = await api.get<{
    data: { connections: unknown; waiting_calls: unknown }[];
  }>('/v1/servers');
  expect(servers[0]).toMatchObject({
    connections: [{ calls: 1, run_ids: [asking.id], open_questions: 1 }],
    waiting_calls: [{ run_id: other.id, call_id: data['call_id'], reason: 'connections_busy' }],
  });
  expect(await api.get(`/v1/runs/${other.id}/tool-calls`)).toMatchObject({
    data: [{ state: 'planned', attempt: 0, waiting: { reason: 'connections_busy' } }],
  });
  await answer(item);
  expect(await api.settled(other.id)).toMatchObject({
    status: 'completed',
    answer: 'The sum of 2 and 3 is 5.',
  });
  expect(await types(asking)).not.toContain('tool_call.waiting');
});

import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { createClient, type Client, type RunEvent, type RunFrame } from '@signalbox/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeScenario } from './support/scenario.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type Service,
  type ServiceOptions,
  type ServiceProcess,
} from './support/service.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

const askingServer = fileURLToPath(new URL('support/asking-server.ts', import.meta.url));

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service | undefined;
/** Keeps its port when the service is started again at another one. */
let proxy: TcpProxy;
let client: Client;
beforeEach(async () => {
  folder = await temporaryFolder();
  proxy = await TcpProxy.start(() =>
    service === undefined ? undefined : Number(new URL(service.url).port),
  );
  client = createClient({ baseUrl: `http://127.0.0.1:${proxy.port}` });
});
afterEach(async () => {
  await proxy.close();
  await service?.stop();
  service = undefined;
  await folder.remove();
});

async function options(): Promise<ServiceOptions> {
  const look = { tool: 'asking__look' };
  const scenario = await writeScenario(folder.path, [
    { prompt: 'look', steps: [[look], [look], [look]], answer: 'looked three times' },
    { prompt: 'greet', steps: [[{ tool: 'asking__greet' }]], answer: 'greeted' },
  ]);
  const signalbox = { trust: true, approvals: [{ tools: 'look', policy: 'ask' }] };
  return {
    folder: folder.path,
    config: {
      llm: { provider: 'scripted', scenario },
      mcpServers: {
        asking: {
          command: 'node',
          args: [askingServer, join(folder.path, 'ledger')],
          signalbox,
        },
      },
    },
  };
}

/** Starts the service in this process. */
async function start(): Promise<void> {
  service = await startService(await options());
}

async function kill(killed: ServiceProcess): Promise<void> {
  service = undefined;
  await killed.stop('SIGKILL');
}

const isEvent = (frame: RunFrame): frame is RunEvent => 'seq' in frame;

/** Approves the open call of the run, when there is one. */
async function approve(runId: string): Promise<void> {
  await expect
    .poll(async () => (await client.runs.get(runId)).status, { timeout: 30_000 })
    .toBe('input_required');
  for await (const item of client.inbox.list({ run_id: runId, state: 'open' }))
    if (item.kind === 'tool_approval') await client.inbox.respond(item, { action: 'approve' });
}

test('a stream and a wait survive a service that is killed and started again, and connections that are cut', async () => {
  const first = await startServiceProcess(await options());
  service = first;
  const { id } = await client.runs.create({ prompt: 'look' });
  const frames: RunFrame[] = [];
  const errors: unknown[] = [];
  const onRetry = ({ error }: { readonly error: unknown }) => void errors.push(error);
  const waiting = client.runs.wait(id, { onRetry });
  const reading = (async () => {
    for await (const frame of client.runs.stream(id, { onRetry })) frames.push(frame);
  })();

  await approve(id);
  await expect
    .poll(() => frames.filter(({ type }) => type === 'run.input_required').length)
    .toBe(2);
  await kill(first);
  // The stream and the wait have noticed.
  await expect.poll(() => errors.length).toBeGreaterThanOrEqual(2);
  await start();
  await approve(id);
  await expect
    .poll(() => frames.filter(({ type }) => type === 'run.input_required').length, {
      timeout: 60_000,
    })
    .toBe(3);
  const before = errors.length;
  proxy.drop();
  await expect.poll(() => errors.length).toBeGreaterThan(before);
  await approve(id);

  await reading;
  const run = await waiting;
  expect(run).toMatchObject({ status: 'completed', answer: 'looked three times' });
  const stored: RunEvent[] = [];
  for await (const event of client.runs.events(id)) stored.push(event);
  expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
  expect(frames.filter(isEvent)).toEqual(stored);
  const texts = frames.flatMap((frame) =>
    frame.type === 'message.delta' && frame.kind === 'text' ? [frame.text] : [],
  );
  expect(texts.join('')).toBe('looked three times');
  expect(frames.filter(({ type }) => type === 'run.snapshot').length).toBeGreaterThanOrEqual(3);
});

test('a run whose response was lost is started once, and an item whose response was lost is answered once', async () => {
  await start();
  proxy.loseResponses(1);
  const frames: RunFrame[] = [];
  let retries = 0;
  for await (const frame of client.runs.follow(
    { prompt: 'greet' },
    { onRetry: () => (retries += 1) },
  )) {
    frames.push(frame);
    if (frame.type !== 'inbox.opened') continue;
    proxy.loseResponses(1);
    const item = await client.inbox.get(frame.data.inbox_item_id);
    expect(item.kind).toBe('elicitation_form');
    if (item.kind === 'elicitation_form')
      await client.inbox.respond(item, { action: 'accept', content: { name: 'Ada' } });
  }
  expect(retries).toBe(1);
  expect(frames.at(-1)).toMatchObject({ type: 'run.completed', data: { answer: 'greeted' } });
  expect(frames.filter(({ type }) => type === 'inbox.answered')).toHaveLength(1);
  const runs: string[] = [];
  for await (const { id } of client.runs.list()) runs.push(id);
  expect(runs).toHaveLength(1);
});

test('problems have their code, and an aborted stream leaves the run alone', async () => {
  await start();
  await expect(client.runs.get('none')).rejects.toMatchObject({
    name: 'ProblemError',
    code: 'run_not_found',
    status: 404,
  });
  await expect(client.runs.create({ prompt: '' })).rejects.toMatchObject({
    code: 'invalid_request',
    fields: [{ path: '/body/prompt' }],
  });
  const stop = new AbortController();
  const stream = client.runs.follow({ prompt: 'look' }, { signal: stop.signal });
  const first = await stream.next();
  const id = first.value?.run_id ?? '';
  const rest = (async () => {
    for await (const _ of stream);
  })();
  stop.abort(new Error('enough'));
  await expect(rest).rejects.toThrow('enough');
  expect(['queued', 'running', 'input_required']).toContain((await client.runs.get(id)).status);
  expect(await client.runs.cancel(id, { reason: 'not needed' })).toMatchObject({ id });
  expect(await client.runs.wait(id)).toMatchObject({ status: 'cancelled' });
});

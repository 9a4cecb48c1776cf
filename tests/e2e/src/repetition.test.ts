import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiClient, type RunView } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type Service,
  type ServiceOptions,
  type ServiceProcess,
} from './support/service.ts';

const askingServer = fileURLToPath(new URL('support/asking-server.ts', import.meta.url));

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service | undefined;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await service?.stop();
  await folder.remove();
});

/** Starts the service, in this process or in one of its own. */
async function start(
  how: (options: ServiceOptions) => Promise<Service> = startService,
): Promise<ApiClient> {
  const scenario = await writeScenario(folder.path, [
    { prompt: 'linger', steps: [[{ tool: 'slow__linger' }]], answer: 'lingered' },
    { prompt: 'hello', steps: [], answer: 'hello again' },
  ]);
  const mcpServers = {
    slow: {
      command: 'node',
      args: [askingServer, join(folder.path, 'ledger')],
      signalbox: { trust: true },
    },
  };
  service = await how({
    folder: folder.path,
    config: {
      log_level: 'info',
      log_format: 'json',
      llm: { provider: 'scripted', scenario },
      mcpServers,
    },
  });
  return new ApiClient(service.url);
}

interface Answered {
  readonly status: number;
  readonly isReplayed: boolean;
  readonly body: RunView;
}

async function send(path: string, body: object, key: string): Promise<Answered> {
  const response = await fetch(`${service!.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    isReplayed: response.headers.get('idempotent-replayed') === 'true',
    body: (await response.json()) as RunView,
  };
}

test('requests that are repeated after kill -9 start nothing twice, and the runs of a thread continue in order', async () => {
  let killable: ServiceProcess | undefined;
  let api = await start(async (options) => (killable = await startServiceProcess(options)));
  const { id: thread } = await api.post<{ id: string }>('/v1/threads', { title: 'a conversation' });
  const requests = [
    [{ prompt: 'linger', thread_id: thread }, 'first'],
    [{ prompt: 'hello', thread_id: thread, on_busy: 'enqueue' }, 'second'],
  ] as const;
  const answers: Answered[] = [];
  for (const [body, key] of requests) answers.push(await send('/v1/runs', body, key));
  const [lingering, waiting] = answers.map(({ body }) => body.id) as [string, string];
  await api.waitFor(lingering, (event) => event.type === 'tool_call.progress');
  await killable!.stop('SIGKILL');

  api = await start();
  for (const [index, [body, key]] of requests.entries())
    expect(await send('/v1/runs', body, key)).toEqual({ ...answers[index]!, isReplayed: true });
  expect(await send('/v1/runs', { prompt: 'hello' }, 'first')).toMatchObject({
    status: 409,
    body: { code: 'idempotency_key_reused' },
  });
  expect((await api.get<{ data: unknown[] }>('/v1/runs')).data).toHaveLength(2);
  expect((await api.run(waiting)).status).toBe('queued');
  await api.post(`/v1/runs/${lingering}/cancel`);
  await api.waitFor(waiting, (event) => event.type === 'run.completed');
  expect((await api.run(lingering)).status).toBe('cancelled');
  const { data } = await api.get<{ data: { run_id: string; role: string }[] }>(
    `/v1/threads/${thread}/messages`,
  );
  expect(
    data.map(({ run_id: runId, role }) => `${runId === lingering ? 'first' : 'second'} ${role}`),
  ).toEqual(['first user', 'first assistant', 'first user', 'second user', 'second assistant']);
  expect(await api.get('/readyz')).toMatchObject({ status: 'ready' });
});

test('each line of the log is an object, and requests and calls are connected by their ids', async () => {
  const api = await start();
  const { id } = await api.start('linger');
  await api.waitFor(id, (event) => event.type === 'tool_call.progress');
  const { data } = await api.get<{ data: { id: string }[] }>(`/v1/runs/${id}/tool-calls`);
  await api.post(`/v1/runs/${id}/tool-calls/${data[0]!.id}/cancel`);
  await api.waitFor(id, (event) => event.type === 'run.completed');
  await service!.stop();
  const lines = service!
    .log()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly [name: string]: unknown });
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        level: 'info',
        msg: 'a request was answered',
        method: 'POST',
        route: '/v1/runs',
        status: 202,
        run_id: id,
      }),
      expect.objectContaining({
        level: 'info',
        msg: 'a tool call ended',
        run_id: id,
        call_id: data[0]!.id,
        server: 'slow',
        tool: 'linger',
        outcome: 'cancelled',
      }),
    ]),
  );
});

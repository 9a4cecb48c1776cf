import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ApiClient, type Json } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import { startServiceProcess, temporaryFolder, type ServiceProcess } from './support/service.ts';
import { slowness } from './support/slowness.ts';

const countingServer = fileURLToPath(new URL('support/counting-server.ts', import.meta.url));

interface ServerView extends Json {
  readonly state: string;
  readonly workers: readonly { readonly id: string; readonly state: string }[];
}

/** A server of the fleet, and the file to which each of its processes appends its pid. */
interface CountedServer {
  readonly name: string;
  readonly starts: string;
  readonly rules: object;
}

interface Fleet {
  readonly api: ApiClient;
  readonly workers: readonly ServiceProcess[];
  /** Returns the ids of the processes of a server that were started, oldest first. */
  readonly started: (name: string) => Promise<readonly number[]>;
  readonly server: (name: string) => Promise<ServerView>;
}

/** Starts an API process and two workers with the servers `one`, a singleton, and `many`. */
async function startFleet(): Promise<Fleet> {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const servers: readonly CountedServer[] = [
    { name: 'one', starts: join(folder.path, 'one'), rules: { singleton: true } },
    { name: 'many', starts: join(folder.path, 'many'), rules: {} },
  ];
  const scenario = await writeScenario(
    folder.path,
    ['one__pid', 'many__pid', 'one__hold'].map((tool) => ({
      prompt: tool,
      steps: [[{ tool, label: 'server' }]],
      answer: '${result.server.text}',
    })),
  );
  const config = {
    llm: { provider: 'scripted', scenario },
    mcpServers: Object.fromEntries(
      servers.map(({ name, starts, rules }) => [
        name,
        { command: 'node', args: [countingServer, starts], signalbox: { trust: true, ...rules } },
      ]),
    ),
  };
  const startRole = async (...args: readonly string[]): Promise<ServiceProcess> => {
    const started = await startServiceProcess({
      folder: folder.path,
      config,
      args: ['--role', ...args],
    });
    onTestFinished(() => started.stop());
    return started;
  };
  const [api, ...workers] = await Promise.all([
    startRole('api'),
    startRole('worker', '--port', '0'),
    startRole('worker', '--port', '0'),
  ]);
  const client = new ApiClient(api.url);
  return {
    api: client,
    workers,
    started: async (name) => {
      const text = await readFile(join(folder.path, name), 'utf8').catch(() => '');
      return text.split('\n').filter(Boolean).map(Number);
    },
    server: (name) => client.get(`/v1/servers/${name}`),
  };
}

/** Returns the number of model calls that a worker made. */
async function turnsOf(worker: ServiceProcess): Promise<number> {
  const text = await (await fetch(`${worker.url}/metrics`)).text();
  return [...text.matchAll(/^signalbox_turn_duration_seconds_count\S* (\d+)/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

/** Starts pairs of runs until both workers made a further model call. Returns the answers. */
async function answersOfBoth({ api, workers }: Fleet, prompt: string): Promise<Set<number>> {
  const answers = new Set<number>();
  const before = await Promise.all(workers.map(turnsOf));
  for (;;) {
    const runs = await Promise.all([api.start(prompt), api.start(prompt)]);
    for (const { id } of runs) answers.add(Number((await api.settled(id))['answer']));
    const turns = await Promise.all(workers.map(turnsOf));
    if (turns.every((count, index) => count > (before[index] ?? 0))) return answers;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a singleton server has one process for the runs of both workers, and another worker takes it over within 10 s', async () => {
  const fleet = await startFleet();
  const { api, workers, started, server } = fleet;
  await expect.poll(async () => (await server('one')).state).toBe('ready');
  const [pid = 0] = await started('one');
  expect(await answersOfBoth(fleet, 'one__pid')).toEqual(new Set([pid]));
  expect(await started('one')).toEqual([pid]);
  const { workers: owners } = await server('one');
  expect(owners).toMatchObject([{ state: 'ready' }]);

  // Control: without the setting, each worker has a process, and runs on both workers use both.
  await expect.poll(async () => (await started('many')).length).toBe(2);
  const answers = new Set<number>();
  // With a shared queue, the worker of the tool call need not be that of the model call.
  while (answers.size < 2)
    for (const answer of await answersOfBoth(fleet, 'many__pid')) answers.add(answer);
  expect(answers).toEqual(new Set(await started('many')));
  expect((await server('many')).workers).toHaveLength(2);

  const held = await api.start('one__hold');
  await api.waitFor(held.id, ({ type }) => type === 'tool_call.progress');
  const owner = workers.find((worker) => worker.log().includes('connected to a singleton server'));
  const killedAt = performance.now();
  await owner?.stop('SIGKILL');
  const waiting = await api.start('one__pid');
  await expect.poll(async () => (await started('one')).length).toBe(2);
  expect(performance.now() - killedAt).toBeLessThan(10_000 * slowness());
  const [, next] = await started('one');
  for (const { id } of [held, waiting])
    expect(await api.settled(id)).toMatchObject({ status: 'completed', answer: `${next}` });
  expect(isAlive(pid)).toBe(false);
  expect((await server('one')).workers).not.toEqual(owners);
});

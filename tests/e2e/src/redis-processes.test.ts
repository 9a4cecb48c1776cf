import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { queuesOnBoard } from '../../peers/src/bull-board.ts';
import { hasRedis, startRedis, type RedisServer } from '../../peers/src/redis-server.ts';
import { ApiClient, type RunView } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type Service,
  type ServiceProcess,
} from './support/service.ts';

const PREFIX = 'processes';
const effectServer = fileURLToPath(new URL('chaos/effect-server.ts', import.meta.url));
/** Number of runs of each group. */
const RUNS = { flushed: 8, listed: 2, before: 6, meanwhile: 2, killed: 20 } as const;
type Group = keyof typeof RUNS;

describe.skipIf(!hasRedis)('an API process and two workers with Redis', () => {
  let redis: RedisServer;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: Service;
  let workers: readonly ServiceProcess[] = [];
  let api: ApiClient;

  beforeAll(async () => {
    redis = await startRedis();
    folder = await temporaryFolder();
    await writeFile(join(folder.path, 'effects'), '');
    const config = {
      llm: { provider: 'scripted', scenario: await scenario() },
      // The runs of a test must not all be in progress at once.
      concurrency: { model_calls: 1, tool_calls: 2 },
      mcpServers: {
        effects: {
          command: 'node',
          args: [effectServer],
          env: { EFFECTS: join(folder.path, 'effects'), SERVERS: join(folder.path, 'servers') },
          signalbox: { trust: true, approval: 'auto' },
        },
      },
    };
    const options = {
      folder: folder.path,
      config,
      env: { REDIS_URL: redis.url, SIGNALBOX_REDIS_PREFIX: PREFIX },
    };
    service = await startService({ ...options, args: ['--role', 'api'] });
    api = new ApiClient(service.url);
    const startWorker = (): Promise<ServiceProcess> =>
      startServiceProcess({ ...options, args: ['--role', 'worker', '--port', '0'] });
    workers = await Promise.all([startWorker(), startWorker()]);
    await bothReady();
  });

  afterAll(async () => {
    await Promise.all([service, ...workers].map((each) => each.stop()));
    await redis.stop();
    await folder.remove();
  });

  function scenario(): Promise<string> {
    const names = (Object.keys(RUNS) as Group[]).flatMap(namesOf);
    return writeScenario(
      folder.path,
      names.map((run) => ({
        prompt: `do ${run}`,
        steps: [[{ tool: 'effects__append', input: { run, turn: 1, ms: 50 } }]],
        answer: `did ${run}`,
      })),
    );
  }

  async function bothReady(): Promise<void> {
    for (;;) {
      const { workers: states } = await api.get<{ workers: readonly { state: string }[] }>(
        '/v1/servers/effects',
      );
      if (states.length === 2 && states.every(({ state }) => state === 'ready')) return;
      await wait(20);
    }
  }

  const startRuns = (group: Group): Promise<readonly RunView[]> =>
    Promise.all(namesOf(group).map((run) => api.start(`do ${run}`)));

  /** Runs with an effect so far, once for each effect, and the workers that called the tool. */
  async function effectsOf(
    group: Group,
  ): Promise<{ readonly runs: readonly string[]; readonly workers: ReadonlySet<string> }> {
    const lines = (await readFile(join(folder.path, 'effects'), 'utf8'))
      .split('\n')
      .filter((line) => line.startsWith(`${group}-`));
    return {
      runs: lines.map((line) => line.split(' ')[0] ?? ''),
      workers: new Set(lines.map((line) => line.split(' ')[3] ?? '')),
    };
  }

  async function effects(group: Group, count: number): Promise<void> {
    while ((await effectsOf(group)).runs.length < count) await wait(10);
  }

  /** Follows a run, and answers what a person would about a call whose result was lost. */
  async function answerUnknown(group: Group, id: string): Promise<void> {
    for await (const { type } of api.stream(id)) {
      if (type !== 'inbox.opened') continue;
      const { prompt, inbox } = await api.run(id);
      const isDone = (await effectsOf(group)).runs.some((run) => prompt === `do ${run}`);
      for (const item of inbox)
        await api.post(`/v1/inbox/${item.id}/respond`, { action: isDone ? 'mark_done' : 'retry' });
    }
  }

  /** Opens a queue as a dashboard does, until the end of the test. */
  function openQueue(name: string): Queue {
    const queue = new Queue(name, { connection: { url: redis.url }, prefix: PREFIX });
    onTestFinished(() => queue.close());
    return queue;
  }

  async function expectAllDoneOnce(group: Group, runs: readonly RunView[]): Promise<void> {
    const settled = await Promise.all(runs.map(({ id }) => api.settled(id)));
    expect(settled.map(({ status, answer }) => `${status}: ${answer}`)).toEqual(
      namesOf(group).map((run) => `completed: did ${run}`),
    );
    expect((await effectsOf(group)).runs.toSorted()).toEqual(namesOf(group).toSorted());
  }

  test('the jobs that Redis lost are enqueued again, by the sweep of a worker', async () => {
    const calls = openQueue('call-tool');
    await calls.pause();
    const runs = await startRuns('flushed');
    while ((await calls.getJobCountByTypes('waiting')) < RUNS.flushed) await wait(10);
    expect((await effectsOf('flushed')).runs).toEqual([]);
    expect(await redis.command('FLUSHALL')).toBe('+OK');
    await expectAllDoneOnce('flushed', runs);
    expect((await effectsOf('flushed')).workers.size).toBe(2);
  });

  test('bull-board lists the queues advance-run and call-tool with their jobs', async () => {
    const runs = await startRuns('listed');
    await expectAllDoneOnce('listed', runs);
    const queues = ['advance-run', 'call-tool'].map(openQueue);
    const jobsOf = async (name: string): Promise<readonly unknown[]> => {
      const listed = await queuesOnBoard(queues, name);
      expect(listed.map((queue) => queue.name)).toEqual(['advance-run', 'call-tool']);
      const jobs = listed.find((queue) => queue.name === name)?.jobs ?? [];
      const names = name === 'advance-run' ? ['start-run', 'advance-run'] : [name];
      expect(new Set(jobs.map((job) => job.name))).toEqual(new Set(names));
      return jobs.map(({ data }) => data);
    };
    const [turns, calls] = [await jobsOf('advance-run'), await jobsOf('call-tool')];
    for (const { id } of runs) {
      expect(turns).toContainEqual({ type: 'advance-run', runId: id });
      const [call] = await api.toolCalls(id);
      expect(calls).toContainEqual({ type: 'call-tool', callId: call?.id });
    }
  });

  test('without Redis the service accepts runs and /readyz says so; they continue when it is back', async () => {
    const before = await startRuns('before');
    await effects('before', 2);
    const { port } = redis;
    await redis.stop();
    expect(await api.get('/readyz')).toEqual({ status: 'ready', redis: 'unreachable' });
    expect((await fetch(`${service.url}/metrics`)).status).toBe(200);
    const meanwhile = await startRuns('meanwhile');
    redis = await startRedis({ port });
    await expectAllDoneOnce('before', before);
    await expectAllDoneOnce('meanwhile', meanwhile);
    expect(await api.get('/readyz')).toEqual({ status: 'ready', redis: 'ready' });
    const logs = [service, ...workers].map((each) => each.log());
    expect(logs.map((log) => log.split('Redis does not answer').length)).toEqual([2, 2, 2]);
  });

  test('when a worker is killed, its runs end on the other one, and no call has its effect twice', async () => {
    const runs = await startRuns('killed');
    await effects('killed', 4);
    await workers[0]?.stop('SIGKILL');
    await Promise.all(runs.map(({ id }) => answerUnknown('killed', id)));
    await expectAllDoneOnce('killed', runs);
    expect((await effectsOf('killed')).workers.size).toBe(2);
  });
});

describe.each([{ queue: 'on Redis' }, { queue: 'of the store' }])(
  'an API process with a queue $queue',
  ({ queue }) => {
    const isOnRedis = queue === 'on Redis';

    test.skipIf(isOnRedis && !hasRedis)(
      'rejects a run beyond max_queued_runs with 429 and Retry-After',
      async () => {
        const redis = isOnRedis ? await startRedis() : undefined;
        const folder = await temporaryFolder();
        const service = await startService({
          folder: folder.path,
          config: { llm: { provider: 'scripted' }, max_queued_runs: 2 },
          args: ['--role', 'api'],
          env: { REDIS_URL: redis?.url ?? '' },
        });
        onTestFinished(async () => {
          await service.stop();
          await redis?.stop();
          await folder.remove();
        });
        const api = new ApiClient(service.url);
        for (let run = 0; run < 2; run += 1) await api.start('wait');
        const refused = await fetch(`${service.url}/v1/runs`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"prompt":"too many"}',
        });
        expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
          429,
          '1',
          expect.objectContaining({ code: 'too_many_runs', retryable: true }),
        ]);
        const metrics = await (await fetch(`${service.url}/metrics`)).text();
        expect(metrics).toContain(
          `signalbox_queue_jobs{type="advance-run"} ${isOnRedis ? '2' : '0'}`,
        );
      },
    );
  },
);

function namesOf(group: Group): readonly string[] {
  return Array.from(
    { length: RUNS[group] },
    (_, index) => `${group}-${String(index).padStart(2, '0')}`,
  );
}

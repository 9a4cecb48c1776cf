import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPostgresBackend, Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  hasPostgres,
  startPostgres,
  type PostgresEngine,
} from '../../peers/src/postgres-engine.ts';
import { hasRedis, startRedis } from '../../peers/src/redis-server.ts';
import { ApiClient, type EventView, type Json, type RunView } from './support/client.ts';
import { runToEnd } from './support/command.ts';
import { createDatabase } from './support/engines.ts';
import { writeScenario } from './support/scenario.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type ServiceProcess,
} from './support/service.ts';

const askingServer = fileURLToPath(new URL('support/asking-server.ts', import.meta.url));

interface ServerView extends Json {
  readonly state: string;
  readonly workers: readonly { readonly id: string; readonly state: string }[];
}

const STORES = [
  { name: 'SQLite', usesPostgres: false },
  ...(hasPostgres ? [{ name: 'PostgreSQL', usesPostgres: true }] : []),
];

describe.each(STORES)('several processes on $name', ({ usesPostgres }) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let engine: PostgresEngine | undefined;
  let processes: readonly ServiceProcess[] = [];
  let api: ApiClient;
  let config: object;
  beforeAll(start);
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()));
    await engine?.close();
    await folder.remove();
  });

  /** Starts one API process and two workers on one database. */
  async function start(): Promise<void> {
    folder = await temporaryFolder();
    engine = usesPostgres ? await startPostgres() : undefined;
    const env: { [name: string]: string } =
      engine === undefined ? {} : { DATABASE_URL: engine.url };
    const scenario = await writeScenario(folder.path, [
      {
        prompt: 'look',
        steps: [
          [{ tool: 'asking__look', label: 'seen' }],
          [{ tool: 'asking__look', label: 'again' }],
        ],
        answer: 'It said: ${result.seen.text}',
      },
      {
        prompt: 'greet',
        steps: [[{ tool: 'asking__greet', label: 'greeting' }]],
        answer: 'It said: ${result.greeting.text}',
      },
      { prompt: 'linger', steps: [[{ tool: 'asking__linger' }]], answer: 'done' },
    ]);
    config = {
      llm: { provider: 'scripted', scenario },
      mcpServers: {
        asking: {
          command: 'node',
          args: [askingServer, join(folder.path, 'ledger')],
          signalbox: { trust: true },
        },
      },
    };
    const startRole = (...args: readonly string[]): Promise<ServiceProcess> =>
      startServiceProcess({ folder: folder.path, config, env, args: ['--role', ...args] });
    processes = await Promise.all([
      startRole('api'),
      startRole('worker', '--port', '0'),
      startRole('worker', '--port', '0'),
    ]);
    api = new ApiClient(processes[0]!.url);
    await readyOnBoth();
  }

  const asking = (): Promise<ServerView> => api.get('/v1/servers/asking');

  /** Resolves when the server is ready on both workers. */
  async function readyOnBoth(): Promise<void> {
    for (;;) {
      const { workers } = await asking();
      if (workers.length === 2 && workers.every(({ state }) => state === 'ready')) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  test.concurrent('workers do the runs of an API process, whose stream has each event once', async () => {
    const runs = await Promise.all(Array.from({ length: 4 }, () => api.start('look')));
    const streams = runs.map(async ({ id }) => {
      const events: EventView[] = [];
      for await (const event of api.stream(id)) events.push(event);
      return events;
    });
    for (const events of await Promise.all(streams)) {
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(events.at(-1)?.type).toBe('run.completed');
    }
  });

  test.concurrent('an answer that is given to the API process reaches the waiting call', async () => {
    const { id } = await api.start('greet');
    await api.waitFor(id, ({ type }) => type === 'inbox.opened');
    const [item] = (await api.run(id)).inbox;
    await api.post(`/v1/inbox/${item?.id}/respond`, { action: 'accept', content: { name: 'Ada' } });
    expect(await api.settled(id)).toMatchObject({
      status: 'completed',
      answer: 'It said: hello Ada',
    });
  });

  test.concurrent('a run that is cancelled at the API process is stopped by its worker', async () => {
    const { id } = await api.start('linger');
    await api.waitFor(id, ({ type }) => type === 'tool_call.progress');
    await api.post(`/v1/runs/${id}/cancel`);
    expect(await api.settled(id)).toMatchObject({ status: 'cancelled' });
  });

  test.concurrent('the API process lists the tools of the workers and calls them', async () => {
    const { data } = await api.get<{ data: readonly { readonly name: string }[] }>('/v1/tools');
    expect(data.map(({ name }) => name)).toContain('asking__look');
    const run = await api.post<RunView>('/v1/tools/asking__look/call');
    expect(await api.settled(run.id)).toMatchObject({ status: 'completed', answer: 'seen' });
  });

  test('a server that is drained at the API process is drained on both workers', async () => {
    const drained = await api.post<ServerView>('/v1/servers/asking/drain', { mode: 'now' });
    expect(drained.workers.map(({ state }) => state)).toEqual(['drained', 'drained']);
    await api.post('/v1/servers/asking/reconnect');
    await readyOnBoth();
  });

  test('a worker has probes and no API', async () => {
    const worker = processes[1]!.url;
    const statuses = await Promise.all(
      ['/readyz', '/healthz', '/metrics', '/v1/runs'].map(
        async (path) => (await fetch(`${worker}${path}`)).status,
      ),
    );
    expect(statuses).toEqual([200, 200, 200, 404]);
  });

  test.runIf(usesPostgres).for([
    { queue: 'Redis', name: 'on_redis' },
    { queue: 'PostgreSQL', name: 'on_postgres' },
  ])(
    'a run completes with BullMQ on $queue as the queue, and is replayed from the database',
    async ({ queue, name }, { skip }) => {
      if (queue === 'Redis' && !hasRedis) skip('redis-server is not installed');
      const redis = queue === 'Redis' ? await startRedis() : undefined;
      const env = {
        DATABASE_URL: createDatabase(engine?.url ?? '', name),
        ...(redis === undefined
          ? { SIGNALBOX_QUEUE: 'bullmq-postgres', REDIS_URL: '' }
          : { REDIS_URL: redis.url }),
      };
      const service = await startService({ folder: folder.path, config, env });
      const calls =
        redis === undefined
          ? new Queue(
              'call-tool',
              { connection: { connectionString: env.DATABASE_URL } },
              createPostgresBackend,
            )
          : new Queue('call-tool', { connection: { url: redis.url }, prefix: 'signalbox' });
      onTestFinished(async () => {
        await calls.close();
        await service.stop();
        await redis?.stop();
      });
      const own = new ApiClient(service.url);
      const { id } = await own.start('look');
      expect(await own.settled(id)).toMatchObject({ status: 'completed' });
      await expect.poll(() => calls.getJobCountByTypes('completed')).toBeGreaterThan(0);
      const replayed = await runToEnd(['replay', id], { folder: folder.path, env });
      expect(replayed).toMatchObject({ code: 0, err: '' });
      expect(replayed.out).toContain('has the same decisions');
    },
  );

  test.runIf(usesPostgres)(
    'no run is lost or fails when the database is killed, and they continue when it is back',
    async () => {
      const runs = await Promise.all(Array.from({ length: 4 }, () => api.start('look')));
      await engine?.kill();
      await engine?.start();
      for (const { id } of runs)
        expect(await api.settled(id)).toMatchObject({ status: 'completed' });
    },
  );

  test.runIf(usesPostgres)(
    'nothing that a process writes contains the password of the database',
    () => {
      const log = processes.map((each) => each.log()).join('');
      expect(log).not.toContain('secret-of-tests');
      expect(log).not.toContain('DeprecationWarning');
    },
  );
});

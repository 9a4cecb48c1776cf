import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBullmqJobQueue } from '../../bullmq/bullmq-job-queue.ts';
import { postgresEngine } from '../../bullmq/postgres-engine.ts';
import { redisEngine } from '../../bullmq/redis-engine.ts';
import type { JobQueue } from '../../ports/job-queue.ts';
import { PATIENCE_MS } from '../../ports/priority.ts';
import type { NewRun } from '../../ports/run-engine.ts';
import type { Store, StoreReader } from '../../ports/store.ts';
import { hasRedis } from '../../redis/testing/redis-server.ts';
import {
  connectProcess,
  openRedisWorld,
  quietLogger,
  type RedisWorld,
} from '../../redis/testing/redis-world.ts';
import { hasPostgres, postgresForTests } from '../../store/postgres/testing/postgres.ts';
import { openService, type Service, type ServiceOptions } from '../testing/service.ts';

type ChangeQueue = NonNullable<ServiceOptions['changeQueue']>;

/** Describes the order in which runs begin when the slots of a worker are given by a queue. */
function startOrder(name: string, queueOf: () => Promise<ChangeQueue> | ChangeQueue): void {
  describe(`order of runs: ${name}`, () => {
    /** A worker with one slot that a run occupies, and runs that wait. */
    async function waiting(
      runs: readonly NewRun[],
      changeStore: (store: Store) => Store = (store) => store,
    ): Promise<Waiting> {
      const held = Promise.withResolvers<void>();
      const service = await openService({
        script: (_request, index) =>
          index === 0 ? { text: 'done', hold: held.promise } : { text: 'done' },
        concurrency: { modelCalls: 1 },
        changeStore,
        changeQueue: await queueOf(),
      });
      const first = await service.engine.createRun({ prompt: 'first' });
      await service.until(() => Promise.resolve(service.llm.requests[0]));
      const ids: string[] = [];
      const add = async (run: NewRun): Promise<void> => {
        ids.push((await service.engine.createRun(run)).id);
        service.clock.advance(1);
      };
      for (const run of runs) await add(run);
      return {
        service,
        first: first.id,
        add,
        async order() {
          held.resolve();
          for (const id of ids) await service.settled(id);
          return service.llm.requests.slice(1).map(promptOf);
        },
      };
    }

    test('an urgent run overtakes the waiting runs and interrupts none', async () => {
      const { service, first, order } = await waiting([
        { prompt: 'low', priority: 'low' },
        { prompt: 'a' },
        { prompt: 'b', priority: 'normal' },
        { prompt: 'urgent', priority: 'high' },
      ]);
      expect((await service.read.run(first))?.status).toBe('running');
      expect(await order()).toEqual(['urgent', 'a', 'b', 'low']);
      expect(await service.types(first)).not.toContain('turn.interrupted');
    });

    const crowd: readonly NewRun[] = [
      ...Array.from({ length: 6 }, (_, index) => ({ prompt: `a${index}`, apiKey: 'a' })),
      { prompt: 'b', apiKey: 'b' },
    ];

    test('the run of a key begins after at most one of another key that has many runs waiting', async () => {
      const { order } = await waiting(crowd);
      expect((await order()).indexOf('b')).toBeLessThanOrEqual(1);
    });

    test('control: without turns of the keys it begins after all runs of the other key', async () => {
      const { order } = await waiting(crowd, withoutTurns);
      expect((await order()).indexOf('b')).toBe(6);
    });

    test('keys with many waiting runs take turns, and each keeps the order of its runs', async () => {
      const keys = ['a', 'b', 'c'];
      const { order } = await waiting(
        keys.flatMap((apiKey) => [1, 2, 3].map((n) => ({ prompt: `${apiKey}${n}`, apiKey }))),
      );
      const prompts = await order();
      for (const at of [0, 3, 6])
        expect(new Set(prompts.slice(at, at + 3).map((prompt) => prompt[0]))).toEqual(
          new Set(keys),
        );
      expect(prompts.filter((prompt) => prompt.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
    });

    test('a run whose patience has ended begins before younger runs of a higher priority', async () => {
      const { service, add, order } = await waiting([
        { prompt: 'a' },
        { prompt: 'low', priority: 'low' },
      ]);
      service.clock.advance(PATIENCE_MS.normal);
      await add({ prompt: 'urgent', priority: 'high' });
      expect(await order()).toEqual(['a', 'urgent', 'low']);
    });
  });
}

interface Waiting {
  readonly service: Service;
  /** Id of the run in progress. */
  readonly first: string;
  readonly add: (run: NewRun) => Promise<void>;
  /** Ends the run in progress and returns the prompts of the others in the order in which they began. */
  readonly order: () => Promise<readonly string[]>;
}

/** The waiting runs as if one API key had created all of them. */
function withoutTurns(store: Store): Store {
  const read = new Proxy(store.read, {
    get: (target, name: keyof StoreReader) =>
      name === 'runnableRuns'
        ? async ({ perKey }: { readonly perKey: number }) => {
            const runs = await target.runnableRuns({ perKey: 1000 });
            return runs
              .map((run) => ({ ...run, apiKey: 'one' }))
              .toSorted((left, right) => (left.id < right.id ? -1 : 1))
              .slice(0, perKey);
          }
        : target[name],
  });
  return {
    ...store,
    get workerId() {
      return store.workerId;
    },
    read,
  };
}

function promptOf({ messages }: Service['llm']['requests'][number]): string {
  const [block] = messages.at(-1)?.content ?? [];
  return block?.type === 'text' ? block.text : '';
}

startOrder('in memory', () => (queue) => queue);

describe.skipIf(!hasRedis)('with Redis', () => {
  let world: RedisWorld;
  let count = 0;
  beforeAll(async () => {
    world = await openRedisWorld();
  });
  afterAll(() => world.close());

  startOrder('BullMQ on Redis', async () => {
    const prefix = `order-${(count += 1)}`;
    const { link } = await connectProcess(world.server.url, prefix);
    return () => bullmq(redisEngine(link, prefix));
  });
});

describe.skipIf(!hasPostgres)('with PostgreSQL', () => {
  const postgres = postgresForTests();
  startOrder('BullMQ on PostgreSQL', async () => {
    const engine = postgresEngine(await postgres.newDatabase());
    return () => bullmq(engine);
  });
});

function bullmq(engine: Parameters<typeof createBullmqJobQueue>[0]['engine']): JobQueue {
  return createBullmqJobQueue({ engine, logger: quietLogger, onError: () => undefined });
}

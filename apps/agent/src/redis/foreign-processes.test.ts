import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import type { Worker } from '../ports/store/worker.ts';
import { CHECK_EVERY_MS, watchForeignProcesses } from './foreign-processes.ts';
import { hasRedis } from './testing/redis-server.ts';
import {
  connectProcess,
  openRedisWorld,
  quietLogger,
  type RedisWorld,
} from './testing/redis-world.ts';

describe.skipIf(!hasRedis)('processes that share a Redis and a prefix', () => {
  let world: RedisWorld;
  beforeAll(async () => {
    world = await openRedisWorld();
  });
  afterAll(() => world.close());

  interface Process {
    readonly warnings: readonly string[];
    /** Resolves after the next check. */
    check(): Promise<void>;
  }

  /** Starts a process whose database has the given workers. */
  async function startProcess(
    prefix: string,
    workerId: string,
    workers: () => readonly string[],
  ): Promise<Process> {
    const { link } = await connectProcess(world.server.url, prefix);
    const clock = new ManualClock();
    const warnings: string[] = [];
    onTestFinished(
      watchForeignProcesses({
        link,
        prefix,
        clock,
        logger: {
          ...quietLogger,
          warn: (message, fields) => warnings.push(`${message} ${JSON.stringify(fields)}`),
        },
        store: {
          workerId,
          read: { workers: async () => workers().map((id) => ({ id }) as Worker) },
        },
      }),
    );
    return {
      warnings,
      async check() {
        await expect
          .poll(() => clock.waits.length > 0 || warnings.length > 0, { interval: 1 })
          .toBe(true);
        clock.advance(CHECK_EVERY_MS);
      },
    };
  }

  const check = async (processes: readonly Process[], times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1)
      for (const process of processes) await process.check();
  };

  test('of two services are warned about once, in both', async () => {
    const one = await startProcess('shared', 'a1', () => ['a1']);
    const other = await startProcess('shared', 'b1', () => ['b1']);
    await check([one, other], 10);
    for (const { warnings } of [one, other]) {
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatch(/Set SIGNALBOX_REDIS_PREFIX to a different value/);
    }
    expect(one.warnings[0]).toContain('"foreign_processes":1');
  });

  test('of one service, or of services with different prefixes, are not warned about', async () => {
    const own = ['c1', 'c2'];
    const one = await startProcess('own', 'c1', () => own);
    const two = await startProcess('own', 'c2', () => own);
    const apart = await startProcess('apart', 'd1', () => ['d1']);
    await check([one, two, apart], 10);
    for (const { warnings } of [one, two, apart]) expect(warnings).toEqual([]);
  });

  test('that ended a moment ago are not warned about', async () => {
    const one = await startProcess('ended', 'e1', () => ['e1']);
    await world.admin.zadd('ended:processes', Date.now(), 'e0');
    await check([one], 3);
    await world.admin.zrem('ended:processes', 'e0');
    await check([one], 10);
    expect(one.warnings).toEqual([]);
  });
});

import type { RedisSettings } from '../config/config.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { Logger } from '../ports/logger.ts';
import type { RateGates } from '../ports/rate-gate.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import { createBullmqJobQueue } from '../bullmq/bullmq-job-queue.ts';
import { redisEngine } from '../bullmq/redis-engine.ts';
import { watchForeignProcesses, type ForeignProcessesOptions } from './foreign-processes.ts';
import { RedisChannels } from './redis-channels.ts';
import { RedisLink } from './redis-link.ts';
import { createRedisRateGates } from './redis-rate-gate.ts';
import { createRedisSignalBus } from './redis-signal-bus.ts';

export interface OpenRedisOptions {
  readonly settings: RedisSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Maximum of concurrent requests to a model provider without a response yet. */
  readonly width: number;
  /** The store of the service, whose processes may use the same keys. */
  readonly store: ForeignProcessesOptions['store'];
}

/** The ports that processes share over one Redis. */
export interface OpenedRedis {
  readonly queue: JobQueue;
  readonly bus: SignalBus;
  readonly gates: RateGates;
  /** Whether Redis answers and writes. */
  isUp(): Promise<boolean>;
  close(): Promise<void>;
}

/** Time that the jobs in progress have at a close, in milliseconds. */
const CLOSE_MS = 1000;

/** Connects to Redis. @throws ConfigError when it cannot be used */
export async function openRedis({
  settings,
  clock,
  logger,
  width,
  store,
}: OpenRedisOptions): Promise<OpenedRedis> {
  const { prefix, url } = settings;
  const link = await RedisLink.open({ settings, logger });
  const database = new URL(url).pathname.slice(1);
  const channels = new RedisChannels(link, `${prefix}:${database === '' ? '0' : database}`);
  await channels.open();
  const endWatch = watchForeignProcesses({ link, prefix, store, clock, logger });
  const queue = createBullmqJobQueue({
    engine: redisEngine(link, prefix),
    logger,
    onError: (job, error) => logger.error('a job failed', { ...job, error }),
  });
  return {
    queue,
    bus: createRedisSignalBus(channels),
    gates: createRedisRateGates({ link, channels, prefix, clock, width }),
    isUp: () =>
      link
        .run(() => link.write())
        .then(() => true)
        .catch(() => false),
    async close() {
      endWatch();
      const { promise: isLate, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(CLOSE_MS, resolve);
      await Promise.race([queue.close(), isLate]);
      cancel();
      channels.close();
      await link.close();
    },
  };
}

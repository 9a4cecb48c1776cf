import { ConfigError } from '../config/config.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { Logger } from '../ports/logger.ts';
import { describeDatabase } from '../text/describe-database.ts';
import { messageOf } from '../text/error-text.ts';
import { createBullmqJobQueue } from './bullmq-job-queue.ts';
import { postgresEngine } from './postgres-engine.ts';

export interface OpenPostgresQueueOptions {
  /** Connection string. A secret: it contains the password. */
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface OpenedQueue {
  readonly queue: JobQueue;
  close(): Promise<void>;
}

/** Time that the jobs in progress, and then the connections, have at a close, in milliseconds. */
const CLOSE_MS = 1000;

/** Opens BullMQ on PostgreSQL and creates its tables. @throws ConfigError when they cannot be used */
export async function openPostgresQueue({
  url,
  clock,
  logger,
}: OpenPostgresQueueOptions): Promise<OpenedQueue> {
  const engine = postgresEngine(url);
  const queue = createBullmqJobQueue({
    engine,
    logger,
    onError: (job, error) => logger.error('a job failed', { ...job, error }),
  });
  const within = async (work: Promise<unknown>): Promise<void> => {
    const { promise: isLate, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(CLOSE_MS, resolve);
    await Promise.race([work, isLate]);
    cancel();
  };
  try {
    await engine.ready();
  } catch (error) {
    await within(engine.close());
    throw new ConfigError(
      `SIGNALBOX_QUEUE: BullMQ cannot use its schema in ${describeDatabase(url)} (${messageOf(error)}). Let the user of DATABASE_URL create the schema bullmq, or unset SIGNALBOX_QUEUE.`,
      { cause: error },
    );
  }
  return {
    queue,
    async close() {
      await within(queue.close());
      await within(engine.close());
    },
  };
}

import { createPostgresBackend, Queue, Worker } from 'bullmq';
import { connectionOptions } from '../store/postgres/connection-options.ts';
import { textWithoutUser } from '../store/postgres/postgres-errors.ts';
import type { BullmqEngine } from './engine.ts';

/** Connections of a queue and of a worker, without the one on which a worker waits for jobs. */
const QUEUE_CONNECTIONS = 2;
const WORKER_CONNECTIONS = 4;

/** Time for a connection and for a query, in milliseconds. */
const TIMEOUT_MS = 5000;

export interface PostgresEngine extends BullmqEngine {
  /** Resolves when the tables exist. Rejects when they cannot be created or used. */
  ready(): Promise<void>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/**
 * Keeps the queues in the schema `bullmq` of a PostgreSQL database, which is created and migrated.
 * `url` is a secret: it contains the password.
 */
export function postgresEngine(url: string): PostgresEngine {
  const queues: Queue[] = [];
  const workers: Worker[] = [];
  const connection = (max: number) => ({
    // BullMQ adds the search path of its schema.
    ...connectionOptions(url),
    max,
    migrate: true,
    // A connection that was made or used while the server ended would be waited for without end.
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    keepAlive: true,
  });
  return {
    // The types differ in the options of their connections only.
    createQueue(lane, options) {
      const queue = new Queue(
        lane,
        { ...options, connection: connection(QUEUE_CONNECTIONS) },
        createPostgresBackend,
      ) as unknown as ReturnType<BullmqEngine['createQueue']>;
      queues.push(queue);
      return queue;
    },
    createWorker(lane, processor, options) {
      const worker = new Worker(
        lane,
        processor as unknown as ConstructorParameters<typeof Worker>[1],
        { ...options, connection: connection(WORKER_CONNECTIONS) },
        createPostgresBackend,
      ) as unknown as ReturnType<BullmqEngine['createWorker']>;
      workers.push(worker);
      return worker;
    },
    async ready() {
      await withoutUser(() => Promise.all(queues.map((queue) => queue.waitUntilReady())));
    },
    async close() {
      await Promise.allSettled([
        ...queues.map((queue) => queue.close()),
        ...workers.map((worker) => worker.close(true)),
      ]);
    },
    // The store is on the same engine, and says when that does not answer.
    isUp: () => true,
    run: withoutUser,
    ifUp: withoutUser,
    textOf: (error) => textWithoutUser(error),
    async dueAt(queue, jobId) {
      const job = await queue.getJob(jobId);
      if (job === undefined || (await job.getState()) !== 'delayed') return undefined;
      return job.timestamp + job.delay;
    },
  };
}

/** Runs work, whose errors can have the name of the user, and rejects with errors without it. */
async function withoutUser<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(textWithoutUser(error), { cause: error });
  }
}

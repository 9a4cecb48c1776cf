import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres, type PostgresEngine } from '../../../peers/src/postgres-engine.ts';
import { startRedis, type RedisServer } from '../../../peers/src/redis-server.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { BullmqQueue, createPostgresBackend } from './agent-packages.ts';
import { Records } from './records.ts';

export const STORES = ['postgres', 'sqlite'] as const;
export const QUEUES = ['bullmq-redis', 'bullmq-postgres', 'memory'] as const;

export interface Engines {
  readonly store: (typeof STORES)[number];
  readonly queue: (typeof QUEUES)[number];
}

/** Proxies of one process to the database and to Redis, if there are any. */
export interface Links {
  readonly database: TcpProxy | undefined;
  readonly redis: TcpProxy | undefined;
}

const PREFIX = 'chaos';

/** The database and the Redis of a test, which its faults kill and empty. */
export class Environment {
  readonly engines: Engines;
  readonly records: Records;
  readonly #postgres: PostgresEngine | undefined;
  readonly #proxies: TcpProxy[] = [];
  #redis: RedisServer | undefined;

  /** `folder` is that of the service. */
  static async start(engines: Engines, folder: string): Promise<Environment> {
    return new Environment(engines, {
      folder,
      postgres: engines.store === 'postgres' ? await startPostgres() : undefined,
      redis: engines.queue === 'bullmq-redis' ? await startRedis() : undefined,
    });
  }

  private constructor(
    engines: Engines,
    parts: {
      readonly folder: string;
      readonly postgres: PostgresEngine | undefined;
      readonly redis: RedisServer | undefined;
    },
  ) {
    this.engines = engines;
    this.#postgres = parts.postgres;
    this.#redis = parts.redis;
    this.records = new Records(
      parts.postgres?.url ?? join(parts.folder, 'data', 'signalbox.sqlite'),
    );
  }

  /** Opens the proxies of a process. */
  async openLinks(): Promise<Links> {
    const open = async (port: number | undefined): Promise<TcpProxy | undefined> => {
      if (port === undefined) return undefined;
      const proxy = await TcpProxy.start(() => port);
      this.#proxies.push(proxy);
      return proxy;
    };
    return {
      database: await open(this.#postgres?.port),
      redis: await open(this.#redis?.port),
    };
  }

  /** Returns the environment variables of a process behind the proxies. */
  variablesOf({ database, redis }: Links): { readonly [name: string]: string } {
    return {
      ...(database === undefined || this.#postgres === undefined
        ? {}
        : { DATABASE_URL: withPort(this.#postgres.url, database.port) }),
      ...(redis === undefined
        ? {}
        : {
            REDIS_URL: `redis://127.0.0.1:${redis.port}`,
            SIGNALBOX_REDIS_PREFIX: PREFIX,
          }),
      ...(this.engines.queue === 'bullmq-postgres' ? { SIGNALBOX_QUEUE: 'bullmq-postgres' } : {}),
    };
  }

  /** Kills every process of PostgreSQL with SIGKILL. Resolves when it has been down for so long and answers again. */
  async killDatabase(downMs: number): Promise<void> {
    await this.#postgres?.kill('SIGKILL');
    await wait(downMs);
    await this.#postgres?.start();
  }

  /** Kills Redis, which loses its data. Resolves when another one answers on its port. */
  async killRedis(downMs: number): Promise<void> {
    const port = this.#redis?.port ?? 0;
    await this.#redis?.stop();
    await wait(downMs);
    this.#redis = await startRedis({ port });
  }

  async flushRedis(): Promise<void> {
    await this.#redis?.command('FLUSHALL');
  }

  /** Adds jobs of runs and tool calls to the queue again, whatever their state is. Resolves with their number. */
  async repeatJobs(count: number): Promise<number> {
    const jobs = await this.records.anyJobs(count);
    const { queue } = this.engines;
    if (queue === 'memory') for (const { type, id } of jobs) await this.records.handJob(type, id);
    else
      for (const type of ['advance-run', 'call-tool'] as const)
        await this.#addJobs(
          type,
          jobs.filter((job) => job.type === type).map(({ id }) => id),
        );
    return jobs.length;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
    await this.#redis?.stop();
    await this.#postgres?.close();
  }

  /** Adds jobs without the deduplication of the service. */
  async #addJobs(type: 'advance-run' | 'call-tool', ids: readonly string[]): Promise<void> {
    const queue =
      this.#redis === undefined
        ? new BullmqQueue(
            type,
            { connection: { connectionString: this.#postgres?.url, max: 1 } },
            createPostgresBackend,
          )
        : new BullmqQueue(type, {
            connection: { host: '127.0.0.1', port: this.#redis.port },
            prefix: PREFIX,
            skipVersionCheck: true,
          });
    queue.on('error', () => undefined);
    try {
      for (const id of ids)
        await queue.add(
          type,
          { type, ...(type === 'advance-run' ? { runId: id } : { callId: id }) },
          { jobId: randomUUID() },
        );
    } finally {
      await queue.close();
    }
  }
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}

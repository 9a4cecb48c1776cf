import { Redis } from 'ioredis';
import { Client, type QueryResultRow } from 'pg';
import { startPostgres } from '../../../tests/peers/src/postgres-engine.ts';
import { startRedis } from '../../../tests/peers/src/redis-server.ts';
import { cpuMsOf, cpuMsOfTree } from '../process-readings.ts';
import type { Combination } from './combinations.ts';

/** CPU time and counters of PostgreSQL and Redis; zero for an engine that a combination does not use. */
export interface EngineReadings {
  readonly postgresMs: number;
  readonly redisMs: number;
  /** Transactions of PostgreSQL, with single reads. */
  readonly commits: number;
  readonly redisCommands: number;
}

/** The database and the prefix of one measurement. */
export interface EngineShare {
  /** Variables of every process of the service. */
  readonly env: { readonly [name: string]: string };
  readonly read: () => Promise<EngineReadings>;
}

/**
 * Settings as a new PostgreSQL server has them, in place of those of the tests: every commit is
 * written to the disk.
 */
const SERVER_SETTINGS = {
  fsync: 'on',
  full_page_writes: 'on',
  autovacuum: 'on',
  shared_buffers: '256MB',
  max_wal_size: '1GB',
  deadlock_timeout: '1s',
};

/** A PostgreSQL server and a Redis server for all measurements, each of which gets its own database and prefix. */
export class Engines implements AsyncDisposable {
  readonly #postgres: Awaited<ReturnType<typeof startPostgres>>;
  readonly #redis: Awaited<ReturnType<typeof startRedis>>;
  #count = 0;

  private constructor(
    postgres: Awaited<ReturnType<typeof startPostgres>>,
    redis: Awaited<ReturnType<typeof startRedis>>,
  ) {
    this.#postgres = postgres;
    this.#redis = redis;
  }

  static async start(): Promise<Engines> {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    const engines = new Engines(postgres, redis);
    for (const [name, value] of Object.entries(SERVER_SETTINGS))
      await engines.#sql(`alter system set ${name} = '${value}'`);
    await engines.#sql('checkpoint');
    await postgres.kill();
    await postgres.start();
    return engines;
  }

  /** Addresses for a measurement: a new database, and the Redis server. */
  async addresses(): Promise<{ readonly postgres: string; readonly redis: string }> {
    const name = `bench_${String((this.#count += 1))}`;
    await this.#sql(`create database ${name}`);
    return {
      postgres: this.#postgres.url.replace(/[^/]+$/u, name),
      redis: this.#redis.url,
    };
  }

  async share({ store, queue }: Combination): Promise<EngineShare> {
    const { postgres, redis } = await this.addresses();
    const usesPostgres = store === 'PostgreSQL';
    const usesRedis = queue === 'Redis';
    return {
      env: {
        ...(usesPostgres ? { DATABASE_URL: postgres } : {}),
        ...(usesRedis
          ? { REDIS_URL: redis, SIGNALBOX_REDIS_PREFIX: `bench${String(this.#count)}` }
          : {}),
        ...(queue === 'PostgreSQL' ? { SIGNALBOX_QUEUE: 'bullmq-postgres' } : {}),
      },
      read: async () => ({
        postgresMs: usesPostgres ? cpuMsOfTree(this.#postgres.pid) : 0,
        redisMs: usesRedis ? cpuMsOf(this.#redis.pid) : 0,
        commits: usesPostgres ? await this.#commits(postgres) : 0,
        redisCommands: usesRedis ? await this.#redisCommands() : 0,
      }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#postgres.close(), this.#redis.stop()]);
  }

  async #commits(url: string): Promise<number> {
    // A read of the statistics counts as one transaction itself.
    const [row] = await this.#sql<{ readonly commits: string }>(
      `select xact_commit as commits from pg_stat_database where datname = '${url.split('/').at(-1) ?? ''}'`,
    );
    return Number(row?.commits);
  }

  async #redisCommands(): Promise<number> {
    const client = new Redis(this.#redis.url);
    const info = await client.info('commandstats');
    client.disconnect();
    return [...info.matchAll(/:calls=(\d+)/gu)].reduce((sum, [, calls]) => sum + Number(calls), 0);
  }

  async #sql<T extends QueryResultRow>(text: string): Promise<readonly T[]> {
    const client = new Client(this.#postgres.url);
    await client.connect();
    try {
      return (await client.query<T>(text)).rows;
    } finally {
      await client.end();
    }
  }
}

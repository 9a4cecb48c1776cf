import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { createClient } from '../postgres-client.ts';
import { TABLES } from '../../tables.ts';

/** A PostgreSQL server of the tests. */
interface Engine {
  readonly url: string;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface EngineModule {
  readonly hasPostgres: boolean;
  readonly startPostgres: () => Promise<Engine>;
}

// Third-party packages of tests are outside of this package, whose build must not see them.
const MODULE = new URL('../../../../../../tests/peers/src/postgres-engine.ts', import.meta.url)
  .href;
const engines = (await import(/* @vite-ignore */ MODULE)) as EngineModule;

/** Whether npm installed PostgreSQL for this platform. */
export const { hasPostgres } = engines;

const DELETE_ALL = TABLES.toReversed()
  .map((table) => `delete from ${table}`)
  .join(';');

/** The server of a test file. */
export interface TestPostgres {
  readonly engine: () => Engine;
  /** Creates an empty database and returns its address. */
  readonly newDatabase: () => Promise<string>;
  /** Deletes every row of a database that has the tables, always the same. */
  readonly empty: (url: string) => Promise<void>;
}

/** Starts a server for the tests of this file, and ends it after them. */
export function postgresForTests(): TestPostgres {
  let engine: Engine | undefined;
  /** A new connection for each test would take longer than the deletions. */
  let emptier: Client | undefined;
  beforeAll(async () => {
    engine = await engines.startPostgres();
  }, 30_000);
  afterAll(async () => {
    await emptier?.end();
    await engine?.close();
  });
  const started = (): Engine => {
    if (engine === undefined) throw new Error('the server of the tests has not started');
    return engine;
  };
  return {
    engine: started,
    async newDatabase() {
      const name = `t_${randomUUID().replaceAll('-', '')}`;
      // Copying the files takes a third of the time of logging their pages, which is the default.
      await execute(started().url, `create database ${name} strategy file_copy`);
      return started().url.replace(/[^/]+$/, name);
    },
    async empty(url) {
      emptier ??= await connected(url);
      await emptier.query(DELETE_ALL);
    },
  };
}

/** Executes statements on a connection of their own. */
export async function execute(url: string, statements: string): Promise<void> {
  const client = await connected(url);
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}

async function connected(url: string): Promise<Client> {
  const client = createClient({ url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the variables of a service that name the store and the queue of `npm run e2e`: PostgreSQL,
 * with a database for each folder, and a Redis, with a prefix for each folder, or the PostgreSQL
 * database of a service that has one. Default: none.
 */
export function engineVariables(
  folder: string,
  env: { readonly [name: string]: string | undefined },
): { readonly [name: string]: string } {
  const { E2E_REDIS_URL: url, E2E_QUEUE: queue } = process.env;
  const database = env['DATABASE_URL'] ?? databaseOf(folder);
  // A test with a Redis of its own chose its queue.
  const hasOwnRedis = 'REDIS_URL' in env;
  const hasQueue = queue !== undefined && database !== undefined && !hasOwnRedis;
  return {
    ...(database === undefined ? {} : { DATABASE_URL: database }),
    ...(url === undefined || hasOwnRedis
      ? {}
      : { REDIS_URL: url, SIGNALBOX_REDIS_PREFIX: basename(folder).slice(-64) }),
    ...(hasQueue ? { SIGNALBOX_QUEUE: queue } : {}),
  };
}

const PROGRAM = fileURLToPath(new URL('../../../peers/src/create-database.mjs', import.meta.url));

/** Returns the address of the folder's database, which is created if it is missing. Undefined: SQLite in the folder. */
export function databaseOf(folder: string): string | undefined {
  const { E2E_POSTGRES_URL: server } = process.env;
  if (server === undefined) return undefined;
  const name = `e_${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  return createDatabase(server, name);
}

/** Creates a database on a server of the tests unless it exists. Returns its address. */
export function createDatabase(server: string, name: string): string {
  const url = server.replace(/[^/]+$/, name);
  execFileSync(process.execPath, [PROGRAM, url]);
  return url;
}

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
  const { E2E_REDIS_URL: url, E2E_QUEUE: queue, E2E_POSTGRES_URL: server } = process.env;
  const database =
    env['DATABASE_URL'] ?? (server === undefined ? undefined : databaseOf(folder, server));
  return {
    ...(database === undefined ? {} : { DATABASE_URL: database }),
    ...(url === undefined
      ? {}
      : { REDIS_URL: url, SIGNALBOX_REDIS_PREFIX: basename(folder).slice(-64) }),
    ...(queue === undefined || database === undefined ? {} : { SIGNALBOX_QUEUE: queue }),
  };
}

const createDatabase = fileURLToPath(
  new URL('../../../peers/src/create-database.mjs', import.meta.url),
);

/** Returns the address of the folder's database, which is created at the first call. */
function databaseOf(folder: string, server: string): string {
  const name = `e_${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  const url = server.replace(/[^/]+$/, name);
  execFileSync(process.execPath, [createDatabase, url]);
  return url;
}

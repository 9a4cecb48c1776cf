import { createHash } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import { openStore } from '../open-store.ts';
import type { OpenedStore } from '../opened-store.ts';

/** Address of a PostgreSQL server on which the tests of the engine store their runs, if any. */
const SERVER = process.env['TEST_POSTGRES'];

/**
 * Whether the runs are in SQLite, which executes writes in the order of their calls, and whose file a
 * test can damage.
 */
export const IN_SQLITE = SERVER === undefined;

/** Opens the store of a worker on the database of a data directory, which is created if it is missing. */
export async function openTestStore(dataDir: string, clock: Clock): Promise<OpenedStore> {
  if (SERVER === undefined)
    return openStore({ dataDir, durability: 'process', clock, role: 'worker' });
  const name = `t_${createHash('sha256').update(dataDir).digest('hex').slice(0, 32)}`;
  const [{ openPostgresStore }, { createClient }] = await Promise.all([
    import('../postgres/open-postgres-store.ts'),
    import('../postgres/postgres-client.ts'),
  ]);
  const client = createClient({ url: SERVER });
  await client.connect();
  // Another process may create it at the same time.
  await client.query(`create database ${name}`).catch(() => undefined);
  await client.end();
  const url = SERVER.replace(/[^/]+$/, name);
  return openPostgresStore({ url, clock, role: 'worker', connections: 4 });
}

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type pg from 'pg';
import type { Clock } from '../../ports/clock.ts';
import type { WorkerRole } from '../../ports/store/worker.ts';
import { assembleStore } from '../assemble-store.ts';
import type { Migrations } from '../migrations/migrations.ts';
import type { OpenedStore } from '../opened-store.ts';
import { restoreLock } from './database-lock.ts';
import { DatabaseSession } from './database-session.ts';
import { describeDatabase } from '../../text/describe-database.ts';
import { openDatabase, unusable } from './open-database.ts';
import { createClient, createPool, type PostgresOptions } from './postgres-client.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { PostgresSignals } from './postgres-signals.ts';

export interface PostgresStoreOptions extends PostgresOptions {
  /** Default: the time of the database server. */
  readonly clock?: Clock;
  /**
   * Part of the service that this process runs. Default: `all`, which uses the database alone;
   * processes of the other roles share it.
   */
  readonly role?: WorkerRole;
  /** Migrations of a later version, for tests. */
  readonly furtherMigrations?: Migrations | undefined;
  /** Receives the message of each kind of statement that the server refuses, once. */
  readonly onRefused?: ((message: string) => void) | undefined;
}

/**
 * Opens a store on a PostgreSQL database. While others use it, a process makes additive migrations
 * only; processes that open it at the same time wait for each other.
 * @throws StoreError `locked`, `newer_database`, `unusable`
 */
export async function openPostgresStore({
  clock: ownClock,
  role = 'all',
  furtherMigrations,
  onRefused,
  ...options
}: PostgresStoreOptions): Promise<OpenedStore> {
  const sharing = role === 'all' ? 'alone' : 'shared';
  const name = describeDatabase(options.url);
  const { client, lock, schema, serverClock } = await openDatabase(options, {
    sharing,
    name,
    furtherMigrations,
  });
  const clock = ownClock ?? serverClock;
  const channel = `signalbox_${schema}`.slice(0, 63);
  let signals: PostgresSignals | undefined;
  const listen = (on: pg.Client): Promise<unknown> =>
    on.query(`listen ${on.escapeIdentifier(channel)}`);
  const session = new DatabaseSession(client, {
    create: () => createClient(options),
    async restore(restored) {
      if (!(await restoreLock(restored, sharing))) throw new Error('another process has the lock');
      if (signals !== undefined) await listen(restored);
    },
    check: (checked) => serverClock.measure(checked),
    onNotification: (payload) => signals?.receive(payload),
  });
  const database = new PostgresDatabase({ pool: createPool(options), name, onRefused });
  const close = async (): Promise<void> => {
    await session.close();
    await database.close();
  };
  try {
    return await assembleStore(
      {
        reader: database.rows,
        transaction: (locks, work, urgency) => database.transaction(locks, work, urgency),
        shareSignals(local) {
          signals ??= new PostgresSignals({
            local,
            sender: randomUUID(),
            notify: (payload) => session.tryQuery('select pg_notify($1, $2)', [channel, payload]),
          });
          void session.tryQuery(`listen ${client.escapeIdentifier(channel)}`, []);
          return signals;
        },
        // The files belong to the server.
        checkFiles: () => undefined,
        // Fails on a server that only reads.
        probe: ({ kysely }) => sql`update workers set pid = pid where false`.execute(kysely),
        opened: lock.opened,
        close,
      },
      { clock, role, isAlone: lock.isAlone },
    );
  } catch (error) {
    await close();
    throw unusable(error, name);
  }
}

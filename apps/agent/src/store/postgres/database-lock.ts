import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { LEASE_MS } from '../../ports/store/worker.ts';
import { StoreError } from '../store-error.ts';
import { codeOf, LOCK_TIMEOUT } from './postgres-errors.ts';

/** `alone`: one process uses the database; `shared`: several do, all of them `shared`. */
export type Sharing = 'alone' | 'shared';

/** Kind of the advisory locks of a database, beside those of its rows. */
const DATABASE_LOCKS = 0x5167_0002;

/** Time to wait for another process that opens the database and may migrate it. */
const MAX_OPENING = '60s';

/** Key of a lock: databases have their own locks, and the schemas of one database get different keys. */
const key = (name: string): string =>
  `${String(DATABASE_LOCKS)}, hashtext(current_schema() || '${name}')`;
const OPENING = key('opening');
const USE = key('use');

/**
 * Milliseconds after which a living process has its lock again, when it lost its connection. Longer
 * than the pauses of a `DatabaseSession`.
 */
export const RELOCK_MS = 3000;
const RELOCK_POLL_MS = 100;

/**
 * Whether a process that has not ended may be without its lock for the moment: the server was
 * restarted after its last heartbeat, or its lease is not over. With the role `all` a process sends no
 * heartbeats; its row has the time of its start.
 */
const MAY_LIVE = `exists (
  select 1 from workers where ended_at is null and (
    heartbeat_at < extract(epoch from pg_postmaster_start_time()) * 1000
    or (role <> 'all' and heartbeat_at > extract(epoch from clock_timestamp()) * 1000 - ${String(LEASE_MS)})
  )
)`;

export interface DatabaseLock {
  /** Whether no other process used the database when it was locked. */
  readonly isAlone: boolean;
  /** Lets other processes lock the database. Until then a `shared` lock keeps them waiting. */
  readonly opened: () => Promise<void>;
}

/**
 * Locks a database for this process, until the connection ends. Waits up to 3 seconds for processes
 * that may have lost their locks with their connections.
 * @throws StoreError `locked`, and errors of the connection
 */
export async function lockDatabase(
  client: pg.Client,
  sharing: Sharing,
  name: string,
): Promise<DatabaseLock> {
  await lockOpening(client, name);
  const isAlone = await lockAlone(client);
  if (sharing === 'shared') {
    if (!(await lockShared(client))) throw inUse(name);
    // No other process can lock in between, because this one holds the first lock.
    if (isAlone) await client.query(`select pg_advisory_unlock(${USE})`);
  } else if (!isAlone) throw inUse(name);
  return {
    isAlone,
    opened: async () => void (await client.query(`select pg_advisory_unlock(${OPENING})`)),
  };
}

/** Locks the database exclusively, unless another process uses it. Returns whether it did. */
async function lockAlone(client: pg.Client): Promise<boolean> {
  const tryLock = (): Promise<boolean> => isTrue(client, `pg_try_advisory_lock(${USE})`);
  let isLocked = await tryLock();
  if (!isLocked || !(await mayOthersLive(client))) return isLocked;
  const giveUpAt = performance.now() + RELOCK_MS;
  while (isLocked && performance.now() < giveUpAt) {
    await client.query(`select pg_advisory_unlock(${USE})`);
    await sleep(RELOCK_POLL_MS);
    isLocked = await tryLock();
  }
  return isLocked;
}

async function mayOthersLive(client: pg.Client): Promise<boolean> {
  const hasWorkers = await isTrue(
    client,
    `to_regclass(quote_ident(current_schema()) || '.workers') is not null`,
  );
  return hasWorkers && isTrue(client, MAY_LIVE);
}

/** Takes the lock again on a new connection. Returns whether no other process prevents it. */
export function restoreLock(client: pg.Client, sharing: Sharing): Promise<boolean> {
  return sharing === 'shared' ? lockShared(client) : isTrue(client, `pg_try_advisory_lock(${USE})`);
}

function lockShared(client: pg.Client): Promise<boolean> {
  return isTrue(client, `pg_try_advisory_lock_shared(${USE})`);
}

async function lockOpening(client: pg.Client, name: string): Promise<void> {
  try {
    await client.query(`set lock_timeout = '${MAX_OPENING}'`);
    await client.query(`set statement_timeout = 0`);
    await client.query(`select pg_advisory_lock(${OPENING})`);
  } catch (error) {
    if (codeOf(error) !== LOCK_TIMEOUT) throw error;
    throw new StoreError(
      'locked',
      `The database ${name} has been opened by another process for more than ${MAX_OPENING}. Wait until it is up to date, or stop that process.`,
    );
  }
}

async function isTrue(client: pg.Client, condition: string): Promise<boolean> {
  const { rows } = await client.query<{ is_true: unknown }>(`select ${condition} as is_true`);
  return rows[0]?.is_true === 1;
}

function inUse(name: string): StoreError {
  return new StoreError(
    'locked',
    `The database ${name} is in use by another process. Stop it, or choose another database. Only processes with --role api or --role worker share one.`,
  );
}

import { sql } from 'kysely';
import type { RunRow } from '../locked-run.ts';
import { RUN_COLUMNS } from '../columns.ts';
import type { Query } from '../rows.ts';

/**
 * Locks the thread of a run and then the run, so that all transactions take the locks in the same
 * order. Returns the run as it is under its lock.
 */
export const lockRun: Query<{ readonly id: string }, RunRow> = (db, { id }) =>
  db
    .selectFrom('runs')
    .select(RUN_COLUMNS)
    .where('id', '=', id)
    .where(
      sql<boolean>`(
        select count(*) from (
          select id from threads
          where id = (select thread_id from runs where id = ${id}) for no key update
        ) as thread
      ) >= 0`,
    )
    .forNoKeyUpdate();

export const lockThread: Query<{ readonly id: string }, unknown> = (db, { id }) =>
  db.selectFrom('threads').select('id').where('id', '=', id).forNoKeyUpdate();

/** Locks the threads $1, and those of the runs $2, that no other transaction has locked. */
export const LOCK_THREADS = `with wanted as (
    select unnest($1::text[]) as id union select thread_id from runs where id = any($2::text[])
  )
  select threads.id, locked.id is not null as "isLocked" from threads
  left join (
    select id from threads where id = any(array(select id from wanted)) order by id
    for no key update skip locked
  ) as locked on locked.id = threads.id
  where threads.id = any(array(select id from wanted))`;

/** Columns of a run in SQL. */
const COLUMNS = RUN_COLUMNS.map((name) =>
  name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`),
).join(', ');

/** Locks the runs $1 that no other transaction has locked, and returns these as they are under their locks. */
export const LOCK_RUNS = `select runs.id as wanted, runs.thread_id as thread, locked.* from runs
  left join (
    select ${COLUMNS} from runs where id = any($1::text[]) order by id
    for no key update skip locked
  ) as locked on locked.id = runs.id
  where runs.id = any($1::text[])`;

/** A thread that a transaction of several works wants to lock. */
export interface WantedThread {
  readonly id: string;
  /** 1: the transaction has the lock. 0: another transaction has it. */
  readonly isLocked: number;
}

/** A run that a transaction of several works wants to lock. All columns are null when another transaction has locked it. */
export type WantedRun = { readonly wanted: string; readonly thread: string | null } & (
  | RunRow
  | { readonly [Name in keyof RunRow]: null }
);

export function lockedRow({
  wanted: _wanted,
  thread: _thread,
  ...row
}: WantedRun): RunRow | undefined {
  return row.id === null ? undefined : row;
}

export function unlessErased(row: RunRow | undefined): RunRow | undefined {
  return (row?.status as string | undefined) === 'erased' ? undefined : row;
}

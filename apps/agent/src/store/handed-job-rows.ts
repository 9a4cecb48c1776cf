import type { Kysely } from 'kysely';
import type { Clock } from '../ports/clock.ts';
import { placeOf, subjectOf, type Job } from '../ports/job-queue.ts';
import type { HandedJob, HandedJobs } from '../ports/store/handed-jobs.ts';
import type { Rows } from './rows.ts';
import type { Database } from './database.ts';
import { ONE } from './read-queries.ts';

export interface HandedJobRowsOptions {
  readonly reader: Rows;
  /** Runs work in a transaction on the write connection. */
  readonly write: <T>(work: (writer: Rows) => Promise<T>) => Promise<T>;
  readonly clock: Clock;
}

/** Creates the store of jobs for workers. */
export function createHandedJobs({ reader, write, clock }: HandedJobRowsOptions): HandedJobs {
  return {
    hand: (job, priority = 'normal') =>
      write(async (writer) => {
        await writer.run(insertJob, {
          type: job.type,
          subject: subjectOf(job),
          priority,
          place: placeOf(job, priority),
          createdAt: clock.now(),
        });
      }),

    async take(limit) {
      // Most times there is none, and a read does not wait for other writes.
      if ((await reader.first(selectAny, {})) === undefined) return [];
      return write(async (writer) => {
        const select = writer.dialect === 'sqlite' ? selectJobs : selectFreeJobs;
        const rows = await writer.rows(select, { limit });
        for (const row of rows) await writer.run(deleteJob, row);
        return rows.map(({ type, subject, priority }): HandedJob => ({
          job: jobOf({ type, subject }),
          priority,
        }));
      });
    },
  };
}

type Db = Kysely<Database>;
type JobKey = Pick<Database['handedJobs'], 'type' | 'subject'>;

function jobOf({ type, subject }: JobKey): Job {
  return type === 'call-tool' ? { type, callId: subject } : { type, runId: subject };
}

const insertJob = (db: Db, row: Database['handedJobs']) =>
  db
    .insertInto('handedJobs')
    .values(row)
    .onConflict((conflict) => conflict.columns(['type', 'subject']).doNothing());

const selectAny = (db: Db) => db.selectFrom('handedJobs').select('type').limit(ONE);

const selectJobs = (db: Db, { limit }: { readonly limit: number }) =>
  db
    .selectFrom('handedJobs')
    .select(['type', 'subject', 'priority'])
    .orderBy('place')
    .orderBy('createdAt')
    .limit(limit);

/** The jobs that no other worker is about to take. */
const selectFreeJobs = (db: Db, values: { readonly limit: number }) =>
  selectJobs(db, values).forUpdate().skipLocked();

const deleteJob = (db: Db, { type, subject }: JobKey) =>
  db.deleteFrom('handedJobs').where('type', '=', type).where('subject', '=', subject);

import type { Kysely } from 'kysely';
import type { Clock } from '../ports/clock.ts';
import { placeOf, subjectOf, type Job } from '../ports/job-queue.ts';
import type { Priority } from '../ports/priority.ts';
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
  const rowOf = (job: Job, priority: Priority): Omit<Database['handedJobs'], 'workerId'> => ({
    type: job.type,
    subject: subjectOf(job),
    priority,
    place: placeOf(job, priority),
    createdAt: clock.now(),
  });
  return {
    hand: (job, priority = 'normal') =>
      write(async (writer) => {
        await writer.run(insertJob, { ...rowOf(job, priority), workerId: null });
      }),

    handTo: (workerId, job) =>
      write(async (writer) => {
        await writer.run(upsertJob, { ...rowOf(job, 'normal'), workerId });
      }),

    async take(limit, workerId) {
      // Most times there is none, and a read does not wait for other writes.
      if ((await reader.first(selectAny, { workerId })) === undefined) return [];
      return write(async (writer) => {
        const select = writer.dialect === 'sqlite' ? selectJobs : selectFreeJobs;
        const rows = await writer.rows(select, { limit, workerId });
        for (const row of rows) await writer.run(deleteJob, row);
        return rows.map(({ type, subject, priority, workerId: addressee }): HandedJob => ({
          job: jobOf({ type, subject }),
          priority,
          ...(addressee === workerId ? { isAddressed: true } : {}),
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

const upsertJob = (db: Db, row: Database['handedJobs']) =>
  db
    .insertInto('handedJobs')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['type', 'subject'])
        .doUpdateSet((values) => ({ workerId: values.ref('excluded.workerId') })),
    );

/** The jobs for any worker, for this one, and for those that have ended. */
const jobsFor = (db: Db, { workerId }: { readonly workerId: string }) =>
  db
    .selectFrom('handedJobs')
    .where((job) =>
      job.or([
        job('workerId', 'is', null),
        job('workerId', '=', workerId),
        job(
          'workerId',
          'not in',
          job.selectFrom('workers').select('workers.id').where('workers.endedAt', 'is', null),
        ),
      ]),
    );

const selectAny = (db: Db, values: { readonly workerId: string }) =>
  jobsFor(db, values).select('type').limit(ONE);

interface Taking {
  readonly limit: number;
  readonly workerId: string;
}

const selectJobs = (db: Db, { limit, workerId }: Taking) =>
  jobsFor(db, { workerId })
    .select(['type', 'subject', 'priority', 'workerId'])
    .orderBy('place')
    .orderBy('createdAt')
    .limit(limit);

/** The jobs that no other worker is about to take. */
const selectFreeJobs = (db: Db, values: Taking) => selectJobs(db, values).forUpdate().skipLocked();

const deleteJob = (db: Db, { type, subject }: JobKey) =>
  db.deleteFrom('handedJobs').where('type', '=', type).where('subject', '=', subject);

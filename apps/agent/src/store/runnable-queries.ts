import { sql, type AliasableExpression, type ExpressionBuilder, type Kysely } from 'kysely';
import { PATIENCE_MS } from '../ports/priority.ts';
import { SETTLED_STATUSES } from '../ports/store/run.ts';
import type { Database } from './database.ts';
import { ERASED } from './erased-runs.ts';
import { fromIndex } from './from-index.ts';
import { ONE } from './read-queries.ts';
import type { Rows } from './rows.ts';

interface Keys {
  keys: { apiKey: string | null };
}

type Db = Kysely<Database>;
type WithKeys = ExpressionBuilder<Database & Keys, 'keys'>;

const QUEUED = sql.lit<'queued'>('queued');

/** The runs, read from the index of the queued ones. SQLite would choose that of all statuses. */
const queuedRunsIn = (dialect: Rows['dialect']) => fromIndex(dialect, 'runs', 'queued_runs');

type QueuedRuns = ReturnType<typeof queuedRunsIn>;

/** Time at which the patience of a queued run ends: the expression of the index `queued_runs`. */
const patienceEnd = sql<number>`(${sql.ref('queued.createdAt')} + case ${sql.ref('queued.priority')}
  when 'high' then ${sql.lit(PATIENCE_MS.high)} when 'low' then ${sql.lit(PATIENCE_MS.low)}
  else ${sql.lit(PATIENCE_MS.normal)} end)`;

/** The API keys with queued runs. Reads one entry of the index for each, and `null` at the end. */
const withKeys = (db: Db, queuedRuns: QueuedRuns) =>
  db.withRecursive('keys(apiKey)', (keys) =>
    keys
      .selectNoFrom((none) =>
        none
          .selectFrom(queuedRuns)
          .select('runs.apiKey')
          .where('runs.status', '=', QUEUED)
          .orderBy('runs.apiKey')
          .limit(ONE)
          .as('apiKey'),
      )
      .unionAll(
        keys
          .selectFrom('keys')
          .select((key) =>
            key
              .selectFrom(queuedRuns)
              .select('runs.apiKey')
              .where('runs.status', '=', QUEUED)
              .whereRef('runs.apiKey', '>', 'keys.apiKey')
              .orderBy('runs.apiKey')
              .limit(ONE)
              .as('apiKey'),
          )
          .where('keys.apiKey', 'is not', null),
      ),
  );

/** The first runs of a key that no earlier run of their thread precedes. */
const firstOfKey = (key: WithKeys, perKey: number) =>
  key
    .selectFrom('runs as queued')
    .where('queued.status', '=', QUEUED)
    .whereRef('queued.apiKey', '=', 'keys.apiKey')
    .where((run) =>
      run.or([
        run('queued.threadId', 'is', null),
        run(
          // The last run before it, not any, which SQLite would look for among all settled runs first.
          run
            .selectFrom('runs as earlier')
            .select('earlier.id')
            .whereRef('earlier.threadId', '=', 'queued.threadId')
            .whereRef('earlier.threadPosition', '<', 'queued.threadPosition')
            .where('earlier.status', 'not in', [...SETTLED_STATUSES, ERASED])
            .orderBy('earlier.threadPosition', 'desc')
            .limit(ONE),
          'is',
          null,
        ),
      ]),
    )
    .orderBy(patienceEnd)
    .orderBy('queued.createdAt')
    .orderBy('queued.id')
    .limit(perKey);

const COLUMNS = ['queued.id', 'queued.apiKey', 'queued.createdAt'] as const;

/** Queued runs that may begin, the first of each API key first, in SQLite. */
export const selectRunnable = (db: Db, { perKey }: { readonly perKey: number }) =>
  inTurns(
    db,
    withKeys(db, queuedRunsIn('sqlite'))
      .selectFrom('keys')
      .innerJoin('runs as queued', (join) =>
        join.on((key) =>
          key(
            'queued.id',
            'in',
            firstOfKey(key as unknown as WithKeys, perKey).select('queued.id'),
          ),
        ),
      )
      .select([...COLUMNS, patienceEnd.as('patienceEnd')]),
  );

/** Queued runs that may begin, the first of each API key first, in PostgreSQL. */
export const selectRunnableLateral = (db: Db, { perKey }: { readonly perKey: number }) =>
  inTurns(
    db,
    withKeys(db, queuedRunsIn('postgres'))
      .selectFrom('keys')
      .innerJoinLateral(
        (key) =>
          firstOfKey(key, perKey)
            .select([...COLUMNS, 'queued.priority'])
            .as('queued'),
        (join) => join.onTrue(),
      )
      .select([...COLUMNS, patienceEnd.as('patienceEnd')]),
  );

/** Orders the first runs of the keys: first come the first runs of all keys, by the last start of a run of the key. */
const inTurns = (
  db: Db,
  candidates: AliasableExpression<{
    id: string;
    apiKey: string;
    createdAt: number;
    patienceEnd: number;
  }>,
) =>
  db
    .selectFrom(candidates.as('runnable'))
    .select(['id', 'apiKey'])
    .select((run) =>
      run
        .selectFrom('runs as started')
        .select('started.startedAt')
        .whereRef('started.apiKey', '=', 'runnable.apiKey')
        .where('started.startedAt', 'is not', null)
        // SQLite reads one entry of the index for it, and all of them for a maximum.
        .orderBy('started.startedAt', 'desc')
        .limit(ONE)
        .as('lastStartAt'),
    )
    .orderBy((run) =>
      run.fn
        .agg<number>('row_number')
        .over((rows) =>
          rows.partitionBy('apiKey').orderBy('patienceEnd').orderBy('createdAt').orderBy('id'),
        ),
    )
    .orderBy('lastStartAt', (start) => start.asc().nullsFirst())
    .orderBy('patienceEnd')
    .orderBy('createdAt')
    .orderBy('id');

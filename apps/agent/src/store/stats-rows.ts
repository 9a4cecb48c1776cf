import { sql, type Kysely } from 'kysely';
import type {
  FiguresOptions,
  LatencyOptions,
  StatsReader,
  WorkerLoad,
} from '../ports/store/stats.ts';
import { SENT_CALL_STATES } from '../ports/store/tool-call.ts';
import { runCodec, type Database } from './database.ts';
import { ERASED } from './erased-runs.ts';
import { ACTIVE } from './read-queries.ts';
import type { Rows } from './rows.ts';

type Db = Kysely<Database>;

const FIGURES = [
  'id',
  'kind',
  'status',
  'provider',
  'model',
  'turns',
  'toolCalls',
  'usage',
  'error',
  'waitedMs',
  'createdAt',
  'startedAt',
  'finishedAt',
] as const;

function selectFigures(db: Db, { from, to, kind, before, limit }: FiguresOptions) {
  let query = db
    .selectFrom('runs')
    .select(FIGURES)
    .where('createdAt', '>=', from)
    .where('status', '!=', ERASED)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (before === undefined) return query.where('createdAt', '<', to);
  // SQLite finds the place in the index by the first condition only.
  return query
    .where('createdAt', '<=', before.createdAt)
    .where((where) =>
      where(where.refTuple('createdAt', 'id'), '<', where.tuple(before.createdAt, before.id)),
    );
}

type LatencyPage = Omit<LatencyOptions, 'of'>;

const selectTurnLatencies = (db: Db, { from, to, before, limit }: LatencyPage) => {
  const query = db
    .selectFrom('turns')
    .select(['messageId as id', 'startedAt', 'endedAt'])
    .where('status', '=', sql.lit('completed'))
    .where('startedAt', '>=', from)
    .orderBy('startedAt', 'desc')
    .orderBy('messageId', 'desc')
    .limit(limit)
    .$narrowType<{ endedAt: number }>();
  if (before === undefined) return query.where('startedAt', '<', to);
  return query
    .where('startedAt', '<=', before.startedAt)
    .where((where) =>
      where(
        where.refTuple('startedAt', 'messageId'),
        '<',
        where.tuple(before.startedAt, before.id),
      ),
    );
};

const selectCallLatencies = (db: Db, { from, to, kind, before, limit }: LatencyPage) => {
  let query = db
    .selectFrom('toolCalls')
    .select(['toolCalls.id', 'sentAt as startedAt', 'toolCalls.finishedAt as endedAt'])
    .where('sentAt', 'is not', null)
    .where('toolCalls.finishedAt', 'is not', null)
    .where('state', 'in', ['succeeded', 'failed'])
    .where('sentAt', '>=', from)
    .orderBy('sentAt', 'desc')
    .orderBy('toolCalls.id', 'desc')
    .limit(limit)
    .$narrowType<{ startedAt: number; endedAt: number }>();
  if (kind !== undefined)
    query = query.innerJoin('runs', 'runs.id', 'toolCalls.runId').where('runs.kind', '=', kind);
  if (before === undefined) return query.where('sentAt', '<', to);
  return query
    .where('sentAt', '<=', before.startedAt)
    .where((where) =>
      where(
        where.refTuple('sentAt', 'toolCalls.id'),
        '<',
        where.tuple(before.startedAt, before.id),
      ),
    );
};

const countActiveTurns = (db: Db) =>
  db
    .selectFrom('turns')
    .select(['owner', sql<number>`count(*)`.as('count')])
    .where('status', '=', ACTIVE)
    .groupBy('owner');

const countSentCalls = (db: Db) =>
  db
    .selectFrom('toolCalls')
    .select(['owner', sql<number>`count(*)`.as('count')])
    .where('state', 'in', SENT_CALL_STATES)
    .where('finishedAt', 'is', null)
    .where('owner', 'is not', null)
    .groupBy('owner')
    .$narrowType<{ owner: string }>();

/** Creates the reads of statistics. */
export function createStatsReader(connection: Rows): StatsReader {
  return {
    async runFigures(options) {
      const rows = await selectFigures(connection.kysely, options).execute();
      return rows.map((row) => runCodec.decode(row));
    },

    async latencies({ of, ...page }) {
      return connection.rows(of === 'turns' ? selectTurnLatencies : selectCallLatencies, page);
    },

    async workerLoads() {
      const loads = new Map<string, WorkerLoad>();
      const add = (owner: string, counts: Partial<WorkerLoad>): void => {
        loads.set(owner, { modelCalls: 0, toolCalls: 0, ...loads.get(owner), ...counts });
      };
      for (const { owner, count } of await connection.rows(countActiveTurns, {}))
        add(owner, { modelCalls: count });
      for (const { owner, count } of await connection.rows(countSentCalls, {}))
        add(owner, { toolCalls: count });
      return loads;
    },
  };
}

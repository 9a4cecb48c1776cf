import { sql, type ExpressionBuilder, type Kysely } from 'kysely';
import type { CallRateReader, CallRateWriter, RatedCall } from '../ports/store/call-rate.ts';
import type { Database } from './database.ts';
import { ONE } from './read-queries.ts';
import type { Rows } from './rows.ts';

type Db = Kysely<Database>;

/** Creates the reads of the calls that wait for the rate limits of servers. */
export function createCallRateReader(connection: Rows): CallRateReader {
  return {
    async callsInLine(runId) {
      return connection.rows(selectCallsInLine, { runId });
    },

    async rateLines() {
      return connection.rows(selectRateLines, {});
    },
  };
}

/** Creates the counts of calls for the rate limits of servers. */
export function createCallRateWriter(connection: Rows): CallRateWriter {
  return {
    async lockCallRate(server) {
      await connection.lock(`call rate ${server}`);
    },

    async joinCallLine({ server, callId, attempt }, at) {
      const row = { server, callId, attempt, arrivedAt: at };
      return (await connection.run(insertRatedCall, row)) > 0;
    },

    async callsAhead({ server, callId, attempt }, limit) {
      const rows = await connection.rows(selectAhead, { server, callId, attempt, limit });
      return rows.length;
    },

    async nthLatestCall(server, { nth, since }) {
      const offset = nth - 1;
      const row = await connection.first(selectNthLatest, { server, offset, since });
      return row?.sentAt ?? undefined;
    },

    async leaveCallLine({ server, callId, attempt }, { sentAt, forgetUntil }) {
      await connection.send(updateSent, { callId, attempt, sentAt });
      await connection.send(deleteOld, { server, forgetUntil });
    },
  };
}

const insertRatedCall = (db: Db, row: RatedCall & { readonly arrivedAt: number }) =>
  db
    .insertInto('ratedCalls')
    .values({ ...row, sentAt: null })
    .onConflict((conflict) => conflict.doNothing());

/** The planned call of an attempt, if it may still be sent. */
const planned = (rated: ExpressionBuilder<Database, 'ratedCalls'>) =>
  rated
    .selectFrom('toolCalls')
    .innerJoin('runs', 'runs.id', 'toolCalls.runId')
    .select('toolCalls.id')
    .whereRef('toolCalls.id', '=', 'ratedCalls.callId')
    .whereRef('toolCalls.attempt', '=', 'ratedCalls.attempt')
    .where('toolCalls.state', '=', sql.lit('planned'))
    .where('runs.status', 'in', ['running', 'input_required']);

/** The attempts in line that may still be sent. */
const inLine = (db: Db) =>
  db
    .selectFrom('ratedCalls')
    .innerJoin('toolCalls', (join) =>
      join
        .onRef('toolCalls.id', '=', 'ratedCalls.callId')
        .onRef('toolCalls.attempt', '=', 'ratedCalls.attempt'),
    )
    .innerJoin('runs', 'runs.id', 'toolCalls.runId')
    .where('ratedCalls.sentAt', 'is', null)
    .where('toolCalls.state', '=', sql.lit('planned'))
    .where('runs.status', 'in', ['running', 'input_required']);

/** Time at which the turn of an attempt in line is expected. */
const dueAt = sql<number>`coalesce(tool_calls.due_at, rated_calls.arrived_at)`;

const selectCallsInLine = (db: Db, { runId }: { readonly runId: string }) =>
  inLine(db)
    .select(['ratedCalls.callId', 'ratedCalls.server', 'ratedCalls.arrivedAt as since'])
    .select(dueAt.as('dueAt'))
    .where('toolCalls.runId', '=', runId);

const selectRateLines = (db: Db) =>
  inLine(db)
    .select(({ fn }) => [
      'ratedCalls.server',
      fn.countAll<number>().as('calls'),
      fn.min<number>(dueAt).as('nextAt'),
    ])
    .groupBy('ratedCalls.server');

const selectAhead = (
  db: Db,
  { server, callId, attempt, limit }: RatedCall & { readonly limit: number },
) =>
  db
    .selectFrom('ratedCalls')
    .select('ratedCalls.callId')
    .where('ratedCalls.server', '=', server)
    .where('ratedCalls.sentAt', 'is', null)
    .where((rated) =>
      rated(
        rated.refTuple('ratedCalls.arrivedAt', 'ratedCalls.callId'),
        '<',
        rated
          .selectFrom('ratedCalls as own')
          .select(['own.arrivedAt', 'own.callId'])
          .where('own.callId', '=', callId)
          .where('own.attempt', '=', attempt)
          .$asTuple('arrivedAt', 'callId'),
      ),
    )
    .where((rated) => rated.exists(planned(rated)))
    .limit(limit);

const selectNthLatest = (
  db: Db,
  {
    server,
    offset,
    since,
  }: { readonly server: string; readonly offset: number; readonly since: number },
) =>
  db
    .selectFrom('ratedCalls')
    .select('sentAt')
    .where('server', '=', server)
    .where('sentAt', '>', since)
    .orderBy('sentAt', 'desc')
    .limit(ONE)
    .offset(offset);

const updateSent = (
  db: Db,
  { callId, attempt, sentAt }: Omit<RatedCall, 'server'> & { readonly sentAt: number },
) =>
  db
    .updateTable('ratedCalls')
    .set({ sentAt })
    .where('callId', '=', callId)
    .where('attempt', '=', attempt);

const deleteOld = (
  db: Db,
  { server, forgetUntil }: { readonly server: string; readonly forgetUntil: number },
) =>
  db
    .deleteFrom('ratedCalls')
    .where('server', '=', server)
    .where((rated) =>
      rated.or([
        rated('sentAt', '<=', forgetUntil),
        rated.and([rated('sentAt', 'is', null), rated.not(rated.exists(planned(rated)))]),
      ]),
    );

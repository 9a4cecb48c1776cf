import { sql, type Kysely } from 'kysely';
import type { Database } from './database.ts';
import { ERASED } from './erased-runs.ts';

type Db = Kysely<Database>;

/** Counts the agent runs of an API key that are in progress. */
export const countInProgress = (db: Db, { apiKey }: { readonly apiKey: string }) =>
  db
    .selectFrom('runs')
    .select((run) => run.fn.countAll<number>().as('runs'))
    .where('status', 'in', ['running', 'cancelling'])
    .where('kind', '=', sql.lit('agent'))
    .where('apiKey', '=', apiKey);

/** Creation times of the latest runs of an API key. */
export const selectLatestOfKey = (
  db: Db,
  { apiKey, nth, since }: { readonly apiKey: string; readonly nth: number; readonly since: number },
) =>
  db
    .selectFrom('runs')
    .select('createdAt')
    .where('createdAt', '>', since)
    .where('apiKey', '=', apiKey)
    .where('status', '!=', ERASED)
    .orderBy('createdAt', 'desc')
    .limit(nth);

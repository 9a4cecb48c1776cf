import { sql, type Kysely } from 'kysely';
import type { AdmissionFilter, RunWriter } from '../ports/store/run.ts';
import type { Database } from './database.ts';
import { countRuns } from './read-queries.ts';
import type { Rows } from './rows.ts';

/** Creates the count of runs for admission limits. */
export function createAdmissionWriter(connection: Rows): Pick<RunWriter, 'countRunsToAdmit'> {
  const count = async ({ status, kind }: AdmissionFilter): Promise<number> =>
    (await connection.first(countRuns, { status, kind }))?.runs ?? 0;
  // SQLite runs one write transaction at a time.
  if (connection.dialect === 'sqlite') return { countRunsToAdmit: count };

  /** Constant for a connection: the server reads the setting only when it starts. */
  let maxTransactions: number | undefined;
  /** Whether the last count of a kind of runs was near its limit. */
  const wasNear = new Map<string, boolean>();

  /**
   * Far from the limit, transactions share the lock and do not wait: there are fewer of them than
   * the server has connections, and each admits one run, so all fit below the limit. Near it, a
   * transaction holds the lock exclusively, so no counted run is uncommitted.
   */
  return {
    async countRunsToAdmit(filter, limit) {
      connection.alone();
      maxTransactions ??= (await connection.first(selectMaxConnections, {}))?.connections ?? 0;
      const name = `admit ${filter.status} ${filter.kind ?? ''}`;
      const isNear = (runs: number): boolean => runs + (maxTransactions ?? 0) > limit;
      const mode = (wasNear.get(name) ?? true) ? 'exclusive' : 'shared';
      await connection.lock(name, mode);
      let runs = await count(filter);
      if (mode === 'shared' && isNear(runs)) {
        // Two transactions that do this together are a deadlock, of which one is run again.
        await connection.lock(name, 'exclusive');
        runs = await count(filter);
      }
      wasNear.set(name, isNear(runs));
      return runs;
    },
  };
}

const selectMaxConnections = (db: Kysely<Database>) =>
  db.selectNoFrom(sql<number>`current_setting('max_connections')::bigint`.as('connections'));

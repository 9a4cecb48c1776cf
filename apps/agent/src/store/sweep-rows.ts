import type { SweepReader } from '../ports/store/sweep.ts';
import type { Rows } from './rows.ts';
import { selectRunnable, selectRunnableLateral } from './runnable-queries.ts';
import {
  selectIdleRuns,
  selectInboxDeadlines,
  selectRetries,
  selectRunDeadlines,
  selectUnownedCalls,
} from './sweep-queries.ts';

/** Creates the reads of the regular sweep. */
export function createSweepReader(connection: Rows): SweepReader {
  const ids = (rows: readonly { readonly id: string }[]): readonly string[] =>
    rows.map(({ id }) => id);
  return {
    retries: async ({ until, after, limit }) =>
      connection.rows(selectRetries, { until, after, limit }),
    runDeadlines: async (options) => connection.rows(selectRunDeadlines, options),
    inboxDeadlines: async (options) => connection.rows(selectInboxDeadlines, options),
    async runnableRuns({ perKey }) {
      const select = connection.dialect === 'sqlite' ? selectRunnable : selectRunnableLateral;
      const rows = await connection.rows(select, { perKey });
      return rows.map(({ id, apiKey, lastStartAt }) => ({
        id,
        apiKey,
        lastStartAt: lastStartAt ?? undefined,
      }));
    },
    idleRuns: async (options) => ids(await connection.rows(selectIdleRuns, options)),
    unownedCalls: async (options) => ids(await connection.rows(selectUnownedCalls, options)),
  };
}

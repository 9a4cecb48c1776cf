import type { SweepReader } from '../ports/store/sweep.ts';
import type { Rows } from './rows.ts';
import { selectRunnable, selectRunnableLateral } from './runnable-queries.ts';
import {
  selectIdleRuns,
  selectInboxDeadlines,
  selectRetries,
  selectRunDeadlines,
  selectUnownedCalls,
  selectUnownedCallsBeside,
} from './sweep-queries.ts';

/** Creates the reads of the regular sweep. */
export function createSweepReader(connection: Rows): SweepReader {
  const ids = (rows: readonly { readonly id: string }[]): readonly string[] =>
    rows.map(({ id }) => id);
  return {
    retries: async ({ until, after, limit }) =>
      connection.rows(selectRetries, { until, after, limit }),
    runDeadlines: async (options) => connection.rows(selectRunDeadlines, options),
    inboxDeadlines: async (options) =>
      connection.rows(selectInboxDeadlines[connection.dialect], options),
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
    // One query for both parts would read the calls of earlier pages again, since SQLite does not
    // compare a tuple with an index of an expression.
    async unownedCalls({ now, after, limit }) {
      const beside =
        // The clock may have been set back since the earlier page.
        after === undefined || after.dueAt > now
          ? []
          : await connection.rows(selectUnownedCallsBeside, { after, limit });
      if (beside.length === limit) return beside;
      const later = await connection.rows(selectUnownedCalls, {
        after: after?.dueAt ?? -1,
        now,
        limit: limit - beside.length,
      });
      return [...beside, ...later];
    },
  };
}

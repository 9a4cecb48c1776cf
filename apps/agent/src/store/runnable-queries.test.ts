import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openStore } from './open-store.ts';
import { databaseFolder, provideMigratedDatabase } from './testing/migrated-database.ts';

test('the next run is chosen from an index that has the queued runs of each key in their order', async () => {
  const dataDir = join(databaseFolder(), 'data');
  await provideMigratedDatabase(dataDir);
  const store = await openStore({
    dataDir,
    durability: 'process',
    clock: { now: () => 5, after: () => () => undefined },
  });
  const prepared = vi.spyOn(Sqlite.prototype, 'prepare');
  onTestFinished(() => prepared.mockRestore());
  await store.read.runnableRuns({ perKey: 1 });
  const query = prepared.mock.lastCall?.[0] ?? '';
  await store.close();
  const database = new Sqlite(join(dataDir, 'signalbox.sqlite'));
  const planOf = (sql: string): readonly string[] =>
    database
      .prepare<unknown[], { readonly detail: string }>(`explain query plan ${sql}`)
      .all([...sql.matchAll(/\?/g)].map(() => 1))
      .map(({ detail }) => detail);
  /** Reads of queued runs and sorts, without those of the runs that were read. */
  const reads = (plan: readonly string[]): readonly string[] =>
    plan
      .slice(
        0,
        plan.findIndex((step) => step.startsWith('SCAN (subquery')),
      )
      .filter((step) => /queued_runs|runs_by_status|ORDER BY/.test(step));
  const expected = [
    // One entry, for the first key.
    'SCAN runs USING COVERING INDEX queued_runs',
    'SEARCH runs USING COVERING INDEX queued_runs (api_key>?)',
    'SEARCH queued USING INDEX queued_runs (api_key=?)',
    // The first runs of all keys.
    'USE TEMP B-TREE FOR ORDER BY',
  ];
  expect(reads(planOf(query))).toEqual(expected);
  // Control: with another patience the runs of a key are sorted.
  expect(reads(planOf(query.replaceAll('3600000', '3600001')))).not.toEqual(expected);
  database.close();
});

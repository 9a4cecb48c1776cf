import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Store } from '../ports/store.ts';
import { openStore } from './open-store.ts';
import { databaseFolder, provideMigratedDatabase } from './testing/migrated-database.ts';

type Read = (store: Store) => Promise<unknown>;

/** Returns a database, and the statements that the store prepares there for reads. */
async function statementsOf(
  ...reads: readonly Read[]
): Promise<{ readonly database: Sqlite.Database; readonly statements: readonly string[] }> {
  const dataDir = join(databaseFolder(), 'data');
  await provideMigratedDatabase(dataDir);
  const store = await openStore({
    dataDir,
    durability: 'process',
    clock: { now: () => 5, after: () => () => undefined },
  });
  const prepared = vi.spyOn(Sqlite.prototype, 'prepare');
  for (const each of reads) await each(store);
  const statements = prepared.mock.calls.map(([statement]) => statement);
  prepared.mockRestore();
  await store.close();
  const database = new Sqlite(join(dataDir, 'signalbox.sqlite'));
  onTestFinished(() => void database.close());
  return { database, statements };
}

/** Returns the steps of a statement that read rows of a run or sort. */
function planOf(database: Sqlite.Database, statement: string): readonly string[] {
  const values = [...statement.matchAll(/\?/gu)].map(() => 1);
  return database
    .prepare<unknown[], { readonly detail: string }>(`explain query plan ${statement}`)
    .all(...values)
    .map(({ detail }) => detail)
    .filter((step) =>
      /^(?:SCAN|SEARCH) (?:turns|tool_calls|inbox_items|runs)\b|SORT|BY$/u.test(step),
    );
}

async function plansOf(read: Read): Promise<readonly (readonly string[])[]> {
  const { database, statements } = await statementsOf(read);
  return statements.map((statement) => planOf(database, statement));
}

const RUN_BY_ID = 'SEARCH runs USING INDEX sqlite_autoindex_runs_1 (id=?)';

describe('the sweep reads from an index of the rows that are due, in their order', () => {
  test.each<[string, Read, readonly (readonly string[])[]]>([
    [
      'the retries',
      ({ read }) => read.retries({ until: 1, limit: 9 }),
      [['SEARCH runs USING COVERING INDEX runs_by_retry (retry_at<?)']],
    ],
    [
      'the next page of retries',
      ({ read }) => read.retries({ until: 1, limit: 9, after: { runId: 'r', retryAt: 1 } }),
      [['SEARCH runs USING COVERING INDEX runs_by_retry ((retry_at,id)>(?,?) AND retry_at<?)']],
    ],
    [
      'the wall clocks',
      ({ read }) => read.runDeadlines({ until: 1, limit: 9 }),
      [['SEARCH runs USING INDEX runs_by_deadline (deadline_at<?)']],
    ],
    [
      'the items that expire',
      ({ read }) => read.inboxDeadlines({ until: 1, limit: 9 }),
      [['SEARCH inbox_items USING INDEX open_inbox_by_expiry (expires_at<?)']],
    ],
    [
      'the unowned calls',
      ({ read }) => read.unownedCalls({ now: 1, limit: 9 }),
      [
        [
          'SEARCH tool_calls USING INDEX calls_by_owner (owner=? AND <expr>>? AND <expr><?)',
          RUN_BY_ID,
        ],
      ],
    ],
    [
      'the next page of unowned calls',
      ({ read }) => read.unownedCalls({ now: 1, limit: 9, after: { id: 'c', dueAt: 1 } }),
      [
        ['SEARCH tool_calls USING INDEX calls_by_owner (owner=? AND <expr>=? AND id>?)', RUN_BY_ID],
        [
          'SEARCH tool_calls USING INDEX calls_by_owner (owner=? AND <expr>>? AND <expr><?)',
          RUN_BY_ID,
        ],
      ],
    ],
    [
      'what ended workers own',
      ({ read }) => read.orphanedRuns({ limit: 9 }),
      [
        [
          'SCAN turns USING INDEX active_turn_of_run',
          'SEARCH tool_calls USING INDEX calls_by_owner (owner>?)',
          // Sorts only what was found, to name each run once.
          'USE TEMP B-TREE FOR ORDER BY',
          'SEARCH inbox_items USING INDEX held_inbox_items (owner>?)',
          'USE TEMP B-TREE FOR ORDER BY',
          RUN_BY_ID,
        ],
      ],
    ],
    [
      'what this worker owns',
      ({ read }) => read.ownedWork('w'),
      [
        ['SCAN turns USING INDEX active_turn_of_run', RUN_BY_ID],
        ['SEARCH tool_calls USING INDEX calls_by_owner (owner=?)', RUN_BY_ID],
      ],
    ],
    [
      'the idle runs',
      ({ read }) => read.idleRuns({ limit: 9 }),
      [
        [
          'SEARCH runs USING INDEX runs_by_status (status=?)',
          'SEARCH turns USING INDEX active_turn_of_run (run_id=?)',
          'SEARCH tool_calls USING INDEX open_tool_calls (run_id=? AND state=?)',
          'SEARCH inbox_items USING COVERING INDEX inbox_by_run (run_id=? AND state=?)',
        ],
      ],
    ],
  ])('%s', async (_, read, plans) => {
    expect(await plansOf(read)).toEqual(plans);
  });

  test('control: without their index the calls are searched for in every waiting run', async () => {
    const { database, statements } = await statementsOf(({ read }) =>
      read.unownedCalls({ now: 1, limit: 9 }),
    );
    database.exec('drop index calls_by_owner');
    expect(planOf(database, statements[0] ?? '')[0]).toMatch(/^SEARCH runs .*runs_by_status/u);
  });

  test('control: without the hints SQLite reads every open item', async () => {
    const { database, statements } = await statementsOf(
      ({ read }) => read.inboxDeadlines({ until: 1, limit: 9 }),
      ({ read }) => read.orphanedRuns({ limit: 9 }),
    );
    for (const statement of statements)
      expect(planOf(database, statement.replace(/indexed by "\w+"/u, ''))).toContain(
        'SEARCH inbox_items USING INDEX inbox_by_state (state=?)',
      );
  });
});

describe('the inbox reads from an index, in its order', () => {
  test.each<[string, Read, string]>([
    [
      'the open items of a run',
      ({ read }) => read.inboxItems({ runId: 'r', state: 'open' }),
      'SEARCH inbox_items USING INDEX inbox_by_run (run_id=? AND state=?)',
    ],
    [
      'the items of a run in some states',
      (store) =>
        store.write({}, (sql) => sql.inboxEntries({ runId: 'r', states: ['open', 'answered'] })),
      'SEARCH inbox_items USING INDEX inbox_by_run (run_id=? AND state=?)',
    ],
    [
      'a page of the items of a run',
      ({ read }) => read.inbox({ runId: 'r', state: 'open', limit: 9 }),
      'SEARCH inbox_items USING INDEX inbox_by_run (run_id=? AND state=?)',
    ],
    [
      'a page of the open items',
      ({ read }) => read.inbox({ state: 'open', limit: 9 }),
      'SEARCH inbox_items USING INDEX inbox_by_state (state=?)',
    ],
    [
      'a page of all items',
      ({ read }) => read.inbox({ limit: 9 }),
      'SCAN inbox_items USING INDEX inbox_by_time',
    ],
  ])('%s', async (_, read, step) => {
    expect(await plansOf(read)).toEqual([[step]]);
  });
});

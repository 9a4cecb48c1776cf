import { CamelCasePlugin, Kysely, PostgresDialect, type CompiledQuery } from 'kysely';
import type { Client } from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../database.ts';
import {
  selectInboxDeadlines,
  selectUnownedCalls,
  selectUnownedCallsBeside,
} from '../sweep-queries.ts';
import { selectOrphanedRuns } from '../worker-rows.ts';
import { openPostgresStore } from './open-postgres-store.ts';
import { createClient } from './postgres-client.ts';
import { execute, hasPostgres, postgresForTests } from './testing/postgres.ts';

type Build = (db: Kysely<Database>) => { compile(): CompiledQuery };

/** Runs that wait for an approval, each with its call and its inbox item. */
const WAITING_RUNS = `
  insert into runs (id, status, prompt, provider, model, scripted, limits, last_seq, turns, tool_calls, waited_ms, created_at)
    select 'r' || n, 'input_required', 'go', 'p', 'm', 0, '{}', 0, 1, 1, 0, n from generate_series(1, 5000) n;
  insert into tool_calls (id, run_id, turn, position, tool_use_id, wire_name, server, tool, arguments, state, attempt, idempotency_key, repeatable, created_at)
    select 'c' || n, 'r' || n, 1, 0, 't', 'a__b', 'a', 'b', '{}', 'awaiting_approval', 0, 'k', 0, n from generate_series(1, 5000) n;
  insert into inbox_items (id, run_id, call_id, kind, state, request, created_at, expires_at)
    select 'i' || n, 'r' || n, 'c' || n, 'tool_approval', 'open', '{}', n, n + 1000 from generate_series(1, 5000) n;
  insert into turns (message_id, run_id, turn, owner, status, started_at, ended_at)
    select 'm' || n, 'r' || n, 1, 'w', 'completed', n, n from generate_series(1, 5000) n;
  analyze`;

describe.skipIf(!hasPostgres)('with many waiting runs PostgreSQL finds by an index', () => {
  const postgres = postgresForTests();
  let url = '';
  beforeAll(async () => {
    url = await postgres.newDatabase();
    const clock = { now: () => 5, after: () => () => undefined };
    await (await openPostgresStore({ url, clock, connections: 1 })).close();
    await execute(url, WAITING_RUNS);
  }, 30_000);

  async function connect(): Promise<Client> {
    const client = createClient({ url });
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }

  /** Returns the plan of a query for any values, as of a statement that was executed several times. */
  async function planOf(client: Client, build: Build): Promise<string> {
    const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('not used')) });
    const db = new Kysely<Database>({ dialect, plugins: [new CamelCasePlugin()] });
    const { sql, parameters } = build(db).compile();
    const values = parameters.map((value) => `'${String(value)}'`).join(', ');
    await client.query(`set plan_cache_mode = force_generic_plan; prepare sweep as ${sql}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain (costs off) execute sweep (${values})`,
    );
    await client.query('deallocate sweep');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  }

  test.each<[string, Build, readonly string[]]>([
    [
      'the unowned calls',
      (db) => selectUnownedCalls(db, { after: -1, now: 5, limit: 200 }),
      ['Index Scan using calls_by_owner on tool_calls'],
    ],
    [
      'the next page of unowned calls',
      (db) => selectUnownedCallsBeside(db, { after: { id: 'c', dueAt: 0 }, limit: 200 }),
      ['Index Scan using calls_by_owner on tool_calls'],
    ],
    [
      'the items that expire',
      (db) => selectInboxDeadlines.postgres(db, { until: 5, limit: 200 }),
      ['Index Scan using open_inbox_by_expiry on inbox_items'],
    ],
    [
      'what ended workers own',
      (db) => selectOrphanedRuns.postgres(db, { limit: 200 }),
      [
        'Scan using active_turn_of_run on turns',
        'Scan using calls_by_owner on tool_calls',
        'Scan using held_inbox_items on inbox_items',
      ],
    ],
  ])('%s', async (_, build, steps) => {
    const client = await connect();
    const plan = await planOf(client, build);
    for (const step of steps) expect(plan).toContain(step);
  });

  test('control: without their index the calls are not found by their owner', async () => {
    const client = await connect();
    await client.query('begin; drop index calls_by_owner');
    const plan = await planOf(client, (db) =>
      selectUnownedCalls(db, { after: -1, now: 5, limit: 200 }),
    );
    expect(plan).not.toContain('Index Cond: ((owner IS NULL)');
    await client.query('rollback');
  });
});

import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, test } from 'vitest';
import { openStore } from '../open-store.ts';
import { initial } from './0001-initial.ts';
import { parkedCalls } from './0002-parked-calls.ts';
import { conversations } from './0003-conversations.ts';
import { approvals } from './0004-approvals.ts';
import { toolPins } from './0005-tool-pins.ts';
import { epochs } from './0006-epochs.ts';
import { modelOutages } from './0007-model-outages.ts';
import { eraseRun } from '../../ports/testing/erase-run.ts';

const EARLIER = {
  '0001-initial': initial,
  '0002-parked-calls': parkedCalls,
  '0003-conversations': conversations,
  '0004-approvals': approvals,
  '0005-tool-pins': toolPins,
  '0006-epochs': epochs,
};

test('a database of an earlier version keeps its inbox items and artifacts, its lists show long requests truncated, and its runs can be searched', async () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'migrate-')), 'data');
  mkdirSync(dataDir);
  const database = new Sqlite(join(dataDir, 'signalbox.sqlite'));
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...EARLIER }) },
  }).migrateToLatest();
  expect(error).toBeUndefined();
  database.exec(`
    insert into runs (id, status, prompt, provider, model, scripted, limits, last_seq, turns, tool_calls, waited_ms, created_at) values ('r1', 'input_required', 'go', 'p', 'm', 1, '{}', 0, 1, 1, 0, 1);
    insert into tool_calls (id, run_id, turn, position, tool_use_id, wire_name, server, tool, arguments, state, attempt, idempotency_key, repeatable, created_at)
      values ('c1', 'r1', 1, 0, 'u', 'a__x', 'a', 'x', '{}', 'input_required', 1, 'k', 0, 1);
    insert into artifacts values ('a1', 'r1', 'c1', 'a long text', 11, 11, 1);
  `);
  database
    .prepare(
      "insert into inbox_items (id, run_id, call_id, kind, state, request, created_at, expires_at) values ('i1', 'r1', 'c1', 'elicitation_form', 'open', ?, 1, 2)",
    )
    .run(JSON.stringify({ server: 'a', message: 'm'.repeat(1_000_000) }));
  await db.destroy();

  const store = await openStore({
    dataDir,
    durability: 'process',
    clock: { now: () => 5, after: () => () => undefined },
  });
  expect(await store.read.artifact('a1')).toEqual({
    id: 'a1',
    runId: 'r1',
    callId: 'c1',
    mediaType: 'text/plain',
    text: 'a long text',
    data: undefined,
    bytes: 11,
    originalBytes: 11,
    createdAt: 1,
  });
  expect(await store.read.run('r1')).toMatchObject({ model: 'm', modelSettings: undefined });
  expect(await store.read.lacksTexts()).toBe(true);
  expect(await store.write({}, (sql) => sql.addMissingTexts(9))).toBe(1);
  expect(await store.read.runs({ limit: 9, words: ['go'] })).toMatchObject({
    data: [{ id: 'r1' }],
  });
  expect(await store.read.ownsArtifact({ id: 'r1', threadId: undefined }, 'a1')).toBe(true);
  expect(await store.read.toolCall('c1')).toMatchObject({
    state: 'input_required',
    cancelRequestedAt: undefined,
    failures: 0,
  });
  expect((await store.read.inbox({ limit: 9 })).data).toMatchObject([
    { id: 'i1', isShortened: true, request: { message: `${'m'.repeat(500)}…` } },
  ]);
  expect((await store.read.inboxItem('i1'))?.request['message']).toHaveLength(1_000_000);
  await eraseRun(store, 'r1');
  expect(await store.read.artifact('a1')).toBeUndefined();
  await store.close();
});

test('a database of an earlier version keeps the deadlines of its model retries, and one active attempt per run', async () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'migrate-')), 'data');
  mkdirSync(dataDir);
  const database = new Sqlite(join(dataDir, 'signalbox.sqlite'));
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  const { error } = await new Migrator({
    db,
    provider: {
      getMigrations: () => Promise.resolve({ ...EARLIER, '0007-model-outages': modelOutages }),
    },
  }).migrateToLatest();
  expect(error).toBeUndefined();
  const insert = database.prepare(
    "insert into runs (id, status, prompt, provider, model, scripted, limits, last_seq, turns, tool_calls, waited_ms, created_at, model_outage) values (?, ?, 'go', 'p', 'm', 1, '{}', 0, 1, 1, 0, 1, ?)",
  );
  const outage = JSON.stringify({ since: 1, attempts: 2, nextAttemptAt: 77, error: {} });
  insert.run('waits', 'running', outage);
  insert.run('ended', 'cancelled', outage);
  insert.run('damaged', 'running', '{');
  insert.run('other', 'running', null);
  database.exec(`
    insert into turns values ('m1', 'other', 1, 'a', 'active', 3, null), ('m2', 'other', 1, 'b', 'active', 4, null);
  `);
  await db.destroy();

  const store = await openStore({
    dataDir,
    durability: 'process',
    clock: { now: () => 5, after: () => () => undefined },
  });
  expect(await store.read.retries({ until: 100, limit: 9 })).toEqual([
    { runId: 'waits', retryAt: 77 },
  ]);
  expect(await store.read.activeTurn('other')).toMatchObject({ messageId: 'm2' });
  expect(await store.read.orphanedRuns({ limit: 9 })).toEqual(['other']);
  await store.close();
});

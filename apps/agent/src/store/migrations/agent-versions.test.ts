import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, onTestFinished, test } from 'vitest';
import { MIGRATIONS } from './all-migrations.ts';

const NAME = '0032-agent-versions';

test('the definition of an agent of an earlier version becomes its version 1', async () => {
  const database = new Sqlite(':memory:');
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  onTestFinished(() => db.destroy());
  const provider = { getMigrations: () => Promise.resolve({ ...MIGRATIONS }) };
  const migrator = new Migrator({ db, provider });
  const before = Object.keys(MIGRATIONS).filter((name) => name < NAME);
  expect((await migrator.migrateTo(before.at(-1) ?? '')).error).toBeUndefined();
  database.exec(
    `insert into agents (id, name, instructions, servers, limits, model_settings, created_at, updated_at)
     values ('a1', 'reader', 'Read.', '["r"]', '{"turns":3}', null, 1, 2)`,
  );
  expect((await migrator.migrateTo(NAME)).error).toBeUndefined();
  expect(database.prepare('select version, tool_rules from agents').all()).toEqual([
    { version: 1, tool_rules: null },
  ]);
  expect(database.prepare('select * from agent_versions').all()).toEqual([
    {
      agent_id: 'a1',
      version: 1,
      api_key: null,
      name: 'reader',
      instructions: 'Read.',
      model: null,
      servers: '["r"]',
      limits: '{"turns":3}',
      model_settings: null,
      tool_rules: null,
      created_at: 2,
    },
  ]);
});

import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { schedules } from './0020-schedules.ts';
import { scheduleKeys } from './0028-schedule-keys.ts';

test('a schedule of an earlier version belongs to the key anonymous', async () => {
  const database = new Sqlite(':memory:');
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  onTestFinished(() => db.destroy());
  await schedules.up(db);
  database.exec(
    "insert into schedules (id, cron, time_zone, run, on_busy, enabled, created_at, updated_at) values ('s1', '@daily', 'UTC', '{}', 'skip', 1, 1, 1)",
  );
  await scheduleKeys.up(db);
  expect(database.prepare('select id, api_key from schedules').all()).toEqual([
    { id: 's1', api_key: 'anonymous' },
  ]);
});

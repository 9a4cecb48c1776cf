import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { Stored } from '../support/stored.ts';
import { stormOf } from './job-storm.ts';

/** A SQLite database with the tables that a storm uses, one run and one call. */
function openJobs(): Stored {
  const database = new Database(':memory:');
  database.exec(`
    create table runs (id text);
    create table tool_calls (id text);
    create table handed_jobs (type text, subject text, created_at real, primary key (type, subject));
    insert into runs values ('r1');
    insert into tool_calls values ('c1');`);
  return {
    dialect: 'sqlite',
    async query<R>(statement: string, values: readonly unknown[] = []) {
      const prepared = database.prepare<unknown[], R>(statement);
      if (prepared.reader) return prepared.all(...values);
      prepared.run(...values);
      return [];
    },
    async close() {
      database.close();
    },
  };
}

test.each(['repeated', 'shuffled'] as const)(
  '%s jobs are those of every run and every call',
  async (conditions) => {
    const stored = openJobs();
    const stop = stormOf(stored, conditions);
    await expect
      .poll(() => stored.query('select distinct type, subject from handed_jobs order by type'))
      .toEqual([
        { type: 'advance-run', subject: 'r1' },
        { type: 'call-tool', subject: 'c1' },
      ]);
    await stop();
    await stored.close();
  },
);

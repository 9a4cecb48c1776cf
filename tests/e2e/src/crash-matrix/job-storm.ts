import type Database from 'better-sqlite3';
import type { Conditions } from './fleet-cells.ts';

const EVERY_MS = 15;

interface HandedJob {
  readonly type: string;
  readonly subject: string;
}

/** Begins to disturb the jobs that workers take. Returns the function that stops it. */
export function stormOf(database: Database.Database, conditions: Conditions): () => void {
  const disturb =
    conditions === 'repeated'
      ? repeating(database)
      : conditions === 'shuffled'
        ? shuffling(database)
        : undefined;
  if (disturb === undefined) return () => undefined;
  const timer = setInterval(() => {
    try {
      database.transaction(disturb).immediate();
    } catch (error) {
      // A worker writes.
      if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')) throw error;
    }
  }, EVERY_MS);
  return () => clearInterval(timer);
}

/** Hands over every job that was ever needed, again and in random order. */
function repeating(database: Database.Database): () => void {
  const insert = database.prepare(
    `insert or ignore into handed_jobs (type, subject, created_at)
      select 'advance-run', id, abs(random() % 1000) from runs
      union all select 'call-tool', id, abs(random() % 1000) from tool_calls`,
  );
  return () => void insert.run();
}

/** Takes jobs and hands them over later, in random order. */
function shuffling(database: Database.Database): () => void {
  const take = database.prepare<[], HandedJob>(
    'delete from handed_jobs where random() % 2 = 0 returning type, subject',
  );
  const insert = database.prepare<HandedJob>(
    `insert or ignore into handed_jobs (type, subject, created_at)
      values (@type, @subject, abs(random() % 1000))`,
  );
  const repeat = database.prepare<[], HandedJob>(
    `select * from (
        select 'call-tool' as type, id as subject from tool_calls
        union all select 'advance-run', id from runs
      ) order by random() limit 1`,
  );
  const held: HandedJob[] = [];
  return () => {
    held.push(...take.all(), ...repeat.all());
    for (let index = held.length - 1; index >= 0; index -= 1)
      if (Math.random() < 0.2) for (const job of held.splice(index, 1)) insert.run(job);
  };
}

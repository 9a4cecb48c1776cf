import { setTimeout as wait } from 'node:timers/promises';
import { BusyError, type Stored } from '../support/stored.ts';
import type { Conditions } from './fleet-cells.ts';

const EVERY_MS = 15;

interface HandedJob {
  readonly type: string;
  readonly subject: string;
}

/** Begins to disturb the jobs that workers take from the store. Returns the function that stops it. */
export function stormOf(stored: Stored, conditions: Conditions): () => Promise<void> {
  const disturb =
    conditions === 'repeated'
      ? repeating(stored)
      : conditions === 'shuffled'
        ? shuffling(stored)
        : undefined;
  if (disturb === undefined) return async () => undefined;
  const stop = new AbortController();
  const storm = (async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await disturb().catch((error: unknown) => {
        // A worker writes.
        if (!(error instanceof BusyError)) throw error;
      });
      await wait(EVERY_MS);
    }
  })();
  return async () => {
    stop.abort();
    await storm;
  };
}

/** SQL expressions with random values. */
const RANDOM = {
  sqlite: { time: 'abs(random() % 1000)', isChosen: 'random() % 2 = 0' },
  postgres: { time: 'floor(random() * 1000)', isChosen: 'random() < 0.5' },
} as const;

/** Hands over every job that was ever needed, again and in random order. */
function repeating(stored: Stored): () => Promise<void> {
  const { time } = RANDOM[stored.dialect];
  return async () => {
    await stored.query(
      `insert into handed_jobs (type, subject, created_at)
        select 'advance-run', id, ${time} from runs
        union all select 'call-tool', id, ${time} from tool_calls
        -- SQLite would read ON as the condition of a join.
        where true on conflict do nothing`,
    );
  };
}

/** Takes jobs and hands them over later, in random order. */
function shuffling(stored: Stored): () => Promise<void> {
  const { time, isChosen } = RANDOM[stored.dialect];
  const held: HandedJob[] = [];
  return async () => {
    held.push(
      ...(await stored.query<HandedJob>(
        `delete from handed_jobs where ${isChosen} returning type, subject`,
      )),
      ...(await stored.query<HandedJob>(
        `select * from (
          select 'call-tool' as type, id as subject from tool_calls
          union all select 'advance-run', id from runs
        ) as jobs order by random() limit 1`,
      )),
    );
    for (let index = held.length - 1; index >= 0; index -= 1)
      if (Math.random() < 0.2)
        for (const { type, subject } of held.splice(index, 1))
          await stored.query(
            `insert into handed_jobs (type, subject, created_at)
              values (?, ?, ${time}) on conflict do nothing`,
            [type, subject],
          );
  };
}

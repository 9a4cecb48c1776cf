import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { ExecutorPool, type ReaderPool, type WriterPool } from '../executor-pool.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { seededRandom } from './seeded-random.ts';

export interface CrashPlan {
  /** Number of times that the writing process is killed during a write. */
  readonly kills: number;
  readonly seed: number;
  readonly journalMode: 'DELETE' | 'WAL';
  /** Whether the writing process has a journal; without one the run must find damage. */
  readonly isGuarded: boolean;
}

export interface CrashOutcome {
  /** Writes by what the caller was told. */
  readonly applied: number;
  readonly notApplied: number;
  readonly unknown: number;
  /** Damage, and writes whose effect is not what the caller was told. The run ends with the first. */
  readonly problems: readonly string[];
}

const SCHEMA = `
  CREATE TABLE ledger(id INTEGER PRIMARY KEY);
  CREATE TABLE items(id INTEGER PRIMARY KEY, value TEXT);
  CREATE INDEX by_value ON items(value);
  CREATE TABLE totals(items INTEGER, bytes INTEGER);
  INSERT INTO totals VALUES (0, 0);
  ${insertItems(4000)};`;
const RECOUNT =
  'UPDATE totals SET items = (SELECT count(*) FROM items), bytes = (SELECT coalesce(sum(length(value)), 0) FROM items)';
const CHECK = `SELECT (SELECT group_concat(integrity_check) FROM pragma_integrity_check) AS state,
  (SELECT items || ' ' || bytes FROM totals) AS told,
  (SELECT count(*) || ' ' || coalesce(sum(length(value)), 0) FROM items) AS found`;
/** Writes that are not killed, of which the longest gives the longest delay before a kill. */
const MEASURED_WRITES = 4;

function insertItems(count: number): string {
  return `INSERT INTO items(value) WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < ${count}) SELECT hex(randomblob(20 + x % 50)) FROM c`;
}

/**
 * Kills the writing process at random times during random transactions, and compares the database
 * after each kill with what the caller was told.
 */
export async function runCrashes(plan: CrashPlan): Promise<CrashOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-crash-'));
  const path = join(folder, 'data.db');
  const database = new Database(path);
  database.pragma('synchronous = OFF');
  database.exec(`PRAGMA journal_mode = ${plan.journalMode}; ${SCHEMA} ${RECOUNT}`);
  database.close();
  const program = fileURLToPath(
    new URL(
      plan.isGuarded ? './crash-executor.ts' : './unguarded-crash-executor.ts',
      import.meta.url,
    ),
  );
  const writer: WriterPool = new ExecutorPool({
    path,
    limits: DEFAULT_LIMITS,
    isWriter: true,
    program,
  });
  const never = new AbortController().signal;
  const recover = () => writer.run('recover', {}, never);
  const readers: ReaderPool = new ExecutorPool({ path, limits: DEFAULT_LIMITS, recover });
  try {
    return await new CrashRun(plan, writer, readers).run();
  } finally {
    await Promise.all([writer.close(), readers.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

class CrashRun {
  readonly #plan: CrashPlan;
  readonly #writer: WriterPool;
  readonly #readers: ReaderPool;
  readonly #random: () => number;
  readonly #never = new AbortController().signal;
  readonly #applied: number[] = [];
  readonly #notApplied: number[] = [];
  #unknown = 0;

  get #kills(): number {
    return this.#notApplied.length + this.#unknown;
  }

  constructor(plan: CrashPlan, writer: WriterPool, readers: ReaderPool) {
    this.#plan = plan;
    this.#writer = writer;
    this.#readers = readers;
    this.#random = seededRandom(plan.seed);
  }

  async run(): Promise<CrashOutcome> {
    let problems: readonly string[] = [];
    const durationsMs: number[] = [];
    for (let id = 1; this.#kills < this.#plan.kills && problems.length === 0; id++) {
      // The process is running before the write whose middle it is killed in.
      await this.#writer.run('recover', {}, this.#never).catch(() => undefined);
      const startedMs = performance.now();
      const writing = this.#write(id);
      if (id <= MEASURED_WRITES) {
        await writing;
        durationsMs.push(performance.now() - startedMs);
        continue;
      }
      await delay(this.#random() * Math.max(...durationsMs));
      const [pid] = this.#writer.pids;
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      const failure = await writing;
      // The end of a process that was idle again is noticed a little later.
      const isLeft = () => pid !== undefined && this.#writer.pids.includes(pid);
      while (isLeft()) await delay(1);
      problems = [...(await this.#check()), ...(failure === undefined ? [] : [failure])];
    }
    return {
      applied: this.#applied.length,
      notApplied: this.#notApplied.length,
      unknown: this.#unknown,
      problems,
    };
  }

  /** Resolves with an error that tells nothing about the outcome. */
  async #write(id: number): Promise<string | undefined> {
    const statements = [
      { query: 'INSERT INTO ledger VALUES (?)', params: [id] },
      { query: this.#change(id) },
      { query: RECOUNT },
    ];
    try {
      await this.#writer.run(
        'execute-statements',
        { statements, kinds: ['rows', 'table', 'schema'], isBatch: true },
        this.#never,
      );
      this.#applied.push(id);
    } catch (error) {
      const told = error instanceof Error ? error.message : String(error);
      if (told.includes('Nothing was applied')) this.#notApplied.push(id);
      else if (told.includes('may or may not be applied')) this.#unknown += 1;
      else return told;
    }
    return undefined;
  }

  #change(id: number): string {
    const count = 1 + Math.floor(this.#random() * 3000);
    const changes = [
      insertItems(count),
      `UPDATE items SET value = hex(randomblob(${1 + (count % 150)})) WHERE id % 3 = ${count % 3}`,
      `DELETE FROM items WHERE id % 4 = ${count % 4}`,
      `CREATE TABLE copy_${id} AS SELECT * FROM items LIMIT ${count}`,
    ];
    return changes[Math.floor(this.#random() * changes.length)] ?? '';
  }

  async #check(): Promise<readonly string[]> {
    try {
      const { rows } = await this.#read(CHECK);
      const [[state, told, found] = []] = rows;
      const ids = new Set((await this.#read('SELECT id FROM ledger')).rows.map(([id]) => id));
      const lost = this.#applied.filter((id) => !ids.has(id));
      const undead = this.#notApplied.filter((id) => ids.has(id));
      return [
        ...(state === 'ok' ? [] : [`integrity check: ${String(state).slice(0, 200)}`]),
        ...(told === found ? [] : [`the totals are ${String(told)}, the items ${String(found)}`]),
        ...lost.map((id) => `write ${id} was reported as applied, but is missing`),
        ...undead.map((id) => `write ${id} was reported as not applied, but is there`),
      ];
    } catch (error) {
      return [`the check failed: ${String(error)}`];
    }
  }

  #read(query: string) {
    return this.#readers.run('read-query', { query }, this.#never);
  }
}

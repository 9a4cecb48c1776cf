import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ToolError } from '@signalbox/mcp-core';
import Database from 'better-sqlite3';
import { ExecutorPool } from '../executor-pool.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import type { FuzzMode, FuzzOperations } from './fuzz-executor.ts';
import { randomSql } from './random-sql.ts';

export interface FuzzPlan {
  readonly statements: number;
  readonly seed: number;
  readonly mode: FuzzMode;
  /** Whether the connection is read-only, as that of the reading tools is. */
  readonly isReadOnly: boolean;
  /** The only statement, instead of random ones; `OUT` stands for a writable folder. */
  readonly only?: string;
  /** Whether, as a control, no statement is stopped at its deadline; default false. */
  readonly isUnlimited?: boolean;
}

export interface FuzzOutcome {
  /** Number of statements that ran to their end without an error. */
  readonly run: number;
  /** Number of statements that were stopped at their deadline. */
  readonly stopped: number;
  readonly longestMs: number;
  /** Statements with the harm they did. The run ends with the first. */
  readonly problems: readonly string[];
}

const SCHEMA = `
  CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, big INT, blob BLOB, price REAL);
  CREATE TABLE orders(id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users, total REAL);
  CREATE TABLE wide(id INTEGER PRIMARY KEY, t TEXT);
  CREATE VIEW v AS SELECT name FROM users;
  CREATE TRIGGER r INSTEAD OF INSERT ON v BEGIN INSERT INTO users(name) VALUES (new.name); END;
  CREATE VIRTUAL TABLE fts USING fts5(body);
  INSERT INTO users VALUES (1, 'Ada', 2, x'00', 1.5), (2, 'Grace', 3, NULL, 2);
  INSERT INTO orders VALUES (1, 1, 9);
  INSERT INTO fts VALUES ('some words');
  INSERT INTO wide WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 500) SELECT x, x FROM c;`;
/** Deadline of a statement. */
const TIMEOUT_MS = 300;
/** Time beyond the deadline within which a statement must be answered: a commit gets 1.5 s. */
const GRACE_MS = 2000;
const CHECK_FILES_EVERY = 250;
const HOUR_MS = 3_600_000;
const MAX_WARM_ATTEMPTS = 10;

/**
 * Runs random statements in a query process, one after another, and looks for changes of the
 * database, its connection and the files around it, and for answers later than the deadline and its
 * grace.
 */
export async function runFuzz(plan: FuzzPlan): Promise<FuzzOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-fuzz-'));
  const path = join(folder, 'data.db');
  const out = join(folder, 'out');
  mkdirSync(out);
  const database = new Database(path);
  database.exec(SCHEMA);
  database.close();
  const pool = new ExecutorPool<FuzzOperations>({
    path,
    limits: {
      ...DEFAULT_LIMITS,
      timeoutMs: plan.isUnlimited === true ? HOUR_MS : TIMEOUT_MS,
      busyTimeoutMs: 100,
    },
    isWriter: !plan.isReadOnly,
    program: fileURLToPath(new URL('./fuzz-executor.ts', import.meta.url)),
  });
  const files = () => fingerprint(path, [out, process.cwd()], plan.mode === 'write');
  const { only } = plan;
  const next = only === undefined ? randomSql(plan.seed, out) : () => only.replaceAll('OUT', out);
  try {
    return await fuzz(plan, next, { pool, files });
  } finally {
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Target {
  readonly pool: ExecutorPool<FuzzOperations>;
  readonly files: () => string;
}

async function fuzz(
  { statements, mode }: FuzzPlan,
  next: () => string,
  { pool, files }: Target,
): Promise<FuzzOutcome> {
  const never = new AbortController().signal;
  const before = files();
  const problems: string[] = [];
  let [run, stopped, longestMs] = [0, 0, 0];
  await warm(pool);
  for (let count = 1; count <= statements && problems.length === 0; count++) {
    const query = next();
    const startedMs = performance.now();
    const stoppedBefore = stopped;
    try {
      const { isRun, harm } = await withinTime(pool.run('run', { query, mode }, never));
      if (isRun) run += 1;
      problems.push(...harm.map((each) => `${each} by ${JSON.stringify(query)}`));
    } catch (error) {
      if (error instanceof ToolError) stopped += 1;
      else problems.push(`${String(error)}: ${JSON.stringify(query)}`);
    }
    longestMs = Math.max(longestMs, performance.now() - startedMs);
    if (stopped > stoppedBefore) await warm(pool);
    if (count % CHECK_FILES_EVERY === 0 || count === statements) {
      const after = files();
      if (after !== before)
        problems.push(`files changed before ${JSON.stringify(query)}: ${after}`);
    }
  }
  return { run, stopped, longestMs, problems };
}

/**
 * Waits for a process that answers, so that no statement has to wait for its start. On a loaded
 * machine an answer can take longer than the deadline; it is waited for several times.
 */
async function warm(pool: Target['pool']): Promise<void> {
  const { signal } = new AbortController();
  for (let attempt = 1; ; attempt++)
    try {
      await pool.run('run', { query: 'SELECT 1', mode: 'read' }, signal);
      return;
    } catch (error) {
      if (attempt === MAX_WARM_ATTEMPTS) throw error;
    }
}

/** Resolves like `work`. @throws Error when it takes longer than the deadline and its grace */
async function withinTime<Result>(work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(
      new Error(`no answer within the deadline of ${TIMEOUT_MS} ms and ${GRACE_MS} ms of grace`),
    );
  }, TIMEOUT_MS + GRACE_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the names in the folders and in that of the database and, unless writes are allowed, the
 * content of the database.
 */
function fingerprint(path: string, folders: readonly string[], mayWrite: boolean): string {
  const names = [dirname(path), ...folders].map((folder) => readdirSync(folder).toSorted());
  if (mayWrite) {
    const own = new Set(['-journal', '-wal', '-shm'].map((suffix) => basename(path) + suffix));
    return JSON.stringify(names.map((each) => each.filter((name) => !own.has(name))));
  }
  const content = createHash('sha256').update(readFileSync(path)).digest('hex');
  return JSON.stringify([...names, content, statSync(path).mtimeMs]);
}

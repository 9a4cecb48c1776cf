import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ExecutorPool, type WriterPool } from './executor-pool.ts';
import { DEFAULT_LIMITS, type SqliteLimits } from './limits.ts';
import { RUNAWAY } from './testing/runaway.ts';
import type { StreamingOperations } from './testing/streaming-executor.ts';
import { openForReading, temporaryDatabase } from './testing/temporary-database.ts';

const never = new AbortController().signal;
/** An INSERT that never ends and writes to the file early. */
const RUNAWAY_INSERT = `INSERT INTO t WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT printf('%.9000c', 'x') FROM c`;

function startWriter(path: string, limits: Partial<SqliteLimits> = {}) {
  const pool: WriterPool = new ExecutorPool({
    path,
    limits: { ...DEFAULT_LIMITS, ...limits },
    isWriter: true,
  });
  onTestFinished(() => pool.close());
  const write = (query: string, signal = never) =>
    pool.run(
      'execute-statements',
      { statements: [{ query }], kinds: ['rows'], isBatch: false },
      signal,
    );
  return { pool, write };
}

function startStreaming(path: string, limits: Partial<SqliteLimits> = {}) {
  const pool = new ExecutorPool<StreamingOperations>({
    path,
    limits: { ...DEFAULT_LIMITS, ...limits },
    isWriter: true,
    program: fileURLToPath(new URL('./testing/streaming-executor.ts', import.meta.url)),
  });
  onTestFinished(() => pool.close());
  return pool;
}

function rowsOf(path: string): unknown[] {
  return openForReading(path).prepare('SELECT a FROM t ORDER BY a').pluck().all();
}

describe('the writer', () => {
  test('starts with the first write, commits, and stays', async () => {
    const path = temporaryDatabase('CREATE TABLE t(a)');
    const { pool, write } = startWriter(path);
    expect(pool.pids).toEqual([]);
    expect(await write('INSERT INTO t VALUES (1), (2)')).toEqual([
      { affectedRows: 2, lastInsertRowid: 2 },
    ]);
    const { pids } = pool;
    expect(pids).toHaveLength(1);
    await write('UPDATE t SET a = 3 WHERE a = 1');
    expect(pool.pids).toEqual(pids);
    expect(rowsOf(path)).toEqual([2, 3]);
  });

  test('runs writes one at a time in the order of their arrival', async () => {
    const path = temporaryDatabase('CREATE TABLE t(a INTEGER PRIMARY KEY, b)');
    const { pool, write } = startWriter(path);
    const rowids = await Promise.all(
      Array.from({ length: 50 }, () => write('INSERT INTO t(b) VALUES (1)')),
    );
    expect(rowids.map(([result]) => result?.lastInsertRowid)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
    expect(pool.pids).toHaveLength(1);
  });

  test('refuses more waiting writes than it can promise to run', async () => {
    const { write } = startWriter(temporaryDatabase('CREATE TABLE t(a)'));
    const outcomes = Array.from({ length: 101 }, () =>
      write('INSERT INTO t VALUES (1)').then(() => 'done', String),
    );
    expect(await outcomes.at(-1)).toContain('Too many writes wait already (100)');
    expect(await outcomes[99]).toBe('done');
  });

  test.each(['DELETE', 'WAL'])(
    'reports a write killed at its deadline as not applied, with journal mode %s, and the next read and write succeed',
    async (mode) => {
      const path = temporaryDatabase(
        `PRAGMA journal_mode = ${mode}; CREATE TABLE t(a); INSERT INTO t VALUES (0)`,
      );
      const { pool, write } = startWriter(path, { timeoutMs: 600 });
      await write('UPDATE t SET a = 0');
      const readers = new ExecutorPool({
        path,
        limits: DEFAULT_LIMITS,
        recover: () => pool.run('recover', {}, never),
      });
      onTestFinished(() => readers.close());
      await expect(write(RUNAWAY_INSERT)).rejects.toThrow(
        'The write was stopped after 600 ms, its time limit. Nothing was applied.',
      );
      expect(existsSync(`${path}-${mode === 'DELETE' ? 'journal' : 'wal'}`)).toBe(true);
      const read = await readers.run('read-query', { query: 'SELECT a FROM t' }, never);
      expect(read.rows).toEqual([[0]]);
      await write('INSERT INTO t VALUES (1)');
      expect(rowsOf(path)).toEqual([0, 1]);
      const database = openForReading(path);
      expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    },
  );

  test('fails a read of a half-written file without a writer that could roll back', async () => {
    const path = temporaryDatabase('CREATE TABLE t(a); INSERT INTO t VALUES (0)');
    const { pool, write } = startWriter(path, { timeoutMs: 3_600_000 });
    const { size } = statSync(path);
    const controller = new AbortController();
    const outcome = write(RUNAWAY_INSERT, controller.signal).catch(String);
    await vi.waitFor(() => expect(statSync(path).size).toBeGreaterThan(size), 30_000);
    controller.abort();
    expect(await outcome).toContain('Nothing was applied');
    await pool.close();
    const readers = new ExecutorPool({ path, limits: DEFAULT_LIMITS });
    onTestFinished(() => readers.close());
    await expect(readers.run('read-query', { query: 'SELECT a FROM t' }, never)).rejects.toThrow(
      'needs a recovery that only a writing program can do',
    );
  });

  test('reports a cancelled write as not applied', async () => {
    const path = temporaryDatabase('CREATE TABLE t(a)');
    const { write } = startWriter(path, { timeoutMs: 3_600_000 });
    await write('INSERT INTO t VALUES (1)');
    const controller = new AbortController();
    const outcome = write(RUNAWAY_INSERT, controller.signal);
    const waiting = write('INSERT INTO t VALUES (2)');
    controller.abort();
    await expect(outcome).rejects.toThrow('The write was cancelled. Nothing was applied.');
    await waiting;
    expect(rowsOf(path)).toEqual([1, 2]);
  });

  test('reports a write that needs too much memory, or whose process is killed from outside, as not applied', async () => {
    const path = temporaryDatabase('CREATE TABLE t(a)');
    const { pool, write } = startWriter(path, { maxMemoryMb: 128, timeoutMs: 3_600_000 });
    await expect(write("INSERT INTO t SELECT printf('%.*c', 400000000, 'x')")).rejects.toThrow(
      'its memory limit. Sort, group, join or change fewer rows. Nothing was applied.',
    );
    await write('INSERT INTO t VALUES (1)');
    const killed = write(`INSERT INTO t ${RUNAWAY}`);
    process.kill(pool.pids[0] ?? 0, 'SIGKILL');
    await expect(killed).rejects.toThrow('ended unexpectedly. Nothing was applied.');
    expect(rowsOf(path)).toEqual([1]);
  });

  test('truncates a WAL file that has grown, and keeps it small', async () => {
    const path = temporaryDatabase('PRAGMA journal_mode = WAL; CREATE TABLE t(a)');
    const { write } = startWriter(path);
    const reader = new Database(path, { readonly: true });
    onTestFinished(() => void reader.close());
    // An open read keeps the WAL from being written back.
    const rows = reader.prepare('SELECT 1 FROM sqlite_schema').iterate();
    rows.next();
    await write(
      "INSERT INTO t WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 5000) SELECT printf('%.4000c', 'x') FROM c",
    );
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(16 * 2 ** 20);
    rows.return?.();
    await write('INSERT INTO t VALUES (1)');
    await vi.waitFor(() => expect(statSync(`${path}-wal`).size).toBeLessThanOrEqual(16 * 2 ** 20), {
      timeout: 10_000,
    });
  });
});

test('an idle writer that is closed writes the WAL back', async () => {
  const path = temporaryDatabase('PRAGMA journal_mode = WAL; CREATE TABLE t(a)');
  const { pool, write } = startWriter(path);
  await write('INSERT INTO t VALUES (1)');
  expect(existsSync(`${path}-wal`)).toBe(true);
  await pool.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect(rowsOf(path)).toEqual([1]);
});

describe('a commit under way', () => {
  test('gets longer than the deadline, and is then reported as unknown', async () => {
    const pool = startStreaming(temporaryDatabase('CREATE TABLE t(a)'), { timeoutMs: 100 });
    await expect(pool.run('commit-forever', {}, never)).rejects.toThrow(
      'The write was stopped after 100 ms, its time limit. It was being committed: the changes may or may not be applied.',
    );
  });

  test('is reported as unknown when its process dies', async () => {
    const pool = startStreaming(temporaryDatabase('CREATE TABLE t(a)'));
    await expect(pool.run('commit-and-die', {}, never)).rejects.toThrow(
      'ended unexpectedly. It was being committed: the changes may or may not be applied.',
    );
  });
});

describe('chunks', () => {
  test('go into one transaction as fast as the process takes them', async () => {
    const path = temporaryDatabase('CREATE TABLE t(a)');
    const pool = startStreaming(path);
    let taken = 0;
    async function* chunks() {
      for (; taken < 300; taken++) yield `${taken}`.padStart(100_000, '0');
    }
    expect(await pool.run('import-chunks', {}, never, { source: chunks() })).toBe(300);
    expect(rowsOf(path)).toHaveLength(300);
  });

  test('are not applied when their source fails, and the error is that of the source', async () => {
    const path = temporaryDatabase('CREATE TABLE t(a)');
    const pool = startStreaming(path);
    async function* chunks() {
      yield '1';
      throw new RangeError('the file ended early');
    }
    await expect(pool.run('import-chunks', {}, never, { source: chunks() })).rejects.toThrow(
      new RangeError('the file ended early'),
    );
    expect(rowsOf(path)).toEqual([]);
    expect(await pool.run('import-chunks', {}, never)).toBe(0);
  });

  test('end with the total time limit, and their source is released', async () => {
    const path = temporaryDatabase('CREATE TABLE t(a)');
    const pool = startStreaming(path);
    const released = Promise.withResolvers<void>();
    async function* chunks() {
      try {
        for (;;) yield '1';
      } finally {
        released.resolve();
      }
    }
    const streams = { source: chunks(), totalTimeoutMs: 300 };
    await expect(pool.run('import-chunks', {}, never, streams)).rejects.toThrow(
      'stopped after 300 ms, its time limit. Nothing was applied.',
    );
    await released.promise;
    expect(rowsOf(path)).toEqual([]);
  });

  test('come out one at a time: the next after the last was consumed', async () => {
    const pool = startStreaming(temporaryDatabase());
    const chunks: string[] = [];
    let isConsuming = false;
    await pool.run('export-chunks', { count: 5 }, never, {
      sink: async (chunk) => {
        expect(isConsuming).toBe(false);
        isConsuming = true;
        await new Promise(setImmediate);
        isConsuming = false;
        chunks.push(chunk);
      },
    });
    expect(chunks).toEqual(['chunk 0', 'chunk 1', 'chunk 2', 'chunk 3', 'chunk 4']);
    const failure = new Error('the disk is full');
    await expect(
      pool.run('export-chunks', { count: 5 }, never, {
        sink: () => {
          throw failure;
        },
      }),
    ).rejects.toBe(failure);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { QueryResult } from './executor/protocol.ts';
import { ExecutorPool, type ExecutorPoolOptions } from './executor-pool.ts';
import { ExecutorProcess } from './executor-process.ts';
import { DEFAULT_LIMITS, type SqliteLimits } from './limits.ts';
import { RUNAWAY } from './testing/runaway.ts';
import { temporaryDatabase } from './testing/temporary-database.ts';

interface StartedPool {
  readonly pool: ExecutorPool;
  readonly crashes: string[];
  readonly read: (query: string, signal?: AbortSignal) => Promise<QueryResult>;
}

/** Starts a pool, unless `spare` says otherwise without a second process, which most tests do not need. */
function startPool(
  path: string,
  limits: Partial<SqliteLimits> = {},
  spare: Pick<ExecutorPoolOptions, 'spareAfterMs' | 'spareIdleMs'> = { spareAfterMs: 3_600_000 },
): StartedPool {
  const crashes: string[] = [];
  const pool = new ExecutorPool({
    path,
    limits: { ...DEFAULT_LIMITS, ...limits },
    ...spare,
    onCrash: (message) => crashes.push(message),
  });
  onTestFinished(() => pool.close());
  return {
    pool,
    crashes,
    read: (query, signal = new AbortController().signal) =>
      pool.run('read-query', { query }, signal),
  };
}

const WITH_SPARE = { spareAfterMs: 0 };

/** Whether a process runs; a zombie does not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const status = `/proc/${pid}/status`;
    return !existsSync(status) || !/^State:\s*Z/m.test(readFileSync(status, 'utf8'));
  } catch {
    return false;
  }
}

describe('ExecutorPool', () => {
  test('answers every operation from one warm process', async () => {
    const { pool, read } = startPool(temporaryDatabase('CREATE TABLE t(a)'));
    const { signal } = new AbortController();
    expect((await read('SELECT 1')).rows).toEqual([[1]]);
    const [pid] = pool.pids;
    expect((await pool.run('list-tables', { includeViews: false }, signal)).tables).toHaveLength(1);
    expect((await pool.run('describe-table', { name: 't' }, signal)).name).toBe('t');
    expect(pool.pids).toContain(pid);
  });

  test('turns a refusal and an SQLite error into a tool error with advice', async () => {
    const { read } = startPool(temporaryDatabase('CREATE TABLE users(id, name)'));
    await expect(read('DROP TABLE users')).rejects.toThrow('DROP is not allowed');
    await expect(read('SELECT nope FROM users')).rejects.toThrow(
      'SQLITE_ERROR: no such column: nope. Existing columns: users.id, users.name',
    );
    await expect(read('SELECT * FROM usres')).rejects.toThrow(
      'no such table: usres. Existing tables: users',
    );
    await expect(read('SELECT * FROM users WHERE')).rejects.toThrow(
      'SQLITE_ERROR: incomplete input',
    );
  });

  test('stops a runaway query at the deadline, and further queries succeed', async () => {
    const { read } = startPool(temporaryDatabase(), { timeoutMs: 1000 });
    await read('SELECT 1');
    const startedMs = performance.now();
    await expect(read(RUNAWAY)).rejects.toMatchObject({
      name: 'ToolError',
      message: expect.stringContaining('stopped after 1000 ms, its time limit') as string,
    });
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990);
    expect((await read('SELECT 3')).rows).toEqual([[3]]);
  });

  test('keeps a second process ready while there are queries', async () => {
    const { pool, read } = startPool(temporaryDatabase(), {}, { spareIdleMs: 300 });
    await read('SELECT 1');
    await vi.waitFor(() => expect(pool.pids).toHaveLength(2), 10_000);
    const controller = new AbortController();
    const running = read(RUNAWAY, controller.signal).catch(String);
    expect((await read('SELECT 2')).rows).toEqual([[2]]);
    controller.abort();
    expect(await running).toContain('cancelled');
    await vi.waitFor(() => expect(pool.pids).toHaveLength(1), 10_000);
    expect((await read('SELECT 3')).rows).toEqual([[3]]);
  });

  test('serves others while a runaway query keeps a process busy', async () => {
    const { read } = startPool(temporaryDatabase(), { timeoutMs: 3_600_000 }, WITH_SPARE);
    const controller = new AbortController();
    const runaway = read(RUNAWAY, controller.signal);
    expect((await read('SELECT 2')).rows).toEqual([[2]]);
    controller.abort();
    await expect(runaway).rejects.toThrow('cancelled');
  });

  test('starts up to two more processes while runaway queries keep all others busy', async () => {
    const { pool, read } = startPool(temporaryDatabase(), { timeoutMs: 3_600_000 }, WITH_SPARE);
    const send = vi.spyOn(ExecutorProcess.prototype, 'send');
    onTestFinished(() => send.mockRestore());
    const controller = new AbortController();
    const runaways = [1, 2, 3].map(() => read(RUNAWAY, controller.signal).catch(String));
    expect((await read('SELECT 2')).rows).toEqual([[2]]);
    runaways.push(read(RUNAWAY, controller.signal).catch(String));
    const processes = () =>
      new Set(
        send.mock.contexts.filter((_, call) =>
          JSON.stringify(send.mock.calls[call]).includes('RECURSIVE'),
        ),
      );
    await vi.waitFor(() => expect(processes().size).toBe(4), 10_000);
    let isAborted = false;
    const waiting = read('SELECT 3').then(({ rows }) => ({ rows, isAborted }));
    // A fifth process would be started after 20 ms, and answer.
    await expect(read('SELECT 4', AbortSignal.timeout(300))).rejects.toThrow('cancelled');
    expect(pool.pids).toHaveLength(4);
    isAborted = true;
    controller.abort();
    expect(await waiting).toEqual({ rows: [[3]], isAborted: true });
    for (const outcome of await Promise.all(runaways)) expect(outcome).toContain('cancelled');
  });

  test('runs the queries that waited behind two killed ones', async () => {
    const { read } = startPool(temporaryDatabase(), { timeoutMs: 1000 }, WITH_SPARE);
    const outcomes = await Promise.allSettled([
      read(RUNAWAY),
      read(RUNAWAY),
      read('SELECT 1'),
      read('SELECT 2'),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'rejected',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });

  test('answers a cancelled query at once and ends its process', async () => {
    const { pool, read } = startPool(temporaryDatabase(), { timeoutMs: 3_600_000 }, WITH_SPARE);
    await read('SELECT 1');
    const [pid] = pool.pids;
    const controller = new AbortController();
    const outcome = vi.fn<(error: unknown) => void>();
    void read(RUNAWAY, controller.signal).catch(outcome);
    await read('SELECT 2'); // Answered by a second process: the first is in the middle of its query.
    controller.abort();
    // In the same turn, before any message of the process.
    await Promise.resolve();
    expect(outcome).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: 'The query was cancelled.' }),
    );
    await vi.waitFor(() => expect(isAlive(pid!)).toBe(false), { interval: 5, timeout: 5000 });
    expect((await read('SELECT 3')).rows).toEqual([[3]]);
  });

  test('cancels a waiting query without touching the running ones', async () => {
    const { pool, read } = startPool(temporaryDatabase(), { timeoutMs: 3_600_000 }, WITH_SPARE);
    const others = new AbortController();
    const running = Promise.allSettled([
      read(RUNAWAY, others.signal),
      read(RUNAWAY, others.signal),
    ]);
    await vi.waitFor(() => expect(pool.pids).toHaveLength(2), { timeout: 5000 });
    const pids = pool.pids;
    const controller = new AbortController();
    const waiting = read('SELECT 1', controller.signal);
    controller.abort();
    await expect(waiting).rejects.toThrow('cancelled');
    expect(pool.pids).toEqual(pids);
    await expect(read('SELECT 1', AbortSignal.abort())).rejects.toThrow('cancelled');
    others.abort();
    expect((await running).map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
  });

  test.each([
    ['a huge text', "SELECT printf('%.*c', 400000000, 'x')"],
    [
      'a huge group',
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT length(group_concat(printf('%.1000c', x))) FROM c",
    ],
    [
      'a huge sort',
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x, printf('%.1000c', x) FROM c ORDER BY random()",
    ],
  ])('stops %s at the memory limit', async (_, query) => {
    const { read, crashes } = startPool(temporaryDatabase(), {
      maxMemoryMb: 128,
      timeoutMs: 3_600_000,
    });
    await expect(read(query)).rejects.toThrow('needed more than 128 MB, its memory limit');
    expect(crashes).toEqual([expect.stringContaining('memory-limit')]);
    expect((await read('SELECT 1')).rows).toEqual([[1]]);
  });

  test('reads rows one by one that need too much memory at once', async () => {
    const { read, crashes } = startPool(temporaryDatabase(), {
      maxMemoryMb: 128,
      timeoutMs: 3_600_000,
    });
    const numbers = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)';
    const result = await read(`${numbers} SELECT printf('%.*c', 1000000, 'x') FROM c LIMIT 1000`);
    expect(result).toMatchObject({ truncated: true, columns: [{ type: 'text' }] });
    expect(result.rowCount).toBeGreaterThan(5);
    expect(crashes).toEqual([expect.stringContaining('whole-result')]);
    await expect(
      read(`${numbers} SELECT printf('%.*c', 400000000, 'x') FROM c LIMIT 1000`),
    ).rejects.toThrow('needed more than 128 MB, its memory limit');
  });

  test('refuses a value that is larger than SQLite can hold', async () => {
    const { read } = startPool(temporaryDatabase());
    await expect(read('SELECT length(zeroblob(900000000))')).rejects.toThrow('SQLITE_TOOBIG');
  });

  test('reports a process killed from outside and starts another', async () => {
    const { pool, read, crashes } = startPool(temporaryDatabase());
    await read('SELECT 1');
    const running = read(RUNAWAY);
    const [pid] = pool.pids;
    process.kill(pid!, 'SIGKILL');
    await expect(running).rejects.toThrow('The query process ended unexpectedly');
    expect(crashes).toEqual([expect.stringContaining('signal SIGKILL')]);
    expect((await read('SELECT 2')).rows).toEqual([[2]]);
  });

  test('survives a process that is killed while idle', async () => {
    const { pool, read, crashes } = startPool(temporaryDatabase());
    await read('SELECT 1');
    process.kill(pool.pids[0]!, 'SIGKILL');
    await vi.waitFor(() => expect(crashes).toHaveLength(1), 10_000);
    expect((await read('SELECT 2')).rows).toEqual([[2]]);
  });

  test('fails the query when no process can be started, and tries again for the next', async () => {
    const { read, crashes } = startPool(temporaryDatabase());
    const { execPath } = process;
    onTestFinished(() => {
      process.execPath = execPath;
    });
    process.execPath = '/nowhere/node';
    await expect(read('SELECT 1')).rejects.toThrow('The query process could not be started');
    expect(crashes).toEqual([expect.stringContaining('ENOENT')]);
    process.execPath = execPath;
    expect((await read('SELECT 2')).rows).toEqual([[2]]);
  });

  test('leaves no process behind when it is closed during a query', async () => {
    const { pool, read } = startPool(temporaryDatabase());
    const running = read(RUNAWAY).catch(String);
    await vi.waitFor(() => expect(pool.pids).toHaveLength(1), 10_000);
    const [pid] = pool.pids;
    await pool.close();
    expect(await running).toContain('shutting down');
    expect(isAlive(pid!)).toBe(false);
    await expect(read('SELECT 1')).rejects.toThrow('shutting down');
  });

  test('leaves no process behind when the server is killed during a query', async () => {
    const server = startServerProcess(temporaryDatabase());
    const [line] = (await once(server.stdout!.setEncoding('utf8'), 'data')) as [string];
    const pid = Number(line);
    expect(isAlive(pid)).toBe(true);
    server.kill('SIGKILL');
    await once(server, 'exit');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 10_000);
  });

  test('waits for a lock up to its time limit, and further queries succeed', async () => {
    const path = temporaryDatabase('CREATE TABLE t(a)');
    const { read } = startPool(path, { busyTimeoutMs: 50 });
    const writer = new Database(path);
    writer.exec('BEGIN EXCLUSIVE');
    await expect(read('SELECT 1 FROM t')).rejects.toThrow('SQLITE_BUSY');
    const waits: number[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const startedMs = performance.now();
      await expect(read('SELECT * FROM t')).rejects.toThrow(
        'SQLITE_BUSY: database is locked. Another process holds a lock',
      );
      waits.push(performance.now() - startedMs);
    }
    // The best of three: the load of the machine only makes a wait longer.
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(45);
    expect(Math.min(...waits)).toBeLessThan(500);
    writer.exec('ROLLBACK');
    writer.close();
    expect((await read('SELECT * FROM t')).rows).toEqual([]);
  });

  test('keeps no lock after a query that was cut', async () => {
    const path = temporaryDatabase('CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)');
    const { pool } = startPool(path);
    await pool.run(
      'read-query',
      { query: 'SELECT a FROM t', limit: 1 },
      new AbortController().signal,
    );
    const writer = new Database(path, { timeout: 0 });
    expect(() => writer.exec('BEGIN EXCLUSIVE; INSERT INTO t VALUES (4); COMMIT')).not.toThrow();
    writer.close();
  });

  test('reports a file that is not a database, is damaged or missing', async () => {
    const path = temporaryDatabase('CREATE TABLE t(a)');
    const { read } = startPool(path);
    expect((await read('SELECT * FROM t')).rows).toEqual([]);
    const text = `${path}.txt`;
    writeFileSync(
      text,
      'This is a plain text file, and it is longer than a header of one hundred bytes. '.repeat(20),
    );
    renameSync(text, path);
    await expect(read('SELECT * FROM t')).rejects.toThrow(
      'SQLITE_NOTADB: file is not a database. The file is not an SQLite database',
    );
    rmSync(path);
    await expect(read('SELECT * FROM t')).rejects.toThrow('no longer exists');
    expect(existsSync(path)).toBe(false);
    mkdirSync(path);
    await expect(read('SELECT * FROM t')).rejects.toThrow('there is a directory now');
  });

  test('reports damaged pages', async () => {
    const path = temporaryDatabase(
      "CREATE TABLE t(a); INSERT INTO t SELECT printf('%.2000c', 'x') FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8))",
    );
    const handle = new Database(path);
    const bytes = handle.serialize();
    handle.close();
    bytes.fill(0xff, 4096);
    writeFileSync(path, bytes);
    await expect(startPool(path).read('SELECT sum(length(a)) FROM t')).rejects.toThrow(
      /SQLITE_CORRUPT.*damaged; PRAGMA integrity_check/,
    );
  });

  test('reads what another process commits to a WAL database', async () => {
    const path = temporaryDatabase('PRAGMA journal_mode = WAL; CREATE TABLE t(a)');
    const { read } = startPool(path);
    expect((await read('SELECT * FROM t')).rows).toEqual([]);
    const writer = new Database(path);
    writer.exec('INSERT INTO t VALUES (1); BEGIN IMMEDIATE; INSERT INTO t VALUES (2)');
    expect((await read('SELECT * FROM t')).rows).toEqual([[1]]);
    writer.exec('COMMIT');
    expect((await read('SELECT * FROM t')).rows).toEqual([[1], [2]]);
    writer.close();
  });

  test('keeps error messages short', async () => {
    const { read } = startPool(temporaryDatabase());
    const outcome = await read(`SELECT 1 ${'x'.repeat(500_000)} y`).catch(
      (error: unknown) => error,
    );
    expect((outcome as Error).message).toMatch(/^SQLITE_ERROR: near/);
    expect((outcome as Error).message.length).toBeLessThanOrEqual(4096);
  });

  test('changes nothing in the database file and writes no file beside it', async () => {
    const path = temporaryDatabase('CREATE TABLE t(a)');
    const { read } = startPool(path);
    await read('SELECT * FROM t ORDER BY a');
    expect(['-wal', '-shm', '-journal'].filter((suffix) => existsSync(path + suffix))).toEqual([]);
  });

  test('refuses more waiting queries than it can promise to run', async () => {
    const { pool, read } = startPool(temporaryDatabase());
    const outcomes = Array.from({ length: 101 }, () =>
      read('SELECT 1').then(
        () => 'done',
        (error: unknown) => String(error),
      ),
    );
    expect(await outcomes.at(-1)).toContain('Too many queries wait already (100)');
    expect(await outcomes[99]).toBe('done');
    expect(pool.pids.length).toBeGreaterThan(0);
  });
});

describe('requests that a process has received while it runs another', () => {
  /** Returns the number of times that each query was sent. */
  function countSent(): (query: string) => number {
    const send = vi.spyOn(ExecutorProcess.prototype, 'send');
    onTestFinished(() => send.mockRestore());
    return (query) =>
      send.mock.calls.filter(
        ([message]) =>
          message.kind === 'request' && (message.input as { query?: string }).query === query,
      ).length;
  }

  test('are sent again when it is killed at the deadline of its query', async () => {
    const { pool, read, crashes } = startPool(temporaryDatabase(), { timeoutMs: 1000 });
    await read('SELECT 0');
    const sent = countSent();
    const [pid] = pool.pids;
    const runaway = read(RUNAWAY).catch(String);
    const behind = [read('SELECT 1'), read('SELECT 2')];
    expect(['SELECT 1', 'SELECT 2'].map(sent)).toEqual([1, 1]);
    expect(await runaway).toContain('stopped after 1000 ms');
    expect((await Promise.all(behind)).map(({ rows }) => rows)).toEqual([[[1]], [[2]]]);
    expect(['SELECT 1', 'SELECT 2', RUNAWAY].map(sent)).toEqual([2, 2, 1]);
    expect(pool.pids).not.toContain(pid);
    expect(crashes).toEqual([]);
  });

  test('are sent again when it ends by itself', async () => {
    const { pool, read } = startPool(temporaryDatabase());
    await read('SELECT 0');
    const outcomes = Promise.allSettled([read(RUNAWAY), read('SELECT 1'), read('SELECT 2')]);
    process.kill(pool.pids[0]!, 'SIGKILL');
    expect((await outcomes).map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });

  test('move to another process when the query takes long, which goes on', async () => {
    const { pool, read } = startPool(temporaryDatabase(), { timeoutMs: 3_600_000 }, WITH_SPARE);
    await read('SELECT 0');
    await vi.waitFor(() => expect(pool.pids).toHaveLength(2), 10_000);
    const controller = new AbortController();
    const sent = countSent();
    const runaway = read(RUNAWAY, controller.signal).catch(String);
    const queries = Array.from({ length: 6 }, (_, index) => `SELECT ${index}`);
    const results = await Promise.all(queries.map((query) => read(query)));
    expect(results.map(({ rows }) => rows)).toEqual(queries.map((_, index) => [[index]]));
    expect(sent(RUNAWAY)).toBe(1);
    const pids = pool.pids;
    expect((await read('SELECT 7')).rows).toEqual([[7]]);
    expect(pool.pids).toEqual(pids);
    controller.abort();
    expect(await runaway).toContain('cancelled');
  });

  test('are cancelled without harm to the query before, and do not run for long', async () => {
    const { pool, read } = startPool(temporaryDatabase(), { timeoutMs: 3_600_000 });
    await read('SELECT 0');
    const [pid] = pool.pids;
    const sent = countSent();
    const controller = new AbortController();
    const before = read(RUNAWAY.replace('FROM c)', 'FROM c LIMIT 200000)'));
    const runaway = read(RUNAWAY, controller.signal).catch(String);
    const behind = read('SELECT 1');
    controller.abort();
    expect(await runaway).toContain('cancelled');
    expect((await before).rows).toEqual([[200_000]]);
    expect((await behind).rows).toEqual([[1]]);
    // The process runs the cancelled query until it is killed.
    await vi.waitFor(() => expect(pool.pids).not.toContain(pid), 10_000);
    expect([RUNAWAY, 'SELECT 1'].map(sent)).toEqual([1, 2]);
  });
});

/**
 * Starts a process in the role of the server, which runs an endless query and prints the id of its
 * query process.
 */
function startServerProcess(path: string): ChildProcess {
  const code = `
    const { ExecutorPool } = await import(${JSON.stringify(new URL('./executor-pool.ts', import.meta.url).href)});
    const { DEFAULT_LIMITS } = await import(${JSON.stringify(new URL('./limits.ts', import.meta.url).href)});
    const pool = new ExecutorPool({ path: ${JSON.stringify(path)}, limits: { ...DEFAULT_LIMITS, timeoutMs: 60000 } });
    const { signal } = new AbortController();
    await pool.run('read-query', { query: 'SELECT 1' }, signal);
    pool.run('read-query', { query: ${JSON.stringify(RUNAWAY)} }, signal);
    const [pid] = pool.pids;
    await pool.run('read-query', { query: 'SELECT 2' }, signal);
    process.stdout.write(String(pid));`;
  const server = spawn(
    process.execPath,
    ['--conditions=@signalbox/source', '--input-type=module', '-e', code],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => {
    server.kill('SIGKILL');
  });
  return server;
}

import { existsSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ExecutorPool, type WriterPool } from '../../executor-pool.ts';
import { DEFAULT_LIMITS } from '../../limits.ts';
import { openForReading, temporaryDatabase } from '../../testing/temporary-database.ts';
import type { ImportRowsInput } from './import-protocol.ts';

const never = new AbortController().signal;
const csv: ImportRowsInput = {
  table: 't',
  format: 'csv',
  createTable: false,
  header: true,
};
/** Rows of 1 MiB, more than a transaction keeps in memory with the other changes. */
const chunk = `${'x'.repeat(1000)}\n`.repeat(1000);

function startWriter(path: string): WriterPool {
  const pool: WriterPool = new ExecutorPool({ path, limits: DEFAULT_LIMITS, isWriter: true });
  onTestFinished(() => pool.close());
  return pool;
}

/** Resolves when the process has inserted the chunks, because it asks for the next one then. */
function stuckAfter(chunks: number): {
  readonly source: AsyncIterable<string>;
  readonly stuck: Promise<void>;
} {
  const { promise: stuck, resolve } = Promise.withResolvers<void>();
  async function* source(): AsyncGenerator<string, void> {
    yield await Promise.resolve('a\n');
    for (let index = 0; index < chunks; index++) yield chunk;
    resolve();
    await new Promise(() => {});
  }
  return { source: source(), stuck };
}

const count = (path: string): unknown =>
  openForReading(path).prepare('SELECT count(*) FROM t').pluck().get();

test.each([
  ['cancelled', (_: WriterPool, controller: AbortController) => controller.abort()],
  ['killed', (pool: WriterPool) => void process.kill(pool.pids[0] ?? 0, 'SIGKILL')],
])('an import that is %s in the middle leaves nothing', async (_, stop) => {
  const path = temporaryDatabase('CREATE TABLE t(a); CREATE INDEX i ON t(a)');
  const pool = startWriter(path);
  const controller = new AbortController();
  const { source, stuck } = stuckAfter(40);
  const imported = pool.run('import-rows', csv, controller.signal, { source });
  const failure = imported.then(String, String);
  await stuck;
  // The changes are more than the cache holds, so that the file has some of them.
  expect(existsSync(`${path}-journal`)).toBe(true);
  stop(pool, controller);
  expect(await failure).toContain('Nothing was applied');
  await pool.run('recover', {}, never);
  expect(count(path)).toBe(0);
  expect(openForReading(path).pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  const again = { source: stream('a\n1\n') };
  expect(await pool.run('import-rows', csv, never, again)).toMatchObject({ rows: 1 });
});

test('the same chunks are imported when the data ends', async () => {
  const path = temporaryDatabase('CREATE TABLE t(a)');
  const pool = startWriter(path);
  const source = stream('a\n', ...Array.from({ length: 3 }, () => chunk));
  expect(await pool.run('import-rows', csv, never, { source })).toMatchObject({ rows: 3000 });
  expect(count(path)).toBe(3000);
});

test('200 MB without a line feed are refused after 16 MiB', async () => {
  const path = temporaryDatabase('CREATE TABLE t(a)');
  const pool = startWriter(path);
  let sent = 0;
  async function* source(): AsyncGenerator<string, void> {
    const part = 'x'.repeat(2 ** 18);
    for (; sent < 800; sent++) yield await Promise.resolve(part);
  }
  expect(await pool.run('import-rows', csv, never, { source: source() })).toMatchObject({
    rows: 0,
    errors: [{ line: 1, message: expect.stringContaining('16777216') as string }],
  });
  expect(sent).toBeLessThan(70);
  expect(pool.pids).toHaveLength(1);
});

test('an error of the source ends the import and is the error of the call', async () => {
  const path = temporaryDatabase('CREATE TABLE t(a)');
  const pool = startWriter(path);
  async function* source(): AsyncGenerator<string, void> {
    yield await Promise.resolve('a\n1\n');
    throw new Error('the disk is gone');
  }
  const imported = pool.run('import-rows', csv, never, { source: source() });
  await expect(imported).rejects.toThrow('the disk is gone');
  await nextTurn();
  expect(count(path)).toBe(0);
});

async function* stream(...parts: readonly string[]): AsyncGenerator<string, void> {
  for (const part of parts) yield await Promise.resolve(part);
}

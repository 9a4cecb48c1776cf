import { appendFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { DatabaseVersion } from '../executor/protocol.ts';
import { temporaryDatabase } from '../testing/temporary-database.ts';
import { DatabaseWatch, type DatabaseChange, type DatabaseWatchOptions } from './database-watch.ts';

interface Watched {
  readonly watch: DatabaseWatch;
  readonly path: string;
  readonly changes: readonly DatabaseChange[];
  readonly warnings: readonly string[];
  /** Number of checks so far. */
  readonly checks: () => number;
  /** The version that the next check finds. */
  version: DatabaseVersion | Error;
}

function watchDatabase(openWatch?: DatabaseWatchOptions['openWatch']): Watched {
  const path = temporaryDatabase();
  const changes: DatabaseChange[] = [];
  const warnings: string[] = [];
  let count = 0;
  const run = () => {
    count += 1;
    return watched.version instanceof Error
      ? Promise.reject(watched.version)
      : Promise.resolve(watched.version);
  };
  const watch = new DatabaseWatch({
    // A pool of which the watch uses only this method.
    database: { name: 'main', path, readers: { run } as never },
    onChange: (change) => changes.push(change),
    warn: (message) => warnings.push(message),
    ...(openWatch === undefined ? {} : { openWatch }),
  });
  onTestFinished(() => {
    watch.close();
  });
  const watched: Watched = {
    watch,
    path,
    changes,
    warnings,
    checks: () => count,
    version: { connection: 'a', data: 1, schema: 1 },
  };
  return watched;
}

test('reports data and schema that another connection changed, after a hint', async () => {
  const watched = watchDatabase();
  await watched.watch.attach();
  watched.version = { connection: 'a', data: 2, schema: 1 };
  appendFileSync(watched.path, 'x');
  await expect.poll(() => watched.changes).toEqual([{ isSchema: false }]);
  watched.version = { connection: 'a', data: 3, schema: 2 };
  writeFileSync(`${watched.path}-wal`, 'x');
  await expect.poll(() => watched.changes).toEqual([{ isSchema: false }, { isSchema: true }]);
});

test('a hint alone is no change', async () => {
  const watched = watchDatabase();
  await watched.watch.attach();
  appendFileSync(watched.path, 'x');
  await expect.poll(watched.checks).toBeGreaterThan(2);
  expect(watched.changes).toEqual([]);
});

test('reports a commit that becomes visible only after the hint and the first checks', async () => {
  const watched = watchDatabase();
  await watched.watch.attach();
  appendFileSync(watched.path, 'x');
  await expect.poll(watched.checks).toBeGreaterThan(2);
  watched.version = { connection: 'a', data: 2, schema: 1 };
  await expect.poll(() => watched.changes).toEqual([{ isSchema: false }]);
});

test('compares the files when the connection is another one', async () => {
  const watched = watchDatabase();
  await watched.watch.attach();
  watched.version = { connection: 'b', data: 7, schema: 1 };
  writeFileSync(`${watched.path}-journal`, 'x');
  await expect.poll(watched.checks).toBeGreaterThan(1);
  expect(watched.changes).toEqual([]);
  watched.version = { connection: 'c', data: 1, schema: 1 };
  appendFileSync(watched.path, 'x');
  await expect.poll(() => watched.changes).toEqual([{ isSchema: false }]);
});

test('looks at nothing before the first and after the last user', async () => {
  const watched = watchDatabase();
  const witness = watchDatabase();
  await witness.watch.attach();
  const touchAndWait = async () => {
    appendFileSync(watched.path, 'x');
    const before = witness.checks();
    appendFileSync(witness.path, 'x');
    await expect.poll(witness.checks).toBeGreaterThan(before);
  };
  await touchAndWait();
  expect([watched.checks(), watched.watch.isActive]).toEqual([0, false]);
  const [first, second] = [await watched.watch.attach(), await watched.watch.attach()];
  first();
  first();
  await touchAndWait();
  await expect.poll(watched.checks).toBeGreaterThan(1);
  expect(watched.watch.isActive).toBe(true);
  second();
  const last = watched.checks();
  await touchAndWait();
  expect([watched.checks(), watched.watch.isActive]).toEqual([last, false]);
});

test('checks from time to time where the system does not watch, and after a failure', async () => {
  const refused = () => {
    throw new Error('ENOSPC');
  };
  for (const watched of [watchDatabase(refused), watchDatabase()]) {
    watched.version = new Error('locked');
    await watched.watch.attach();
    await expect.poll(watched.checks).toBe(2);
    expect(watched.changes).toEqual([]);
    watched.version = { connection: 'a', data: 1, schema: 1 };
    await expect.poll(watched.checks).toBe(3);
    await expect.poll(() => watched.changes).toEqual([{ isSchema: true }]);
    watched.watch.close();
  }
});

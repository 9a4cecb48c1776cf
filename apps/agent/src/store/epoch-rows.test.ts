import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { catalogueTool } from '../ports/testing/catalogue-tool.ts';
import { queuedRun } from '../ports/testing/queued-run.ts';
import { systemClock } from '../system/system-clock.ts';
import { openStore } from './open-store.ts';
import { eraseRun } from '../ports/testing/erase-run.ts';

test('equal tools are stored once, and are deleted with the last run that has them', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'epochs-'));
  const store = await openStore({ dataDir, durability: 'process', clock: systemClock });
  const [one, two] = [[catalogueTool('x')], [catalogueTool('x'), catalogueTool('y')]];
  const sets = (): number => {
    const database = new Sqlite(join(dataDir, 'signalbox.sqlite'), { readonly: true });
    try {
      return database.prepare('select count(*) from tool_sets').pluck().get() as number;
    } finally {
      database.close();
    }
  };
  await store.write({}, async (sql) => {
    for (const id of ['r1', 'r2']) {
      await sql.insertRun(queuedRun(id));
      await sql.insertCatalogue(id, { turn: 1, point: 'begin', tools: one });
    }
    await sql.insertCatalogue('r1', { turn: 2, point: 'plan', tools: two });
    await sql.insertCatalogue('r1', { turn: 2, point: 'begin', tools: one });
  });
  expect(sets()).toBe(2);
  await eraseRun(store, 'r1');
  expect(sets()).toBe(1);
  await store.write({}, async (sql) => {
    await sql.insertThread({
      id: 't1',
      title: undefined,
      metadata: {},
      createdAt: 1,
      updatedAt: 1,
    });
    await sql.insertRun(queuedRun('r3', { threadId: 't1', threadPosition: 0 }));
    await sql.insertCatalogue('r3', { turn: 1, point: 'begin', tools: two });
  });
  expect(sets()).toBe(2);
  await store.write({}, (sql) => sql.deleteThread('t1'));
  while (await store.write({}, (sql) => sql.deleteErased()));
  expect(sets()).toBe(1);
  await store.close();
});

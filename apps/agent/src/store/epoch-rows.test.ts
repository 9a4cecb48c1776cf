import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { queuedRun } from '../ports/testing/queued-run.ts';
import type { CatalogueTool } from '../ports/tool-registry.ts';
import { systemClock } from '../system/system-clock.ts';
import { openStore } from './open-store.ts';

const tool = (name: string): CatalogueTool => ({
  wireName: `a__${name}`,
  server: 'a',
  name,
  description: name,
  inputSchema: { type: 'object' },
  annotations: {},
  trusted: false,
});

test('catalogues are returned in order, the last of each kind is found, and equal tools are stored once', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'epochs-'));
  const store = await openStore({ dataDir, durability: 'process', clock: systemClock });
  const [one, two] = [[tool('x')], [tool('x'), tool('y')]];
  await store.write(async (sql) => {
    for (const id of ['r1', 'r2']) {
      await sql.insertRun(queuedRun(id));
      await sql.insertEpoch({
        runId: id,
        id: 'e',
        system: 'be kind',
        tools: [{ name: 'a__x', description: 'x', inputSchema: {} }],
        policies: { a: { approval: 'ask' } },
      });
      await sql.insertCatalogue(id, { turn: 1, point: 'begin', tools: one });
    }
    await sql.insertCatalogue('r1', { turn: 2, point: 'plan', tools: two });
    await sql.insertCatalogue('r1', { turn: 2, point: 'begin', tools: one });
  });
  const { read } = store;
  expect(await read.epoch('r1')).toEqual({
    runId: 'r1',
    id: 'e',
    system: 'be kind',
    tools: [{ name: 'a__x', description: 'x', inputSchema: {} }],
    policies: { a: { approval: 'ask' } },
  });
  expect(await read.epoch('r3')).toBeUndefined();
  expect(
    (await read.catalogues('r1')).map(({ turn, point, tools }) => [turn, point, tools.length]),
  ).toEqual([
    [1, 'begin', 1],
    [2, 'begin', 1],
    [2, 'plan', 2],
  ]);
  expect(await read.lastCatalogue('r1')).toEqual({ turn: 2, point: 'plan', tools: two });
  expect(await read.lastCatalogue('r1', 'begin')).toEqual({ turn: 2, point: 'begin', tools: one });
  expect(
    await Promise.all([
      read.isLastCatalogue('r1', two),
      read.isLastCatalogue('r1', one),
      read.isLastCatalogue('r1', one, 'begin'),
      read.isLastCatalogue('r3', one),
    ]),
  ).toEqual([true, false, true, false]);
  const sets = (): number =>
    new Sqlite(join(dataDir, 'signalbox.sqlite'), { readonly: true })
      .prepare('select count(*) from tool_sets')
      .pluck()
      .get() as number;
  expect(sets()).toBe(3);
  await store.write((sql) => sql.deleteRun('r1'));
  expect(sets()).toBe(2);
  expect(await read.epoch('r1')).toBeUndefined();
  expect(await read.catalogues('r2')).toHaveLength(1);
  await store.write(async (sql) => {
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
  expect(sets()).toBe(3);
  await store.write((sql) => sql.deleteThread('t1'));
  expect(sets()).toBe(2);
  await store.close();
});

import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { queuedRun } from '../ports/testing/queued-run.ts';
import { Connection } from './connection.ts';
import { openStore } from './open-store.ts';
import { searchRuns } from './search-runs.ts';
import { databaseFolder } from './testing/migrated-database.ts';

test('a page that has read its maximum number of runs ends with a cursor, also without a run', async () => {
  const dataDir = databaseFolder();
  const clock = { now: () => 1234, after: () => () => undefined };
  const store = await openStore({ dataDir, durability: 'process', clock });
  await store.write({}, async (sql) => {
    for (let index = 0; index < 4500; index += 1)
      await sql.insertRun(
        queuedRun(`r${index}`, { createdAt: index, prompt: index % 4400 === 0 ? 'needle' : 'hay' }),
      );
  });
  await store.close();
  const rows = new Connection(new Sqlite(join(dataDir, 'signalbox.sqlite'), { readonly: true }));
  const page = (cursor?: string, maxRuns?: number) =>
    searchRuns(rows, rows.kysely.selectFrom('runs').select(['runs.id', 'runs.createdAt']), {
      words: ['needle'],
      limit: 1,
      decode: (row) => row,
      ...(cursor === undefined ? {} : { cursor }),
      ...(maxRuns === undefined ? {} : { maxRuns }),
    });
  const newest = { id: 'r4400', createdAt: 4400 };
  const oldest = { id: 'r0', createdAt: 0 };
  const first = await page(undefined, 3000);
  expect(first).toEqual({ data: [newest], nextCursor: expect.any(String) as string });
  expect(await page(first.nextCursor, 3000)).toEqual({ data: [oldest], nextCursor: undefined });
  const empty = await page(Buffer.from('[4400,"r4400"]').toString('base64url'), 1000);
  expect(empty).toEqual({ data: [], nextCursor: expect.any(String) as string });
  expect(await page(empty.nextCursor)).toEqual({ data: [oldest], nextCursor: undefined });
  // Control: without the maximum the first page knows that the second exists.
  const whole = await page();
  expect(whole).toMatchObject({ data: [newest] });
  expect(await page(whole.nextCursor)).toEqual({ data: [oldest], nextCursor: undefined });
  await rows.close();
});

import { expect, test } from 'vitest';
import { createSampleDatabase } from './sample-database.ts';
import { OURS, sqliteServers } from './sqlite-servers.ts';
import { sqliteTasks } from './sqlite-tasks.ts';

const load = { reads: 4, readsBetween: 4, smallReads: 40, runawayMs: 2000 };

test('every task measures our server, and better-sqlite3 alone where it can', async () => {
  const ours = sqliteServers.find(({ name }) => name === OURS);
  if (ours === undefined) throw new Error('our server is not built');
  await using sample = await createSampleDatabase(500);
  for (const task of sqliteTasks) {
    const figures = await task.measure(ours, sample, load);
    const bare = await task.measureBare?.(sample, load);
    for (const value of Object.values({ ...figures, ...bare }))
      expect(value).toSatisfy(Number.isFinite);
  }
});

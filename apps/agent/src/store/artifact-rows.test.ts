import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { SqliteQueryCompiler } from 'kysely';
import { expect, test, vi } from 'vitest';
import { openStore } from './open-store.ts';

test('a list of artifacts reads an index, not the rows with the content', async () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'artifacts-')), 'data');
  const store = await openStore({
    dataDir,
    durability: 'process',
    clock: { now: () => 5, after: () => () => undefined },
  });
  const compiled = vi.spyOn(SqliteQueryCompiler.prototype, 'compileQuery');
  await store.read.artifacts('r', { limit: 9 });
  const query = compiled.mock.results.at(-1)?.value as { sql: string; parameters: unknown[] };
  await store.close();
  const database = new Sqlite(join(dataDir, 'signalbox.sqlite'), { readonly: true });
  const plan = database.prepare(`explain query plan ${query.sql}`).all(...query.parameters) as {
    readonly detail: string;
  }[];
  database.close();
  expect(plan.map(({ detail }) => detail)).toContain(
    'SEARCH artifacts USING COVERING INDEX artifact_lists (id=?)',
  );
});

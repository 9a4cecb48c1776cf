import Sqlite from 'better-sqlite3';
import { Kysely, sql, SqliteDialect } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { describe, expect, test } from 'vitest';
import { isAdditive, MIGRATIONS } from './all-migrations.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: 0 | 1;
  readonly dflt_value: string | null;
  readonly pk: number;
}

interface Table {
  readonly columns: readonly Column[];
  readonly uniqueIndexes: readonly string[];
}

type Schema = ReadonlyMap<string, Table>;

const names = Object.keys(MIGRATIONS);
const LAST = names.at(-1) ?? '';

async function migrateTo(
  database: Sqlite.Database,
  migrations: { readonly [name: string]: Migration },
): Promise<void> {
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  const provider = { getMigrations: () => Promise.resolve({ ...migrations }) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  expect(error).toBeUndefined();
}

function schemaOf(database: Sqlite.Database): Schema {
  const tables = database
    .prepare<[], string>("select name from sqlite_schema where type = 'table'")
    .pluck()
    .all();
  return new Map(
    tables.map((table) => [
      table,
      {
        columns: database.prepare<[], Column>(`select * from pragma_table_info('${table}')`).all(),
        uniqueIndexes: database
          .prepare<[], string>(`select name from pragma_index_list('${table}') where "unique"`)
          .pluck()
          .all(),
      },
    ]),
  );
}

/** Returns what a process of the earlier version could not tolerate. */
function problems(before: Schema, after: Schema): readonly string[] {
  const found: string[] = [];
  for (const [name, table] of before) {
    const now = after.get(name);
    if (now === undefined) {
      found.push(`the table ${name} is gone`);
      continue;
    }
    const [kept, added] = [
      now.columns.slice(0, table.columns.length),
      now.columns.slice(table.columns.length),
    ];
    if (JSON.stringify(kept.map(withoutId)) !== JSON.stringify(table.columns.map(withoutId)))
      found.push(`columns of ${name} have changed`);
    for (const column of added)
      if (column.notnull === 1 && column.dflt_value === null)
        found.push(`${name}.${column.name} needs a value`);
    if (now.uniqueIndexes.some((index) => !table.uniqueIndexes.includes(index)))
      found.push(`${name} has another unique index`);
  }
  return found;
}

function withoutId({ name, type, notnull, dflt_value, pk }: Column): Column {
  return { name, type, notnull, dflt_value, pk };
}

async function problemsOf(
  name: string,
  further: Migration | undefined,
): Promise<readonly string[]> {
  const database = new Sqlite(':memory:');
  const earlier = Object.fromEntries(
    Object.entries(MIGRATIONS).filter(([each]) => further !== undefined || each < name),
  );
  await migrateTo(database, earlier);
  const before = schemaOf(database);
  const migration = further ?? MIGRATIONS[name];
  if (migration !== undefined) await migrateTo(database, { ...earlier, [name]: migration });
  const found = problems(before, schemaOf(database));
  database.close();
  return found;
}

describe('a migration that is marked as additive', () => {
  test.each(names.filter(isAdditive))(
    '%s changes nothing that an earlier version uses',
    async (name) => {
      expect(await problemsOf(name, undefined)).toEqual([]);
    },
  );

  test.each([
    ['alter table runs drop column answer', ['columns of runs have changed']],
    ['alter table runs rename column answer to reply', ['columns of runs have changed']],
    ['drop table schedules', ['the table schedules is gone']],
    ['create unique index later on runs (status)', ['runs has another unique index']],
    ["alter table runs add column later text not null default 'x'", []],
    ['alter table runs add column later text', []],
    ['create table later (id text primary key)', []],
  ])('control: what `%s` does is found', async (statement, expected) => {
    const up = async (db: Kysely<unknown>): Promise<void> => {
      await sql.raw(statement).execute(db);
    };
    expect(await problemsOf(`${LAST}-later`, { up })).toEqual(expected);
  });
});

import type { SqliteDatabase } from 'kysely';
import type Sqlite from 'better-sqlite3';

/** More different statements than the store has, so that only unforeseen ones are ever prepared again. */
const MOST_STATEMENTS = 500;

/** Changes nothing and gives no row. */
const NOTHING = 'select null where false';

/** The database with its prepared statements kept: preparing was a fifth of the time of a run. */
export function cachedStatements(database: Sqlite.Database): SqliteDatabase {
  const statements = new Map<string, Sqlite.Statement>();
  const prepare = (sql: string): Sqlite.Statement => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    if (statements.size >= MOST_STATEMENTS) statements.clear();
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    // SQLite itself rolls back when the disk is full or broken. A second rollback would fail, and its error would hide the first one.
    prepare: (sql) => prepare(sql === 'rollback' && !database.inTransaction ? NOTHING : sql),
    close: () => void database.close(),
  };
}

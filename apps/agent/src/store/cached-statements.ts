import type { SqliteDatabase } from 'kysely';
import type Sqlite from 'better-sqlite3';

/** More different statements than the store has, so that only unforeseen ones are ever prepared again. */
const MOST_STATEMENTS = 500;

/** The database with its prepared statements kept: preparing was a fifth of the time of a run. */
export function cachedStatements(database: Sqlite.Database): SqliteDatabase {
  const statements = new Map<string, Sqlite.Statement>();
  return {
    prepare(sql) {
      const known = statements.get(sql);
      if (known !== undefined) return known;
      if (statements.size >= MOST_STATEMENTS) statements.clear();
      const statement = database.prepare(sql);
      statements.set(sql, statement);
      return statement;
    },
    close: () => void database.close(),
  };
}

import { SqliteAdapter, type Kysely } from 'kysely';

/**
 * Whether a migration runs on SQLite. Migrations up to 0018 change rows only there, since they find
 * none in a PostgreSQL database: it was created by a later version.
 */
export function isSqlite<Tables>(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}

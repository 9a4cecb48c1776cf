import type { Database } from 'better-sqlite3';

const NAMES = `SELECT name FROM pragma_table_list
  WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`;

/** Returns the names of the tables and views, in order, without internal and shadow tables. */
export function tableNames(database: Database): readonly string[] {
  return database.prepare<[], string>(NAMES).pluck().all();
}

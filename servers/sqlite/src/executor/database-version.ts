import type { Database } from 'better-sqlite3';
import type { DatabaseVersion } from './protocol.ts';

const connections = new WeakMap<Database, string>();

/**
 * Returns the version of the data, which changes when another connection has changed the database,
 * and that of the schema. Data versions of two connections cannot be compared.
 * @see https://www.sqlite.org/pragma.html#pragma_data_version
 */
export function databaseVersion(database: Database): DatabaseVersion {
  const connection = connections.get(database) ?? crypto.randomUUID();
  connections.set(database, connection);
  return {
    connection,
    data: Number(database.pragma('data_version', { simple: true })),
    schema: Number(database.pragma('schema_version', { simple: true })),
  };
}

export type { SqliteServer, SqliteServerOptions } from './create-sqlite-server.ts';
export { createSqliteServer } from './create-sqlite-server.ts';
export type { SqliteLimits } from './limits.ts';

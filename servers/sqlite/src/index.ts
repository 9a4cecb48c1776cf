export type { SqliteLimits } from './limits.ts';
export { createSqliteServer } from './sqlite-server.ts';
export type { SqliteServer, SqliteServerOptions } from './sqlite-server.ts';

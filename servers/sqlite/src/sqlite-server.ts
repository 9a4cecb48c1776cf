import { createServer, type Server } from '@signalbox/mcp-core/server';
import { ExecutorPool } from './executor-pool.ts';
import { DEFAULT_LIMITS, type SqliteLimits } from './limits.ts';
import { schemaResource } from './schema-resource.ts';
import { describeTableTool } from './tools/describe-table.ts';
import { listTablesTool } from './tools/list-tables.ts';
import { readQueryTool } from './tools/read-query.ts';

export interface SqliteServerOptions {
  /** Path of the database file; it is opened when first needed, for reading only. */
  readonly path: string;
  /** Of this server, as told to clients. */
  readonly version: string;
  readonly limits?: Partial<SqliteLimits>;
  /** Called with a line about each query process that ended by itself. */
  readonly onCrash?: (message: string) => void;
}

export interface SqliteServer {
  readonly server: Server;
  /** Ends every query and its process. */
  close(): Promise<void>;
}

/** An MCP server over one SQLite database that never opens it in its own process; the first query process starts at once. */
export function createSqliteServer({ path, version, limits, onCrash }: SqliteServerOptions): SqliteServer {
  const allLimits = { ...DEFAULT_LIMITS, ...limits };
  const pool = new ExecutorPool({ path, limits: allLimits, ...(onCrash === undefined ? {} : { onCrash }) });
  pool.warm();
  const server = createServer({
    info: { name: 'signalbox-sqlite', title: 'Signalbox SQLite', version },
    instructions: 'Reads one SQLite database. Look at list_tables and describe_table before writing SQL for read_query; pass values through params.',
    tools: [readQueryTool(pool, allLimits.maxRows), listTablesTool(pool), describeTableTool(pool)],
    resources: schemaResource(pool),
  });
  return { server, close: () => pool.close() };
}

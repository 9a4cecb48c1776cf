import { createServer, type Server } from '@signalbox/mcp-core/server';
import {
  createLogger,
  limitResults,
  logCalls,
  logErrors,
  packageVersion,
  type Logger,
} from '@signalbox/server-kit';
import { ExecutorPool } from './executor-pool.ts';
import { DEFAULT_LIMITS, type SqliteLimits } from './limits.ts';
import { schemaResource } from './schema-resource.ts';
import { chartQueryTool } from './tools/chart-query.ts';
import { describeTableTool } from './tools/describe-table.ts';
import { explainQueryTool } from './tools/explain-query.ts';
import { listTablesTool } from './tools/list-tables.ts';
import { predictTrendTool } from './tools/predict-trend.ts';
import { readQueryTool } from './tools/read-query.ts';

export interface SqliteServerOptions {
  /** Path of the database file, which is opened read-only on first use. */
  readonly path: string;
  readonly limits?: Partial<SqliteLimits>;
  /** Destination of log lines. Default: warnings and errors to stderr. */
  readonly log?: Logger;
}

export interface SqliteServer {
  readonly server: Server;
  /** Ends every query and its process. */
  close(): Promise<void>;
}

/**
 * Creates an MCP server for one SQLite database, which only query processes open. Starts the first
 * query process at once.
 */
export function createSqliteServer(options: SqliteServerOptions): SqliteServer {
  const { path, log = createLogger('warn') } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const pool = new ExecutorPool({ path, limits, onCrash: (message) => log.warn(message) });
  pool.warm();
  const server = createServer({
    info: { name: 'signalbox-sqlite', title: 'SQLite', version: packageVersion(import.meta.url) },
    instructions:
      'Reads one SQLite database. Look at list_tables and describe_table before writing SQL for read_query; pass values through params.',
    tools: [
      readQueryTool(pool, limits.maxRows),
      listTablesTool(pool),
      describeTableTool(pool),
      explainQueryTool(pool),
      chartQueryTool(pool),
      predictTrendTool(pool),
    ],
    resources: [schemaResource(pool)],
    extensions: { middleware: [logCalls(log), limitResults({ maxBytes: limits.maxResultBytes })] },
    events: { onError: logErrors(log) },
    settings: { lists: { areFixed: true } },
  });
  return { server, close: () => pool.close() };
}

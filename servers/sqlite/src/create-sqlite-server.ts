import { createServer, type Server } from '@signalbox/mcp-core/server';
import {
  Confirmations,
  createLogger,
  limitResults,
  logCalls,
  logErrors,
  packageVersion,
  type ConfirmationPolicy,
  type Logger,
} from '@signalbox/server-kit';
import { Databases } from './databases.ts';
import { DEFAULT_LIMITS, type SqliteLimits } from './limits.ts';
import { schemaResource } from './schema-resource.ts';
import { createTools } from './tools/create-tools.ts';

export interface SqliteServerOptions {
  /**
   * Paths of the database files by name; at least one. The first is the default of every call. Files
   * are opened on first use and must exist.
   */
  readonly databases: { readonly [name: string]: string };
  /** Whether to offer read-only tools only; default false. */
  readonly readOnly?: boolean;
  /**
   * When the user is asked: `auto` (default) before all rows of a table are changed or deleted and
   * before something is dropped, `always` before anything existing is changed, or `never`.
   */
  readonly confirm?: ConfirmationPolicy;
  readonly limits?: Partial<SqliteLimits>;
  /**
   * Keys that seal the request state of 2026-07-28 clients and cursors, the current key first.
   * Default: a random key of this process.
   */
  readonly stateKeys?: readonly string[];
  /** Destination of log lines. Default: warnings and errors to stderr. */
  readonly log?: Logger;
}

export interface SqliteServer {
  readonly server: Server;
  /** Ends every query and its process. */
  close(): Promise<void>;
}

/**
 * Creates an MCP server for SQLite databases, which only query processes open. Starts the first
 * query process at once.
 */
export function createSqliteServer(options: SqliteServerOptions): SqliteServer {
  const { readOnly = false, log = createLogger('warn') } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const databases = new Databases({
    files: options.databases,
    limits,
    readOnly,
    onCrash: (message) => log.warn(message),
  });
  const confirmations = new Confirmations({ policy: options.confirm });
  const server = createServer({
    info: { name: 'signalbox-sqlite', title: 'SQLite', version: packageVersion(import.meta.url) },
    instructions:
      'Look at list_tables and describe_table before writing SQL; pass values through params. read_query reads; the other query tools change the database.',
    tools: createTools({
      databases,
      confirmations,
      limits,
      readOnly,
      stateKeys: options.stateKeys,
    }),
    resources: [schemaResource(databases.get())],
    extensions: { middleware: [logCalls(log), limitResults({ maxBytes: limits.maxResultBytes })] },
    events: { onError: logErrors(log) },
    settings: { lists: { areFixed: true }, requestState: { keys: options.stateKeys } },
  });
  return { server, close: () => databases.close() };
}

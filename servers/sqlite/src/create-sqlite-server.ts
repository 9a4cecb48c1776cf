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
import { createPrompts } from './prompts/create-prompts.ts';
import { INSIGHTS_URI, Insights, insightsResource } from './resources/insights.ts';
import { ResourceChanges } from './resources/resource-changes.ts';
import { schemaTemplate, tableTemplate } from './resources/table-resources.ts';
import { DataFolder, type OpenDataFolder } from './files/data-folder.ts';
import { createTools } from './tools/create-tools.ts';

export interface SqliteServerOptions {
  /**
   * Paths of the database files by name; at least one. The first is the default of every call. Files
   * are opened on first use and must exist.
   */
  readonly databases: { readonly [name: string]: string };
  /** Directory of imported and exported files; by default the tools refuse file paths. */
  readonly dataDirectory?: string;
  /**
   * Whether to accept, on a Linux without `/proc`, paths of this directory that are only checked before
   * and after use; default false.
   */
  readonly allowRecheck?: boolean;
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

/** Entries on a page of a list: a database can have thousands of tables. */
const LIST_PAGE_SIZE = 500;

/**
 * Creates an MCP server for SQLite databases, which only query processes open. Starts the first
 * query process at once.
 */
export function createSqliteServer(options: SqliteServerOptions): SqliteServer {
  const { readOnly = false, confirm = 'auto', log = createLogger('warn') } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const databases = new Databases({
    files: options.databases,
    limits,
    readOnly,
    onCrash: (message) => log.warn(message),
  });
  const confirmations = new Confirmations({ policy: confirm });
  const insights = new Insights();
  const onInsight = (): void => server.changes.resourceUpdated(INSIGHTS_URI);
  const resourceChanges = new ResourceChanges({
    databases,
    changes: () => server.changes,
    warn: (message) => log.warn(message),
  });
  const server: Server = createServer({
    info: { name: 'signalbox-sqlite', title: 'SQLite', version: packageVersion(import.meta.url) },
    instructions:
      'Look at list_tables and describe_table before writing SQL; pass values through params. read_query reads; the other query tools change the database.',
    tools: createTools({
      databases,
      confirmations,
      confirm,
      insights,
      onInsight,
      limits,
      dataFolder: dataFolderOf(options),
      readOnly,
      stateKeys: options.stateKeys,
    }),
    prompts: createPrompts(databases),
    resources: [insightsResource(insights)],
    templates: [schemaTemplate(databases), tableTemplate(databases)],
    extensions: {
      middleware: [
        logCalls(log),
        limitResults({ maxBytes: limits.maxResultBytes }),
        resourceChanges.middleware,
      ],
    },
    events: {
      onError: logErrors(log),
      onLegacySession: (session) => resourceChanges.addSession(session),
    },
    settings: {
      lists: { pageSize: LIST_PAGE_SIZE },
      resourceSubscriptions: (uri, context) => resourceChanges.subscribe(uri, context),
      requestState: { keys: options.stateKeys },
    },
  });
  const close = async (): Promise<void> => {
    resourceChanges.close();
    await databases.close();
  };
  return { server, close };
}

function dataFolderOf({
  dataDirectory,
  databases,
  allowRecheck = false,
}: SqliteServerOptions): OpenDataFolder | undefined {
  if (dataDirectory === undefined) return undefined;
  let opened: Promise<DataFolder> | undefined;
  return () =>
    (opened ??= DataFolder.open(dataDirectory, {
      databases: Object.values(databases),
      allowRecheck,
    }));
}

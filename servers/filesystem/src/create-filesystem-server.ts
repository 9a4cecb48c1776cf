import {
  type AllowedDirectory,
  chooseOpener,
  createSandboxBase,
  findAllowedDirectories,
  type Sandbox,
  type SandboxBase,
} from '@signalbox/file-sandbox';
import { createServer, type Server } from '@signalbox/mcp-core/server';
import type { Transport } from '@signalbox/mcp-core';
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
import { createDenyList } from './files/deny-list.ts';
import { defaultLimits, sentBytesLimit, type Limits } from './files/limits.ts';
import { exploreProjectPrompt } from './prompts/explore-project.ts';
import { createResourceProvider } from './resources/create-resource-provider.ts';
import { DirectoryWatches } from './resources/directory-watches.ts';
import { ListWatch } from './resources/list-watch.ts';
import type { WatchMode } from './resources/watch-mode.ts';
import { Watchers } from './resources/watchers.ts';
import type { RootsMode } from './session/roots-mode.ts';
import { SessionSandbox } from './session/session-sandbox.ts';
import { createTools } from './tools/create-tools.ts';
import { RunningCalls } from './tools/running-calls.ts';
import { createToolRunner } from './tools/tool-runner.ts';

export interface FilesystemServerOptions {
  /**
   * Allowed directories or single files, absolute or relative to the working directory. Empty: the
   * roots of each client.
   */
  readonly directories: readonly string[];
  /** `narrow` (default): a client's roots narrow the directories. `replace`: they replace them. `ignore`: roots are never read. */
  readonly roots?: RootsMode;
  /** Whether to offer read-only tools only; default false. */
  readonly readOnly?: boolean;
  /**
   * Globs of paths that stay hidden and unchanged inside the directories, matched against the path
   * below its directory and against the name. Default none.
   */
  readonly deny?: readonly string[];
  /**
   * When the user is asked: `auto` (default) before a directory is deleted with its contents,
   * `always` before anything existing is changed, moved or deleted, or `never`.
   */
  readonly confirm?: ConfirmationPolicy;
  /** How subscriptions detect changes; default `native`. `off`: no subscriptions. */
  readonly watch?: WatchMode;
  /** Paths watched at once over all connections; default 256. */
  readonly maxSubscriptions?: number;
  /**
   * Whether to accept, on a Linux without `/proc`, paths that are only checked before and after
   * use; default false.
   */
  readonly allowRecheck?: boolean;
  readonly limits?: Partial<Limits>;
  /**
   * Keys that seal the request state of 2026-07-28 clients, the current key first. Default: a
   * random key of this process.
   */
  readonly stateKeys?: readonly string[];
  /** Destination of log lines. Default: warnings and errors to stderr. */
  readonly log?: Logger;
}

export interface FilesystemServer {
  readonly server: Server;
  /**
   * Aborts every tool call, waits until each has cleaned up, and stops every watcher. Does not
   * close connections.
   */
  close(): Promise<void>;
}

/** Reports that no allowed directory could be opened; the message names each with its problem. */
export class NoUsableDirectoryError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'NoUsableDirectoryError';
  }
}

/**
 * Creates a server for any number of connections, each with its own sandbox. Skips directories that
 * cannot be opened, with a warning.
 * @throws NoUsableDirectoryError when directories were given and none can be opened, PathError for a glob of `deny` that cannot be used,
 * NoKernelHandlesError where only `allowRecheck` would do
 */
export async function createFilesystemServer(
  options: FilesystemServerOptions,
): Promise<FilesystemServer> {
  const { directories, allowRecheck = false, log = createLogger('warn') } = options;
  const opener = await chooseOpener('/', { allowRecheck });
  const { directories: cli, problems } = await findAllowedDirectories(directories, opener);
  if (cli.length === 0 && problems.length > 0) throw new NoUsableDirectoryError(problems);
  for (const problem of problems) log.warn(`ignored directory ${problem}`);
  const base = createSandboxBase(opener, {
    isDenied: createDenyList(options.deny ?? []),
    directories: cli,
  });
  const warn = (message: string) => log.warn(message);
  const { watch: mode = 'native', maxSubscriptions: maxPaths = 256 } = options;
  const watching = {
    opener,
    directories: mode === 'native' ? new DirectoryWatches({ opener, warn }) : undefined,
    isOff: mode === 'off',
  };
  const watchers = new Watchers({ ...watching, maxPaths, warn });
  const listWatchers = new Watchers({ ...watching, maxPaths: Infinity });
  const confirmations = new Confirmations({ policy: options.confirm ?? 'auto' });
  const calls = new RunningCalls();
  const shared = { cli, base, calls, confirmations, watchers, listWatchers, log };
  // Requests without a connection use the directories of the command line.
  const standalone = createConnectionServer(options, shared);
  const live = new Set([standalone.server]);
  const everyConnection = (act: (server: Server) => void) => live.forEach(act);
  const server: Server = {
    changes: {
      toolsChanged: () => everyConnection(({ changes }) => changes.toolsChanged()),
      promptsChanged: () => everyConnection(({ changes }) => changes.promptsChanged()),
      resourcesChanged: () => everyConnection(({ changes }) => changes.resourcesChanged()),
      resourceUpdated: (uri) => everyConnection(({ changes }) => changes.resourceUpdated(uri)),
    },
    log: (level, data, logger) => everyConnection((each) => each.log(level, data, logger)),
    notify: (method, params) => everyConnection((each) => each.notify(method, params)),
    completeElicitation: (id) => [...live].some((each) => each.completeElicitation(id)),
    async connect(transport: Transport) {
      const own = createConnectionServer(options, shared);
      const connection = await own.server.connect(transport);
      live.add(own.server);
      void connection.closed.finally(() => {
        live.delete(own.server);
        own.close();
      });
      return connection;
    },
    handle: (request, link) => standalone.server.handle(request, link),
    stopTasks: async () => {
      await Promise.all([...live].map((each) => each.stopTasks()));
    },
    requiredScopes: (request) => standalone.server.requiredScopes(request),
    tool: (name) => standalone.server.tool(name),
    setTools: refuseReplacement,
    setPrompts: refuseReplacement,
    setResources: refuseReplacement,
    setTemplates: refuseReplacement,
  };
  const close = () => {
    standalone.close();
    watchers.close();
    listWatchers.close();
    return calls.stop();
  };
  return { server, close };
}

function refuseReplacement(): never {
  throw new Error('The filesystem server has a fixed set of features');
}

interface Shared {
  readonly cli: readonly AllowedDirectory[];
  readonly base: SandboxBase;
  readonly calls: RunningCalls;
  readonly confirmations: Confirmations;
  readonly watchers: Watchers;
  /** Watchers of the resource lists, which do not count as subscriptions. */
  readonly listWatchers: Watchers;
  readonly log: Logger;
}

interface ConnectionServer {
  readonly server: Server;
  close(): void;
}

/**
 * Creates the server of one connection, with its own sandbox, because requests do not carry their
 * legacy session.
 */
function createConnectionServer(
  options: FilesystemServerOptions,
  shared: Shared,
): ConnectionServer {
  const { roots: rootsMode = 'narrow', readOnly = false } = options;
  const { cli, base, calls, confirmations, watchers, listWatchers, log } = shared;
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const listWatch = new ListWatch(listWatchers, () => server.changes.resourcesChanged());
  listWatch.follow(cli);
  const decided = (sandbox: Sandbox, isChange: boolean) => {
    if (cli.length === 0 || rootsMode === 'replace') listWatch.follow(sandbox.directories);
    if (isChange) server.changes.resourcesChanged();
  };
  const session = new SessionSandbox({
    cli,
    rootsMode,
    base,
    warn: (message) => log.warn(message),
    decided,
  });
  const runner = createToolRunner({
    limits,
    sandboxOf: (context) => session.forRequest(context),
    confirm: (context, step) => confirmations.confirm(context, step),
    confirmsRoutine: options.confirm === 'always',
    calls,
  });
  const server: Server = createServer({
    info: {
      name: 'signalbox-filesystem',
      title: 'Filesystem',
      version: packageVersion(import.meta.url),
    },
    instructions:
      'Files below the allowed directories only; list_allowed_directories names them. Relative paths start at the first one.',
    tools: createTools(runner, { readOnly }),
    prompts: [exploreProjectPrompt(session)],
    resources: createResourceProvider({
      session,
      limits,
      watchers,
      calls,
      updated: (uri) => server.changes.resourceUpdated(uri),
    }),
    extensions: {
      middleware: [
        logCalls(log),
        listWatch.middleware,
        limitResults({ maxBytes: sentBytesLimit, methods: ['prompts/get'] }),
      ],
    },
    events: {
      onLegacySession: (legacySession) => session.attach(legacySession),
      onError: logErrors(log),
    },
    settings: { requestState: { keys: options.stateKeys } },
  });
  return { server, close: () => listWatch.close() };
}

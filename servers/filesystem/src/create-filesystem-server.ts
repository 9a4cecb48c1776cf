import { createServer, type Server } from '@signalbox/mcp-core/server';
import { ToolError, type Transport } from '@signalbox/mcp-core';
import { createLogger, logErrors, packageVersion, type Logger } from '@signalbox/server-kit';
import { defaultLimits, type Limits } from './files/limits.ts';
import { createResourceProvider } from './resources/create-resource-provider.ts';
import { Watchers } from './resources/watchers.ts';
import { findAllowedDirectories } from './sandbox/allowed-directories.ts';
import { chooseOpener } from './sandbox/choose-opener.ts';
import { createSandboxBase, type SandboxBase } from './sandbox/sandbox-base.ts';
import type { AllowedDirectory } from './sandbox/sandbox.ts';
import { SessionSandbox, type RootsMode } from './session/session-sandbox.ts';
import { createTools } from './tools/create-tools.ts';
import { createToolRunner } from './tools/tool-runner.ts';

export type ConfirmationPolicy = 'auto' | 'always' | 'never';

export type WatchMode = 'native' | 'polling' | 'off';

export interface FilesystemServerOptions {
  /** Allowed directories or single files, absolute or relative to the working directory. Empty: what each client announces as roots. */
  readonly directories: readonly string[];
  /** `narrow` (default): a client's roots narrow the directories. `replace`: they replace them. `ignore`: roots are never read. */
  readonly roots?: RootsMode;
  /** Offers only the tools that change nothing; default false. */
  readonly readOnly?: boolean;
  /** Globs of what stays hidden and untouched inside the directories, matched against the path below its directory and against the name. Default none. */
  readonly deny?: readonly string[];
  /** When destructive steps ask a person: `auto` (default) when the tool says so, `always`, or `never`. */
  readonly confirm?: ConfirmationPolicy;
  /** How subscriptions see changes; default `native`. `off`: there are none. */
  readonly watch?: WatchMode;
  /** Paths watched at once over all connections; default 256. */
  readonly maxSubscriptions?: number;
  readonly limits?: Partial<Limits>;
  /** Default: warnings and errors to stderr. */
  readonly log?: Logger;
}

export interface FilesystemServer {
  readonly server: Server;
  /** Stops every watcher. Does not close connections. */
  close(): Promise<void>;
}

/** No allowed directory could be opened; the message names each with its problem. */
export class NoUsableDirectoryError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'NoUsableDirectoryError';
  }
}

/**
 * A server for any number of connections, each with the sandbox its own client gets. Directories that cannot be opened are warned about and
 * left out.
 * @throws NoUsableDirectoryError when directories were given and none can be opened
 */
export async function createFilesystemServer(options: FilesystemServerOptions): Promise<FilesystemServer> {
  const { directories, log = createLogger('warn') } = options;
  const opener = await chooseOpener('/');
  const { directories: cli, problems } = await findAllowedDirectories(directories, opener);
  if (cli.length === 0 && problems.length > 0) throw new NoUsableDirectoryError(problems);
  for (const problem of problems) log.warn(`ignored directory ${problem}`);
  const base = createSandboxBase(opener, { deny: options.deny ?? [], directories: cli });
  const watchers = new Watchers({ onError: (error) => log.warn(`watcher: ${error instanceof Error ? error.message : String(error)}`) });
  // Requests outside any connection have the directories of the command line.
  const standalone = createConnectionServer(options, { cli, base, watchers, log });
  const live = new Set([standalone]);
  const everyConnection = (act: (server: Server) => void) => live.forEach(act);
  const server: Server = {
    changes: {
      toolsChanged: () => everyConnection(({ changes }) => changes.toolsChanged()),
      promptsChanged: () => everyConnection(({ changes }) => changes.promptsChanged()),
      resourcesChanged: () => everyConnection(({ changes }) => changes.resourcesChanged()),
      resourceUpdated: (uri) => everyConnection(({ changes }) => changes.resourceUpdated(uri)),
    },
    log: (level, data, logger) => everyConnection((each) => each.log(level, data, logger)),
    async connect(transport: Transport) {
      const own = createConnectionServer(options, { cli, base, watchers, log });
      const connection = await own.connect(transport);
      live.add(own);
      void connection.closed.finally(() => live.delete(own));
      return connection;
    },
    handle: (request, link) => standalone.handle(request, link),
    stopTasks: async () => {
      await Promise.all([...live].map((each) => each.stopTasks()));
    },
    tool: (name) => standalone.tool(name),
    setTools: refuseReplacement,
    setPrompts: refuseReplacement,
  };
  return { server, close: () => watchers.close() };
}

function refuseReplacement(): never {
  throw new Error('The filesystem server has fixed tools');
}

interface Shared {
  readonly cli: readonly AllowedDirectory[];
  readonly base: SandboxBase;
  readonly watchers: Watchers;
  readonly log: Logger;
}

/** Requests do not say which legacy session they belong to, so that each connection has a server, and with it a sandbox, of its own. */
function createConnectionServer(options: FilesystemServerOptions, shared: Shared): Server {
  const { roots: rootsMode = 'narrow', readOnly = false } = options;
  const { cli, base, watchers, log } = shared;
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const session = new SessionSandbox({ cli, rootsMode, base, warn: (message) => log.warn(message) });
  const runner = createToolRunner({ limits, sandboxOf: (context) => session.forRequest(context), confirm: confirmStep, log });
  const server: Server = createServer({
    info: { name: 'signalbox-filesystem', title: 'Filesystem', version: packageVersion(import.meta.url) },
    instructions: 'Files below the allowed directories only; list_allowed_directories names them. Relative paths start at the first one.',
    tools: createTools(runner, { readOnly }),
    resources: createResourceProvider({ session, limits, watchers, updated: (uri) => server.changes.resourceUpdated(uri) }),
    onLegacySession: (legacySession) => session.attach(legacySession),
    onError: logErrors(log),
  });
  return server;
}

function confirmStep(): Promise<void> {
  return Promise.reject(new ToolError('This server cannot ask for confirmation.'));
}

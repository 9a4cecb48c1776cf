import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createApp, createService, type App, type AppOptions } from '../app.ts';
import type { ServerConfig } from '../config/config.ts';
import { loadConfig, type LoadedConfig } from '../config/load-config.ts';
import { demoServer, demoServers } from '../demo/demo-servers.ts';
import { demoFolder } from '../demo/demo-folder.ts';
import { ensureShopDatabase } from '../demo/shop-database.ts';
import type { Logger } from '../ports/logger.ts';
import { createStderrLogger } from '../system/stderr-logger.ts';
import type { AppArguments } from './app-arguments.ts';
import { askInput } from './ask-input.ts';
import type { Invocation } from './command-definition.ts';
import { runDemos } from './demo.ts';
import { EndedCalls } from './ended-calls.ts';
import { UsageError, type Io } from './io.ts';
import { exitCodeOf, runTask } from './run.ts';
import { serve } from './serve.ts';

interface Folders {
  /** Folder of the demo's filesystem server. */
  readonly files: string;
  /** Folder of the demo with all servers. */
  readonly tour: string | undefined;
}

interface AppContext {
  readonly parsed: AppArguments;
  readonly config: LoadedConfig;
  readonly logger: Logger;
  /** Folder of the demo's filesystem server. */
  readonly files: string;
  /** Folder of the demo with all servers; undefined without the three demo servers. */
  readonly tour: string | undefined;
  readonly ended: EndedCalls;
}

/** Builds the service for `signalbox serve`, `run` or `demo`, runs the command with it and closes it. Returns the exit code. */
export async function runWithApp(given: AppArguments, invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const parsed = given.prompt === '-' ? { ...given, prompt: await io.readInput() } : given;
  if (parsed.command === 'run' && parsed.prompt.trim() === '')
    throw new UsageError('stdin has no task');
  const files = resolve(invocation.cwd, parsed.directory ?? demoFolder(invocation));
  if (parsed.directory !== undefined && !existsSync(files))
    throw new UsageError(`there is no folder ${files}; name one that exists`);
  const tour = parsed.command === 'demo' ? await tourFolder() : undefined;
  try {
    return await runConfigured(invocation, parsed, { files, tour });
  } finally {
    if (tour !== undefined) await rm(tour, { recursive: true, force: true });
  }
}

/** Creates a temporary folder. Returns its path without symbolic links. */
async function tourFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'signalbox-tour-')));
}

async function runConfigured(
  invocation: Invocation,
  parsed: AppArguments,
  { files, tour }: Folders,
): Promise<number> {
  const { io, version, hooks } = invocation;
  const { config, hasDemoServers } = await configure(invocation, parsed, { files, tour });
  const ended = new EndedCalls();
  const stderrLogger = createStderrLogger(
    { level: config.logLevel, format: config.logFormat },
    (line) => io.err(line),
    () => io.losses?.(),
  );
  const logger = tour === undefined ? stderrLogger : ended.collect(stderrLogger);
  const context = {
    config,
    parsed,
    logger,
    files,
    tour: hasDemoServers ? tour : undefined,
    ended,
  };
  const options = { config, version, logger, paced: parsed.command !== 'demo', hooks };
  return parsed.command === 'serve'
    ? serveService(io, options, context)
    : runTemporary(io, options, context);
}

async function serveService(
  io: Io,
  options: AppOptions,
  { config, parsed, files, logger }: AppContext,
): Promise<number> {
  const service = await createService({ ...options, serverEditing: config.serverEditing });
  try {
    return await serve(io, service, { config, isDemo: parsed.isDemo, files, logger });
  } finally {
    await service.close();
  }
}

/** Runs a task or the demos in a service of this process with a temporary data directory. */
async function runTemporary(io: Io, options: AppOptions, context: AppContext): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-'));
  const config = {
    ...options.config,
    role: 'all',
    dataDir,
    database: undefined,
    redis: undefined,
  } as const;
  const app = await createApp({ ...options, config });
  try {
    return await withApp(io, app, context);
  } finally {
    await app.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function withApp(
  io: Io,
  app: App,
  { config, parsed, files, tour, ended }: AppContext,
): Promise<number> {
  for (const notice of [app.llm.info.notice, ...config.notices])
    if (notice !== undefined) io.err(`${notice}\n`);
  if (parsed.command === 'demo')
    return runDemos(io, app, {
      files,
      database: demoDatabase(config),
      isJson: parsed.isJson,
      tour,
      ended,
    });
  const outcome = await runTask(io, app, {
    ...parsed,
    servers: serverNames(config, parsed.servers),
  });
  return exitCodeOf(io, app, outcome);
}

async function configure(
  { env, cwd, io }: Invocation,
  parsed: AppArguments,
  folders: Folders,
): Promise<{
  readonly config: LoadedConfig;
  /** Whether every demo server is used, and none is replaced by a server of the configuration. */
  readonly hasDemoServers: boolean;
}> {
  const ask = io.canAsk && !parsed.isJson ? { askInput: askInput(io) } : {};
  const isTemporary = parsed.command !== 'serve';
  const sources = { flags: parsed.flags, env, cwd, homeDir: homedir(), isTemporary, ...ask };
  const config = await loadConfig(sources);
  if (parsed.isDemo) await ensureShopDatabase(demoDatabase(config));
  const { servers, notices } = addedServers(config, parsed, folders);
  const own = config.servers.filter(
    ({ name }) => parsed.directory === undefined || name !== 'filesystem',
  );
  const named = new Set(own.map(({ name }) => name));
  const all = [...own, ...servers.filter(({ name }) => !named.has(name))];
  return {
    config: {
      ...config,
      servers: parsed.isYes ? all.map(approved) : all,
      serverEditing: config.serverEditing && {
        ...config.serverEditing,
        fixed: new Set(all.filter((server) => !own.includes(server)).map(({ name }) => name)),
      },
      notices: [...config.notices, ...notices],
    },
    hasDemoServers:
      parsed.isDemo && notices.length === 0 && servers.every(({ name }) => !named.has(name)),
  };
}

function addedServers(
  config: LoadedConfig,
  { isDemo, directory }: AppArguments,
  { files, tour }: Folders,
): { readonly servers: readonly ServerConfig[]; readonly notices: readonly string[] } {
  if (isDemo) return demoServers({ files, tour, database: demoDatabase(config) });
  return {
    servers: directory === undefined ? [] : [demoServer('filesystem', [files])],
    notices: [],
  };
}

/** Returns the server with its tools approved, except the denied ones. */
function approved(server: ServerConfig): ServerConfig {
  const approvals = (server.approvals ?? []).filter(({ policy }) => policy === 'deny');
  return { ...server, approvals, approval: server.approval === 'deny' ? 'deny' : 'auto' };
}

/** Returns the names of servers that were given by name or by their name in the configuration. */
function serverNames(
  { servers, invalidServers = [] }: LoadedConfig,
  given: readonly string[],
): readonly string[] {
  return given.map(
    (name) =>
      [...servers, ...invalidServers].find(({ configuredName }) => configuredName === name)?.name ??
      name,
  );
}

function demoDatabase(config: LoadedConfig): string {
  return join(config.dataDir, 'demo', 'shop.db');
}

import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, type App, type TestHooks } from '../app.ts';
import { ConfigError } from '../config/config.ts';
import { loadConfig, type LoadedConfig } from '../config/load-config.ts';
import { demoServers } from '../demo/demo-servers.ts';
import { ensureShopDatabase } from '../demo/shop-database.ts';
import { EngineError } from '../ports/run-engine.ts';
import { ReplayError } from '../replay/recording.ts';
import { createStderrLogger } from '../stderr-logger.ts';
import { terminalLine } from '../terminal-text.ts';
import { StoreError } from '../store/store-error.ts';
import { parseArguments, USAGE, type Arguments } from './arguments.ts';
import { runDemos } from './demo.ts';
import { runInbox } from './inbox-command.ts';
import { UsageError, type Io } from './io.ts';
import { runReplay } from './replay-command.ts';
import { isInterrupted, runTask } from './run.ts';
import { serve } from './serve.ts';
import { ServiceError } from './service-client.ts';
import { runTools } from './tools-command.ts';

export interface Surroundings {
  readonly argv: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  /** Folder of the repository that the demo uses. */
  readonly repository: string;
  readonly version: string;
}

/** Runs one command line; returns the exit code: 0 done, 1 failed, 2 the command line or the configuration cannot be used, 130 interrupted. */
export async function runCommand(io: Io, surroundings: Surroundings, hooks: TestHooks = {}): Promise<number> {
  const [command, ...rest] = surroundings.argv;
  try {
    if (command === 'inbox') return await runInbox(io, { argv: rest, env: surroundings.env });
    if (command === 'tools') return await runTools(io, { argv: rest, env: surroundings.env });
    if (command === 'replay') return await runReplay(io, { argv: rest, env: surroundings.env, cwd: surroundings.cwd });
    const parsed = parseArguments(surroundings.argv);
    if (parsed.command === 'help') io.out(USAGE);
    else if (parsed.command === 'version') io.out(`${surroundings.version}\n`);
    else return await runWithApp(io, surroundings, { parsed, hooks });
    return 0;
  } catch (error) {
    const message = messageForPeople(error);
    if (message === undefined) throw error;
    io.err(`signalbox: ${terminalLine(message)}\n`);
    return error instanceof ServiceError ? 1 : 2;
  }
}

/** What to say of an error that the person at the command line can do something about. */
function messageForPeople(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const isOurs = error instanceof UsageError || error instanceof ConfigError || error instanceof StoreError || error instanceof EngineError || error instanceof ServiceError || error instanceof ReplayError;
  if (isOurs) return error.message;
  const { code, address, port, path } = error as NodeJS.ErrnoException & { readonly address?: string; readonly port?: number };
  if (code === 'EADDRINUSE') return `port ${port} on ${address} is in use: stop the program that uses it, or choose another with --port (0 takes a free one)`;
  if (code === 'EACCES' && port !== undefined) return `port ${port} needs more rights than this user has: choose one above 1023 with --port`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `the host ${address ?? ''} is no address of this machine: check --host`;
  return path === undefined ? undefined : error.message;
}

async function runWithApp(io: Io, surroundings: Surroundings, { parsed, hooks }: { parsed: Arguments; hooks: TestHooks }): Promise<number> {
  const config = await configure(surroundings, parsed);
  const isTemporary = parsed.command !== 'serve';
  const dataDir = isTemporary ? await mkdtemp(join(tmpdir(), 'signalbox-')) : config.dataDir;
  const logger = createStderrLogger({ level: config.logLevel, format: config.logFormat }, (line) => io.err(line), () => io.losses?.());
  const app = await createApp({ config: { ...config, dataDir }, version: surroundings.version, logger, paced: parsed.command !== 'demo', hooks });
  try {
    return await withApp(io, app, { config, parsed, surroundings });
  } finally {
    await app.close();
    if (isTemporary) await rm(dataDir, { recursive: true, force: true });
  }
}

async function withApp(
  io: Io,
  app: App,
  { config, parsed, surroundings }: { config: LoadedConfig; parsed: Arguments; surroundings: Surroundings },
): Promise<number> {
  if (parsed.command === 'serve') return serve(io, app, { config, isDemo: parsed.isDemo });
  for (const notice of [app.llm.info.notice, ...config.notices]) if (notice !== undefined) io.err(`${notice}\n`);
  if (parsed.command === 'demo') return runDemos(io, app, { repository: surroundings.repository, database: demoDatabase(config) });
  const run = await runTask(io, app, parsed);
  if (isInterrupted(run)) return 130;
  return run.status === 'completed' ? 0 : 1;
}

async function configure(surroundings: Surroundings, parsed: Arguments): Promise<LoadedConfig> {
  const { env, cwd, repository } = surroundings;
  const config = await loadConfig({ flags: parsed.flags, env, cwd, homeDir: homedir() });
  if (!parsed.isDemo) return config;
  await ensureShopDatabase(demoDatabase(config));
  const own = config.servers;
  const named = new Set(own.map((server) => server.name));
  return { ...config, servers: [...own, ...demoServers({ repository, database: demoDatabase(config) }).filter((server) => !named.has(server.name))] };
}

function demoDatabase(config: LoadedConfig): string {
  return join(config.dataDir, 'demo', 'shop.db');
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestHooks } from '@signalbox/agent';
import { packageFile, startCommand } from './command.ts';
import { compileCache } from './compile-cache.ts';
import { engineVariables } from './engines.ts';
import { provideMigratedDatabase } from './migrated-database.ts';

export const agentMain = packageFile('@signalbox/agent', 'bin.js');
export const serverBin = {
  filesystem: packageFile('@signalbox/server-filesystem', 'bin.js'),
  sqlite: packageFile('@signalbox/server-sqlite', 'bin.js'),
  weather: packageFile('@signalbox/server-weather', 'bin.js'),
};

/** A folder that is gone after the test; in memory where possible, for the databases of services are written there. */
export async function temporaryFolder(): Promise<{
  readonly path: string;
  remove(): Promise<void>;
}> {
  const path = await realpath(
    await mkdtemp(join(process.env['TEST_DATABASES'] ?? tmpdir(), 'signalbox-e2e-')),
  );
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

export interface ServiceOptions {
  /** Holds signalbox.json and the data directory. */
  readonly folder: string;
  /** The contents of signalbox.json. */
  readonly config: object;
  readonly env?: { readonly [name: string]: string };
}

export interface InProcessOptions extends ServiceOptions {
  readonly hooks?: TestHooks;
  /** Further arguments of `signalbox serve`. */
  readonly args?: readonly string[];
}

export interface ProcessOptions extends ServiceOptions {
  /** The program to run instead of the service itself, with the same arguments. */
  readonly program?: string;
  /** Further arguments of `signalbox serve`. */
  readonly args?: readonly string[];
  /**
   * A file descriptor in place of the pipe for stderr, or `unread` for a pipe that is never read.
   */
  readonly stderr?: number | 'unread';
}

export interface Service {
  readonly url: string;
  /** The text written to stderr so far. */
  log(): string;
  /** Stops the service as SIGTERM does and resolves when it has ended. */
  stop(): Promise<void>;
}

export interface ServiceProcess extends Service {
  readonly process: ChildProcess;
  /** Ends the process with the signal and resolves when it has ended; default SIGTERM. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Longer than any start takes, shorter than a test may take. */
const START_LIMIT_MS = 150_000;

/** Writes signalbox.json, and provides the database unless it is in PostgreSQL. Returns the file. */
async function prepare({ folder, config, env = {} }: ServiceOptions): Promise<string> {
  const file = join(folder, 'signalbox.json');
  const settings = {
    port: 0,
    data_dir: join(folder, 'data'),
    log_level: 'debug',
    ...config,
    ...('mcpServers' in config ? { mcpServers: cached(config.mcpServers as Servers) } : {}),
  };
  await writeFile(file, JSON.stringify(settings));
  const databaseUrl = env['DATABASE_URL'] ?? process.env['E2E_POSTGRES_URL'];
  if (databaseUrl === undefined) await provideMigratedDatabase(settings.data_dir);
  return file;
}

interface Servers {
  readonly [name: string]: { readonly command?: string; readonly env?: object };
}

/** The same servers with a compile cache, without which stripping the types of a test server takes as long as its start. */
function cached(servers: Servers): Servers {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      server.command === 'node' || server.command === process.execPath
        ? { ...server, env: { ...compileCache, ...server.env } }
        : server,
    ]),
  );
}

/** Returns the URL in the output of a service that listens; with log_format json an entry of the log has it. */
function urlIn(output: string): string | undefined {
  return (/(?:ready on|probes) +(http:\/\/[^/\s]+)/.exec(output) ??
    /"signalbox is ready","url":"(http:[^"]+)/.exec(output))?.[1];
}

/**
 * Runs `signalbox serve` in this process, on a free port, and resolves when it listens.
 * It has its own configuration, environment, data directory and server processes; `startServiceProcess` is for tests of the process itself.
 */
export async function startService({
  hooks,
  args = [],
  ...options
}: InProcessOptions): Promise<Service> {
  const { folder, env = {} } = options;
  const file = await prepare(options);
  const listening = Promise.withResolvers<string>();
  const command = startCommand(['serve', '--config', file, ...args], {
    folder,
    env,
    ...(hooks === undefined ? {} : { hooks }),
    onOutput(text) {
      const url = urlIn(text);
      if (url !== undefined) listening.resolve(url);
    },
  });
  command.ended.then(
    ({ code, out, err }) =>
      listening.reject(new Error(`the service ended with ${code}: ${out}${err}`)),
    (error: unknown) => listening.reject(error),
  );
  return {
    url: await listening.promise,
    log: () => command.log(),
    async stop() {
      command.interrupt();
      await command.ended;
    },
  };
}

/** Starts the service as a process of its own, on a free port, and resolves when it listens; one that does not is ended. */
export async function startServiceProcess({
  program = agentMain,
  args = [],
  stderr,
  ...options
}: ProcessOptions): Promise<ServiceProcess> {
  const { folder, env = {} } = options;
  const file = await prepare(options);
  const child = spawn(process.execPath, [program, 'serve', '--config', file, ...args], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      ...compileCache,
      ...engineVariables(folder, env),
      ...env,
    },
    stdio: ['ignore', 'pipe', typeof stderr === 'number' ? stderr : 'pipe'],
  });
  let log = '';
  const exited = once(child, 'exit');
  const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    const resolveListening = (text: string): void => {
      const found = urlIn(text);
      if (found !== undefined) resolve(found);
    };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      resolveListening(output);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      resolveListening(log);
    });
    child.once('exit', (code, signal) =>
      reject(new Error(`the service ended with ${code ?? signal}: ${output}${log}`)),
    );
  }).finally(() => clearTimeout(limit));
  return {
    url,
    process: child,
    log: () => log,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
}

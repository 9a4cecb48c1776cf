import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packageFile = (specifier: string, file: string): string =>
  fileURLToPath(new URL(file, import.meta.resolve(`${specifier}/package.json`)));

export const agentMain = packageFile('@signalbox/agent', 'bin.js');
export const serverBin = {
  filesystem: packageFile('@signalbox/server-filesystem', 'bin.js'),
  sqlite: packageFile('@signalbox/server-sqlite', 'bin.js'),
  weather: packageFile('@signalbox/server-weather', 'bin.js'),
};

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<{
  readonly path: string;
  remove(): Promise<void>;
}> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-e2e-')));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

export interface ServiceOptions {
  /** Holds signalbox.json and the data directory. */
  readonly folder: string;
  /** The contents of signalbox.json. */
  readonly config: object;
  readonly env?: { readonly [name: string]: string };
  /** The program to run instead of the service itself, with the same arguments. */
  readonly program?: string;
  /** A file descriptor in place of the pipe for stderr, or `unread` for a pipe that nobody empties. */
  readonly stderr?: number | 'unread';
}

export interface Service {
  readonly url: string;
  readonly process: ChildProcess;
  /** Everything the process wrote to stderr so far. */
  log(): string;
  /** Ends the process with the signal and resolves when it is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Longer than any start takes, shorter than a test may take. */
const START_LIMIT_MS = 45_000;

/** Starts the real service as a process of its own, on a free port, and resolves when it listens; one that does not is ended. */
export async function startService({
  folder,
  config,
  env = {},
  program = agentMain,
  stderr,
}: ServiceOptions): Promise<Service> {
  const file = join(folder, 'signalbox.json');
  await writeFile(
    file,
    JSON.stringify({ port: 0, data_dir: join(folder, 'data'), log_level: 'debug', ...config }),
  );
  const child = spawn(process.execPath, [program, 'serve', '--config', file], {
    cwd: folder,
    // Hundreds of starts share what was compiled by the first.
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      NODE_COMPILE_CACHE: join(tmpdir(), 'signalbox-compile-cache'),
      ...env,
    },
    stdio: ['ignore', 'pipe', typeof stderr === 'number' ? stderr : 'pipe'],
  });
  let log = '';
  const exited = once(child, 'exit');
  const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /ready on (http:\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      // With log_format json an entry of the log says it.
      const found = /"signalbox is ready","url":"(http:[^"]+)/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
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

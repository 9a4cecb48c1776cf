import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../../apps/agent/bin.js', import.meta.url));
const ECHO_SERVER = fileURLToPath(new URL('../servers/signalbox.mjs', import.meta.url));
const START_LIMIT_MS = 90_000;

export const echoServer = { command: 'node', args: [ECHO_SERVER] };

/** The service in a separate process. */
export interface AgentProcess {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the spawn until the line that says it is ready. */
  readonly readyMs: number;
  /** Resolves when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface AgentOptions {
  /** Folder of configuration and data. */
  readonly folder: string;
  readonly config?: object;
  /** Additional arguments of the command line. */
  readonly more?: readonly string[];
  readonly nodeArguments?: readonly string[];
  /** Variables in addition to PATH and HOME. */
  readonly env?: { readonly [name: string]: string };
}

/** A folder that is removed when it is disposed of. */
export async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'bench-agent-')));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** @throws Error when the process ends, or is not ready in time */
export async function startAgent(options: AgentOptions): Promise<AgentProcess> {
  const { folder, config = {} } = options;
  await writeFile(
    configFile(folder),
    JSON.stringify({ port: 0, data_dir: join(folder, 'data'), log_level: 'error', ...config }),
  );
  const { found, ...started } = await start(options, /ready on (http:\S+)/u);
  return { ...started, url: found };
}

/** Starts a worker process beside a service of the role `api` that was started in the same folder. @throws Error when the process ends, or is not ready in time */
export async function startWorker(
  folder: string,
  env: AgentOptions['env'] = {},
): Promise<Omit<AgentProcess, 'url'>> {
  return start({ folder, env, more: ['--role', 'worker'] }, /(worker is ready)/u);
}

function configFile(folder: string): string {
  return join(folder, 'signalbox.json');
}

/** Starts the program and waits until its output matches. */
async function start(
  { folder, more = [], nodeArguments = [], env = {} }: AgentOptions,
  ready: RegExp,
): Promise<Omit<AgentProcess, 'url'> & { readonly found: string }> {
  const begun = performance.now();
  const child = spawn(
    process.execPath,
    [...nodeArguments, PROGRAM, 'serve', '--config', configFile(folder), ...more],
    {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const { pid } = child;
  if (pid === undefined) throw new Error(`${PROGRAM} could not be started`);
  const exited = once(child, 'exit');
  const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  const found = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const match = ready.exec(output)?.[1];
      if (match !== undefined) resolve(match);
    });
    child.once('exit', (code, signal) =>
      reject(new Error(`The service ended with ${String(code ?? signal)} before it was ready`)),
    );
  }).finally(() => clearTimeout(limit));
  return {
    found,
    pid,
    readyMs: performance.now() - begun,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Turns with one tool call that a run makes before its answer. */
export const TURNS = 10;

export const ECHO_SERVER = fileURLToPath(new URL('echo-server.mjs', import.meta.url));

export interface BackendOptions {
  /** Folder for what is stored, the same after a restart. */
  readonly folder: string;
  readonly modelUrl: string;
}

/** A backend that runs agents in a process, with the MCP servers as its children. */
export interface RunningBackend {
  readonly pid: number;
  /** Runs an agent to its end. @throws Error for a run that failed */
  run(prompt: string): Promise<void>;
  /** Resolves when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface Backend {
  readonly name: string;
  /** Where runs are stored. */
  readonly storage: string;
  /** Whether it is measured in the first round only, because a round of it takes a minute. */
  readonly isSlow?: boolean;
  start(options: BackendOptions): Promise<RunningBackend>;
}

interface Message {
  readonly ready?: boolean;
  readonly ended?: string;
  readonly failed?: string;
}

/**
 * Starts a program that uses `serve-runs.mjs`.
 *
 * @throws Error when the program ends before it is ready
 */
export async function startProgram(
  program: URL,
  { folder, modelUrl }: BackendOptions,
  programArguments: readonly string[] = [],
): Promise<RunningBackend> {
  const child = spawn(process.execPath, [fileURLToPath(program), ...programArguments], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      BENCH_MODEL_URL: modelUrl,
      BENCH_FOLDER: folder,
      BENCH_SERVER: ECHO_SERVER,
      BENCH_STEPS: String(TURNS + 1),
      MASTRA_TELEMETRY_DISABLED: '1',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program.pathname} could not be started`);
  const exited = once(child, 'exit');
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  const ready = Promise.withResolvers<void>();
  const fail = (): void => {
    const error = new Error(`${program.pathname} has ended`);
    for (const { reject } of [ready, ...waiting.values()]) reject(error);
  };
  child.once('exit', fail);
  // A program that was killed does not read what is sent to it.
  child.stdin.on('error', () => undefined);
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) return;
    const { ready: isReady, ended, failed } = JSON.parse(line) as Message;
    if (isReady === true) ready.resolve();
    if (ended === undefined) return;
    const run = waiting.get(ended);
    waiting.delete(ended);
    if (failed === undefined) run?.resolve();
    else run?.reject(new Error(`${ended}: ${failed}`));
  });
  await ready.promise;
  return {
    pid,
    run(prompt) {
      const run = Promise.withResolvers<void>();
      waiting.set(prompt, run);
      child.stdin.write(`${prompt}\n`);
      return run.promise;
    },
    async stop(signal) {
      if (signal === undefined) child.stdin.end();
      else child.kill(signal);
      await exited;
    },
  };
}

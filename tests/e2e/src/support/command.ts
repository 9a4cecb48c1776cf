import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as agent from '@signalbox/agent';
import { engineVariables } from './engines.ts';

export const packageFile = (specifier: string, file: string): string =>
  fileURLToPath(new URL(file, import.meta.resolve(`${specifier}/package.json`)));

/** The built package, loaded by Node itself and not by Vite: as users run it, and once for all files of a worker. */
const { runCommand } = createRequire(import.meta.url)(
  packageFile('@signalbox/agent', 'bundle/index.js'),
) as Pick<typeof agent, 'runCommand'>;

type Io = Parameters<typeof runCommand>[0];

export interface CommandOptions {
  /** Home of the user. */
  readonly folder: string;
  /** Working directory. Default: `folder`. */
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string | undefined };
  readonly hooks?: agent.TestHooks;
  /** Called with the whole output to stdout or stderr after each write. */
  readonly onOutput?: (text: string) => void;
  /** Called with each text that is written to stdout or stderr. */
  readonly onWrite?: (text: string) => void;
}

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunningCommand {
  readonly ended: Promise<Ended>;
  /** The text written to stderr so far. */
  log(): string;
  /** Does what SIGTERM does to a process. */
  interrupt(): void;
}

/** Starts `signalbox …ARGV` in this process, without a terminal; for tests that do not judge the process. */
export function startCommand(
  argv: readonly string[],
  { folder, cwd = folder, env = {}, hooks, onOutput, onWrite }: CommandOptions,
): RunningCommand {
  const interrupts = new Set<() => void>();
  const written = { out: '', err: '' };
  const write = (stream: keyof typeof written) => (text: string) => {
    written[stream] += text;
    onWrite?.(text);
    onOutput?.(written[stream]);
  };
  const io: Io = {
    out: write('out'),
    err: write('err'),
    isTerminal: false,
    isOutTerminal: false,
    canAsk: false,
    columns: 80,
    ask: () => Promise.resolve(undefined),
    readInput: () => Promise.resolve(''),
    onInterrupt(listener) {
      interrupts.add(listener);
      return () => void interrupts.delete(listener);
    },
  };
  const ended = runCommand(
    io,
    {
      argv: [...argv],
      env: { PATH: process.env['PATH'], HOME: folder, ...engineVariables(folder, env), ...env },
      cwd,
      repository: cwd,
      version: '0.0.0-test',
    },
    { sharesSchemaThread: true, ...hooks },
  );
  return {
    ended: ended.then((code) => ({ code, ...written })),
    log: () => written.err,
    interrupt() {
      for (const interrupt of interrupts) interrupt();
    },
  };
}

/** Runs `signalbox …ARGV` in this process to its end. */
export function runToEnd(argv: readonly string[], options: CommandOptions): Promise<Ended> {
  return startCommand(argv, options).ended;
}

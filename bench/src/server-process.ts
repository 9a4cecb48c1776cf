import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Era } from '@signalbox/mcp-core';
import { FloorConnection } from './floor/connection.ts';

export interface ServerProcess {
  readonly pid: number;
  /** CPU time used so far in microseconds, user and system. Requires a server that reports its usage. */
  cpuMicros(): Promise<number>;
  stop(): Promise<void>;
}

export interface StdioServer extends ServerProcess {
  readonly connection: FloorConnection;
}

export interface HttpServer extends ServerProcess {
  readonly port: number;
  /** Bytes in use after a collection. Requires a server that was started with `--expose-gc`. */
  heapBytes(): Promise<number>;
}

export interface StdioServerOptions {
  readonly era: Era;
  readonly nodeArguments: readonly string[];
  readonly programArguments?: readonly string[];
  readonly reportsUsage: boolean;
}

const USAGE_REPORTER = import.meta.resolve('./usage-reporter.mjs');

/** Starts a program that serves over stdio; sends nothing to it. */
export function startStdioServer(
  program: string,
  { era, nodeArguments, programArguments = [], reportsUsage }: StdioServerOptions,
): StdioServer {
  const preload = reportsUsage ? ['--import', USAGE_REPORTER] : [];
  const child = spawn(
    process.execPath,
    [...nodeArguments, ...preload, program, ...programArguments],
    { stdio: ['pipe', 'pipe', 'inherit', reportsUsage ? 'ipc' : 'ignore'] },
  );
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error(`${program} could not be started`);
  return { ...faceOf(child, program), connection: new FloorConnection({ stdin, stdout }, era) };
}

/**
 * Starts a program that serves over HTTP and waits until it listens.
 * @throws Error when it ends before that
 */
export async function startHttpServer(
  [program, ...programArguments]: readonly [string, ...string[]],
  nodeArguments: readonly string[],
): Promise<HttpServer> {
  const child = spawn(
    process.execPath,
    [...nodeArguments, '--import', USAGE_REPORTER, program, ...programArguments],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
  const face = faceOf(child, program);
  const [told] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit'),
  ])) as readonly unknown[];
  if (typeof told !== 'object' || told === null || !('port' in told))
    throw new Error(`${program} ended before it listened`);
  return { ...face, port: Number(told.port), heapBytes: () => ask(child, 'heap') };
}

function faceOf(child: ChildProcess, program: string): ServerProcess {
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} could not be started`);
  const exited = once(child, 'exit');
  return {
    pid,
    cpuMicros: () => ask(child, 'usage'),
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function ask(child: ChildProcess, question: 'usage' | 'heap'): Promise<number> {
  const answer = once(child, 'message');
  child.send(question);
  return Number((await answer)[0]);
}

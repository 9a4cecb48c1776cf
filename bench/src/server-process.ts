import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Era } from '@signalbox/mcp-core';
import { FloorConnection } from './floor/connection.ts';

export interface ServerProcess {
  readonly pid: number;
  readonly connection: FloorConnection;
  /** CPU time used so far in microseconds, user and system. Only of a server that was started with `reportsUsage`. */
  cpuMicros(): Promise<number>;
  stop(): Promise<void>;
}

export interface ServerProcessOptions {
  readonly era: Era;
  readonly nodeArguments: readonly string[];
  readonly reportsUsage: boolean;
}

const USAGE_REPORTER = import.meta.resolve('./usage-reporter.mjs');

/** Starts a server program; nothing is sent to it yet. */
export function startServer(program: string, { era, nodeArguments, reportsUsage }: ServerProcessOptions): ServerProcess {
  const preload = reportsUsage ? ['--import', USAGE_REPORTER] : [];
  const child = spawn(process.execPath, [...nodeArguments, ...preload, program], { stdio: ['pipe', 'pipe', 'inherit', reportsUsage ? 'ipc' : 'ignore'] });
  const { stdin, stdout, pid } = child;
  if (stdin === null || stdout === null || pid === undefined) throw new Error(`${program} could not be started`);
  const exited = once(child, 'exit');
  return {
    pid,
    connection: new FloorConnection({ stdin, stdout }, era),
    cpuMicros: async () => {
      const answer = once(child, 'message');
      child.send('usage');
      return Number((await answer)[0]);
    },
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

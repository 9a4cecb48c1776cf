import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Era } from '@signalbox/mcp-core';
import { median, type Figures } from './figures.ts';
import { cpuMsOf, residentMbOf } from './process-readings.ts';
import { startStdioServer } from './server-process.ts';

export interface StartOptions {
  readonly starts: number;
  readonly nodeArguments: readonly string[];
}

/**
 * Starts a server program, opens a connection and lists its tools, several times.
 * @throws Error when the server ends or answers with an error
 */
export function measureStart(
  program: string,
  era: Era,
  { starts, nodeArguments }: StartOptions,
): Promise<Figures> {
  return medianOfStarts(starts, () => startServerOnce(program, era, nodeArguments));
}

/** Starts, several times, a Node process that prints one word and waits. */
export function measureEmptyProcess(starts: number): Promise<Figures> {
  return medianOfStarts(starts, startEmptyOnce);
}

type Start = Readonly<Record<'cpuMs' | 'readyMs' | 'residentMb', number>>;

async function medianOfStarts(count: number, start: () => Promise<Start>): Promise<Figures> {
  const all: Start[] = [];
  for (let started = 0; started < count; started += 1) all.push(await start());
  return {
    cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
    readyMs: median(all.map(({ readyMs }) => readyMs)),
    residentMb: median(all.map(({ residentMb }) => residentMb)),
  };
}

async function startServerOnce(
  program: string,
  era: Era,
  nodeArguments: readonly string[],
): Promise<Start> {
  const begun = performance.now();
  const server = startStdioServer(program, { era, nodeArguments, reportsUsage: false });
  try {
    await server.connection.open();
    await server.connection.request('tools/list', {});
    return readingsOf(server.pid, begun);
  } finally {
    await server.stop();
  }
}

async function startEmptyOnce(): Promise<Start> {
  const begun = performance.now();
  const child = spawn(
    process.execPath,
    ['-e', "process.stdin.resume();process.stdout.write('ready')"],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  // The process has answered, so it has an id.
  const start = readingsOf(child.pid ?? 0, begun);
  child.stdin.end();
  await exited;
  return start;
}

function readingsOf(pid: number, begun: number): Start {
  return {
    readyMs: performance.now() - begun,
    cpuMs: cpuMsOf(pid),
    residentMb: residentMbOf(pid),
  };
}

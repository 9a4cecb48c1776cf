import type { Era } from '@signalbox/mcp-core';
import { TOOLS } from './catalog.mjs';
import { textOf } from './clients/bench-client.ts';
import { drive } from './drive.ts';
import { exercise, type Exercised } from './exercise.ts';
import type { Figures, FiguresByTable } from './figures.ts';
import { FloorHttpConnection } from './floor/http-connection.ts';
import type { FloorPeer } from './floor/peer.ts';
import { eraOf, type HttpMode, type Implementation } from './implementations.ts';
import { CALLS_IN_FLIGHT, textOfCalls, type CallLoad } from './load.ts';
import { peakResidentMbOf, residentMbOf } from './process-readings.ts';
import { startHttpServer, startStdioServer, type ServerProcess } from './server-process.ts';

/**
 * Measures a server over stdio: calls, lists and progress.
 * @throws Error when an answer is wrong or the server ends
 */
export async function measureStdioServer(
  implementation: Implementation,
  era: Era,
  { load, nodeArguments, afterwards }: ServerMeasureOptions,
): Promise<FiguresByTable> {
  const server = startStdioServer(implementation.server, {
    era,
    nodeArguments,
    reportsUsage: true,
  });
  try {
    await server.connection.open();
    const figures = await exercise(
      loadOn(server, server.connection, { tools: TOOLS, text: textOfCalls(load) }),
      load,
    );
    await afterwards?.(server.connection);
    return figures;
  } finally {
    await server.stop();
  }
}

/**
 * Measures the peak memory of a stdio server from its start to the answers of so many calls, 16 in
 * flight; reading it needs /proc.
 * @throws Error when an answer is wrong or the server ends
 */
export async function measurePeakMemory(
  { server: program }: Implementation,
  era: Era,
  { calls, nodeArguments }: { readonly calls: number; readonly nodeArguments: readonly string[] },
): Promise<Figures> {
  const server = startStdioServer(program, { era, nodeArguments, reportsUsage: false });
  try {
    await server.connection.open();
    await drive({ total: calls, inFlight: CALLS_IN_FLIGHT.sixteen }, () =>
      callEcho(server.connection, 'good day'),
    );
    return { peakMb: peakResidentMbOf(server.pid), residentMb: residentMbOf(server.pid) };
  } finally {
    await server.stop();
  }
}

/**
 * Measures a server over HTTP with the given number of tools.
 * @throws Error when an answer is wrong or the server ends
 */
export async function measureHttpServer(
  implementation: Implementation,
  mode: HttpMode,
  options: HttpMeasureOptions,
): Promise<FiguresByTable> {
  const server = await startHttpServer(
    [implementation.httpServer, mode, String(options.tools)],
    options.nodeArguments,
  );
  const connection = new FloorHttpConnection(server.port, eraOf(mode));
  try {
    await connection.open();
    const figures = await exercise(
      loadOn(server, connection, { tools: options.tools, text: textOfCalls(options.load) }),
      options.load,
    );
    await options.afterwards?.(connection);
    return figures;
  } finally {
    connection.close();
    await server.stop();
  }
}

export interface MeasureOptions {
  readonly load: CallLoad;
  /** Node arguments of every process that runs a library. */
  readonly nodeArguments: readonly string[];
}

export interface ServerMeasureOptions extends MeasureOptions {
  /** Called after the measurement with the connection to the server. */
  readonly afterwards?: (peer: FloorPeer) => Promise<void>;
}

export interface HttpMeasureOptions extends ServerMeasureOptions {
  readonly tools: number;
}

function loadOn(
  server: ServerProcess,
  peer: FloorPeer,
  { tools, text }: { readonly tools: number; readonly text: string },
): Exercised {
  return {
    call: () => callEcho(peer, text),
    list: () => listTools(peer, tools),
    flood: async (notifications, onProgress) => {
      peer.onNotification = onProgress;
      await peer.request(
        'tools/call',
        { name: 'flood', arguments: { notifications } },
        { progressToken: 1 },
      );
    },
    cpuMicros: () => server.cpuMicros(),
  };
}

async function callEcho(peer: FloorPeer, text: string): Promise<void> {
  const { content } = await peer.request('tools/call', { name: 'echo', arguments: { text } });
  if (textOf(content) !== text) throw new Error('echo answered something else');
}

async function listTools(peer: FloorPeer, expected: number): Promise<void> {
  const { tools } = await peer.request('tools/list', {});
  if (!Array.isArray(tools) || tools.length !== expected)
    throw new Error(`tools/list did not answer with ${String(expected)} tools`);
}

import type { Readable, Writable } from 'node:stream';
import { DEFAULT_MAX_LINE_BYTES } from '../jsonrpc/line-reader.ts';
import { StreamTransport } from '../jsonrpc/stream-transport.ts';
import type { Server } from '../server/server.ts';

export interface ServeStdioOptions {
  /** Default stdin. */
  readonly input?: Readable;
  /** Default stdout; nothing else may write to it. */
  readonly output?: Writable;
  /** Longest accepted line in bytes; a longer one is answered with an error and dropped. Default 64 MiB. */
  readonly maxLineBytes?: number;
}

/**
 * Serves one peer over stdin and stdout. When the input ends, what was asked before is answered for up to 400 ms more. Resolves then, or when the output
 * can no longer be written, after every handler that still runs was told to stop and the server's tasks were called failed, for the end of stdin is the end
 * of the process; ending that is the caller's business.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */
export async function serveStdio(server: Server, options: ServeStdioOptions = {}): Promise<void> {
  const { input = process.stdin, output = process.stdout, maxLineBytes = DEFAULT_MAX_LINE_BYTES } = options;
  const connection = await server.connect(new StreamTransport({ input, output, maxLineBytes }));
  await connection.closed;
  await server.stopTasks();
}

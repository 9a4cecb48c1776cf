import type { Readable, Writable } from 'node:stream';
import { DEFAULT_MAX_LINE_BYTES } from '../jsonrpc/line-reader.ts';
import { StreamTransport } from '../jsonrpc/stream-transport.ts';
import type { Server, ServerConnection } from '../server/server.ts';

export interface ServeStdioOptions {
  /** Default stdin. */
  readonly input?: Readable;
  /** Default stdout; nothing else may write to it. */
  readonly output?: Writable;
  /** Longest accepted line in bytes; a longer one is answered with an error and dropped. Default 64 MiB. */
  readonly maxLineBytes?: number;
}

/** A server that serves one peer over a pair of streams. */
export interface StdioListener {
  /**
   * Resolves after the input has ended, the output has failed or `close` was called, and everything that was running has
   * stopped: handlers were aborted and had 100 ms to run their `finally` blocks, tasks are stored as failed.
   */
  readonly closed: Promise<void>;
  /** Ends listen streams with their results, which takes at most 400 ms, aborts the handlers and stops the tasks. Resolves as `closed`. Idempotent. */
  close(): Promise<void>;
}

/**
 * Serves one peer over stdin and stdout; resolves when it is listening. When the input ends, running requests have 400 ms for
 * their answers. Ending the process is the caller's business.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */
export async function serveStdio(
  server: Server,
  options: ServeStdioOptions = {},
): Promise<StdioListener> {
  const {
    input = process.stdin,
    output = process.stdout,
    maxLineBytes = DEFAULT_MAX_LINE_BYTES,
  } = options;
  const connection = await server.connect(new StreamTransport({ input, output, maxLineBytes }));
  const closed = stopWhenClosed(server, connection);
  return {
    closed,
    close: async () => {
      await connection.close();
      await closed;
    },
  };
}

async function stopWhenClosed(server: Server, connection: ServerConnection): Promise<void> {
  await connection.closed;
  await connection.close();
  await server.stopTasks();
}

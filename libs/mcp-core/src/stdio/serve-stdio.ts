import type { Readable, Writable } from 'node:stream';
import { DEFAULT_MAX_LINE_BYTES } from '../jsonrpc/line-reader.ts';
import { StreamTransport } from '../jsonrpc/stream-transport.ts';
import type { Server, ServerConnection, ServerListener } from '../server/server.ts';

/** Streams and limits of `serveStdio`. */
export interface ServeStdioOptions {
  /** Default: stdin. */
  readonly input?: Readable | undefined;
  /** Default: stdout. Nothing else may write to it. */
  readonly output?: Writable | undefined;
  /**
   * Longest accepted line in bytes; a longer one is discarded and gets an error response. Default:
   * 64 MiB.
   */
  readonly maxLineBytes?: number | undefined;
}

/**
 * Serves one peer over stdin and stdout; resolves when it is listening. Closes after the end of the
 * input, when running requests have 400 ms to respond, and after a failure of the output. Aborted
 * handlers have 100 ms for their `finally` blocks; tasks are stored as failed. Does not end the
 * process.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */
export async function serveStdio(
  server: Server,
  options: ServeStdioOptions = {},
): Promise<ServerListener> {
  const {
    input = process.stdin,
    output = process.stdout,
    maxLineBytes = DEFAULT_MAX_LINE_BYTES,
  } = options;
  const copiesOutput = options.output === undefined;
  const connection = await server.connect(
    new StreamTransport({ input, output, maxLineBytes, copiesOutput }),
  );
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

import { LocalError } from '@signalbox/mcp-core';
import type { ServerConfig } from '../config/config.ts';
import { messageOf } from '../text/error-text.ts';
import { ToolsNotListedError } from './describe-failure.ts';
import { LiveCatalogue, type LiveCatalogueOptions } from './live-catalogue.ts';
import { InputRequestRouter, type InputRequestRouterOptions } from './input-request-router.ts';
import type { ConnectOptions, ConnectServer, ServerConnection } from './server-connection.ts';

export interface ServerLifeOptions
  extends
    Pick<ConnectOptions, 'info' | 'signal' | 'onStderr' | 'onLog'>,
    LiveCatalogueOptions,
    InputRequestRouterOptions {
  readonly connect: ConnectServer;
}

/**
 * A connection to a server, with the process if the server is a child process, from start to end.
 */
export interface ServerLife {
  readonly connection: ServerConnection;
  readonly router: InputRequestRouter;
  readonly tools: LiveCatalogue;
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<LocalError>;
}

/**
 * Starts the server, connects and reads its tools, and keeps them current. Rejects with nothing
 * left running.
 */
export async function startLife(
  server: ServerConfig,
  options: ServerLifeOptions,
): Promise<ServerLife> {
  const { connect, signal } = options;
  const router = new InputRequestRouter(options);
  const end = Promise.withResolvers<LocalError>();
  const opened = Promise.withResolvers<LiveCatalogue>();
  const connection = await connect(server, {
    info: options.info,
    signal,
    handlers: router.handlers,
    schemaEvaluator: options.schemas.evaluatorFor(server.name),
    onStderr: options.onStderr,
    onLog: options.onLog,
    onElicitationComplete: (elicitationId) => router.completed(elicitationId),
    onClosed: (error) =>
      end.resolve(
        new LocalError('connection-lost', error?.message ?? 'The server ended the connection', {
          cause: error,
        }),
      ),
  });
  const tools = new LiveCatalogue(server, connection, options);
  const onAbort = (): void => void connection.close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    await readTools(tools, connection, {
      signal,
      onToolsChanged: () => void opened.promise.then((read) => read.refresh()),
    });
  } catch (error) {
    await connection.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  opened.resolve(tools);
  return { connection, router, tools, ended: end.promise };
}

async function readTools(
  tools: LiveCatalogue,
  connection: ServerConnection,
  { signal, onToolsChanged }: { readonly signal: AbortSignal; readonly onToolsChanged: () => void },
): Promise<void> {
  try {
    await tools.read(await watchTools(connection, onToolsChanged));
  } catch (error) {
    const hasEnded =
      error instanceof LocalError &&
      (error.code === 'connection-lost' || error.code === 'connection-closed');
    throw hasEnded || signal.aborted ? error : new ToolsNotListedError(error);
  }
}

/**
 * Subscribes to changes of the tools. A failure is only a warning, since the tools work without it.
 */
async function watchTools(
  { client }: ServerConnection,
  onToolsChanged: () => void,
): Promise<readonly string[]> {
  try {
    await client.watch({ onToolsChanged });
    return [];
  } catch (error) {
    return [`changes of the tool list will not be noticed: ${messageOf(error)}`];
  }
}

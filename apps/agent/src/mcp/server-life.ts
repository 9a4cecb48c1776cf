import { setTimeout as delay } from 'node:timers/promises';
import { LocalError, type Tool } from '@signalbox/mcp-core';
import type { ServerConfig } from '../config/config.ts';
import type { BoundedEvaluation } from './bounded-evaluation.ts';
import { EMPTY_CATALOGUE, readCatalogue, type Catalogue } from './catalogue.ts';
import { coalesce } from './coalesce.ts';
import { QuestionRouter } from './question-router.ts';
import type { ConnectOptions, ConnectServer, ServerConnection } from './server-connection.ts';

export interface ServerLifeOptions extends Pick<ConnectOptions, 'info' | 'signal' | 'onStderr' | 'onLog'> {
  readonly connect: ConnectServer;
  readonly evaluate: BoundedEvaluation;
  /** The tools were read again. */
  readonly onCatalogue: () => void;
  /** A question was refused because several runs may have caused it. */
  readonly onConflict: () => void;
  /** The last call in flight ended. */
  readonly onIdle: () => void;
}

/** One life of a server process, from its start to its end. */
export interface ServerLife {
  readonly connection: ServerConnection;
  readonly router: QuestionRouter;
  /** Current as long as the life lasts. */
  readonly catalogue: Catalogue;
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<LocalError>;
}

/** Between two readings of a tool list that keeps changing. */
const REFRESH_PAUSE_MS = 500;

/** Starts the server, connects and reads its tools, which are read again whenever it says that they changed. Rejects with nothing left running. */
export async function startLife(server: ServerConfig, options: ServerLifeOptions): Promise<ServerLife> {
  const { connect, onConflict, onIdle, onCatalogue, evaluate } = options;
  const router = new QuestionRouter(server, { onConflict, onIdle });
  const end = Promise.withResolvers<LocalError>();
  const opened = Promise.withResolvers<() => Promise<void>>();
  let catalogue = EMPTY_CATALOGUE;
  const connection = await connect(server, {
    info: options.info,
    signal: options.signal,
    handlers: router.handlers,
    onStderr: options.onStderr,
    onLog: options.onLog,
    onToolsChanged: () => void opened.promise.then((refresh) => refresh()),
    onClosed: (error) => end.resolve(new LocalError('connection-lost', error?.message ?? 'The server ended the connection', { cause: error })),
  });
  const read = async (): Promise<void> => {
    catalogue = await readCatalogue(server, await listTools(connection), evaluate);
  };
  const refresh = coalesce(
    async () => {
      await read().catch((error: unknown) => {
        // The tools known so far stay: a server that cannot list them now may still run them.
        catalogue = { ...catalogue, warnings: [`the changed tool list could not be read: ${error instanceof Error ? error.message : String(error)}`] };
      });
      onCatalogue();
    },
    () => delay(REFRESH_PAUSE_MS, undefined, { ref: false }),
  );
  try {
    if (connection.client.server.capabilities.tools?.listChanged === true) await connection.client.watch({ toolsListChanged: true }, () => undefined);
    await read();
    options.signal.throwIfAborted();
  } catch (error) {
    await connection.close();
    throw error;
  }
  opened.resolve(refresh);
  return {
    connection,
    router,
    ended: end.promise,
    get catalogue() {
      return catalogue;
    },
  };
}

async function listTools({ client }: ServerConnection): Promise<readonly Tool[]> {
  return client.server.capabilities.tools === undefined ? [] : client.listTools();
}

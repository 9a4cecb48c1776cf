import { LocalError, type Tool } from '@signalbox/mcp-core';
import type { ServerConfig } from '../config/config.ts';
import type { Clock } from '../ports/test-hooks.ts';
import type { BoundedEvaluation } from './bounded-evaluation.ts';
import { EMPTY_CATALOGUE, readCatalogue, type Catalogue } from './catalogue.ts';
import { coalesce } from './coalesce.ts';
import { QuestionRouter } from './question-router.ts';
import type { ConnectOptions, ConnectServer, ServerConnection } from './server-connection.ts';

export interface ServerLifeOptions extends Pick<ConnectOptions, 'info' | 'signal' | 'onStderr' | 'onLog'> {
  readonly connect: ConnectServer;
  readonly clock: Clock;
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

/** All pages of a tool list together. */
const LIST_LIMIT_MS = 60_000;
/** The least time between two readings of a tool list that keeps changing. */
const REFRESH_PAUSE_MS = 500;
/** How many times longer than the last reading the pause after it is, so that a server cannot keep this process at work. */
const REFRESH_PAUSE_FACTOR = 10;

/** Starts the server, connects and reads its tools, which are read again whenever it says that they changed. Rejects with nothing left running. */
export async function startLife(server: ServerConfig, options: ServerLifeOptions): Promise<ServerLife> {
  const { connect, clock, signal, onConflict, onIdle, onCatalogue, evaluate } = options;
  const router = new QuestionRouter(server, { onConflict, onIdle });
  const end = Promise.withResolvers<LocalError>();
  const opened = Promise.withResolvers<() => Promise<void>>();
  let catalogue = EMPTY_CATALOGUE;
  const connection = await connect(server, {
    info: options.info,
    signal,
    handlers: router.handlers,
    onStderr: options.onStderr,
    onLog: options.onLog,
    onToolsChanged: () => void opened.promise.then((refresh) => refresh()),
    onClosed: (error) => end.resolve(new LocalError('connection-lost', error?.message ?? 'The server ended the connection', { cause: error })),
  });
  const read = async (): Promise<void> => {
    catalogue = await readCatalogue(server, await listTools(connection, clock), evaluate);
  };
  let readingMs = 0;
  const refresh = coalesce(
    async () => {
      const startedAt = clock.now();
      await read().catch((error: unknown) => {
        // The tools known so far stay: a server that cannot list them now may still run them.
        catalogue = { ...catalogue, warnings: [`the changed tool list could not be read: ${messageOf(error)}`] };
      });
      readingMs = clock.now() - startedAt;
      onCatalogue();
    },
    () => new Promise((resolve) => void clock.after(Math.max(REFRESH_PAUSE_MS, readingMs * REFRESH_PAUSE_FACTOR), resolve)),
  );
  const onAbort = (): void => void connection.close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    const problems = await watchTools(connection);
    await read();
    catalogue = { ...catalogue, warnings: [...problems, ...catalogue.warnings] };
  } catch (error) {
    await connection.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
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

/** Asks to hear of changes; the tools can be used without, so a failure is only a warning. */
async function watchTools({ client }: ServerConnection): Promise<readonly string[]> {
  if (client.server.capabilities.tools?.listChanged !== true) return [];
  try {
    await client.watch({ toolsListChanged: true }, () => undefined);
    return [];
  } catch (error) {
    return [`changes of the tool list will not be noticed: ${messageOf(error)}`];
  }
}

async function listTools({ client }: ServerConnection, clock: Clock): Promise<readonly Tool[]> {
  if (client.server.capabilities.tools === undefined) return [];
  const limit = new AbortController();
  const stopTimer = clock.after(LIST_LIMIT_MS, () => limit.abort(new LocalError('request-timeout', `its tools could not be listed within ${LIST_LIMIT_MS / 1000} s`)));
  try {
    return await client.listTools({ signal: limit.signal });
  } catch (error) {
    limit.signal.throwIfAborted();
    throw error;
  } finally {
    stopTimer();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

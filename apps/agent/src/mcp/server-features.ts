import { randomUUID } from 'node:crypto';
import {
  LocalError,
  ProtocolError,
  ResourceNotFoundError,
  type JsonObject,
} from '@signalbox/mcp-core';
import type { RequestOptions, Watch } from '@signalbox/mcp-core/client';
import {
  ServerRefusedError,
  ServerUnavailableError,
  type FollowedChange,
  type ServerFeatures,
} from '../ports/server-directory.ts';
import type { Refusal } from './call-lease.ts';
import { PendingChanges } from './pending-changes.ts';
import type { PooledServer } from './pooled-server.ts';
import type { ServerConnection } from './server-connection.ts';
import type { ServerLife } from './server-life.ts';

/** Limits of a request: milliseconds without progress, and in total. */
const LIMITS = { timeoutMs: 30_000, maxTotalMs: 120_000 };

export interface FeatureDependencies {
  /**
   * Registers a listener for changes of the server's state and returns the unsubscribe function.
   */
  readonly onServerChange: (listener: () => void) => () => void;
}

export function serverFeatures(
  server: PooledServer,
  dependencies: FeatureDependencies,
): ServerFeatures {
  const ask = <T>(
    request: (client: ServerConnection['client'], options: RequestOptions) => Promise<T>,
  ): Promise<T> => asked(server, request);
  return {
    // A plain object from the wire.
    capabilities: async () =>
      server.life?.connection.client.server.capabilities as JsonObject | undefined,
    resources: () => ask((client, options) => client.listResources(options)),
    resourceTemplates: () => ask((client, options) => client.listResourceTemplates(options)),
    readResource: (uri) => ask((client, options) => client.readResource(uri, options)),
    prompts: () => ask((client, options) => client.listPrompts(options)),
    getPrompt: (name, args) => ask((client, options) => client.getPrompt(name, args, options)),
    complete: (reference, argument, chosen) =>
      ask((client, options) => client.complete(reference, argument, { ...options, chosen })),
    changes: (uris, signal) => changesOf(server, { uris, signal, ...dependencies }),
  };
}

/** Makes a request outside of any run, so input requests that it causes are refused. */
async function asked<T>(
  server: PooledServer,
  request: (client: ServerConnection['client'], options: RequestOptions) => Promise<T>,
): Promise<T> {
  const meta = { 'dev.signalbox/request': randomUUID() };
  const call = { runId: meta['dev.signalbox/request'], meta, inputHandlers: {} };
  const lease = await server.acquire({ runId: call.runId, limitMs: LIMITS.maxTotalMs });
  if (typeof lease === 'string') throw unavailable(server, lease);
  const { connection, router } = lease.life;
  router.begin(call);
  try {
    return await request(connection.client, { ...LIMITS, meta });
  } catch (error) {
    if (
      connection.pid === undefined &&
      error instanceof LocalError &&
      error.code === 'connection-lost'
    )
      server.doubt(lease.life);
    throw described(server, error);
  } finally {
    router.end(call, 'answered');
    lease.release();
  }
}

function readyLife(server: PooledServer): ServerLife {
  if (server.life !== undefined) return server.life;
  throw unavailable(server, 'not-ready');
}

function unavailable(server: PooledServer, refusal: Refusal): ServerUnavailableError {
  const { name } = server.config;
  const { state, error } = server.stage;
  if (refusal !== 'not-ready')
    return new ServerUnavailableError(
      `the connections to server ${name} were in use by runs for ${LIMITS.maxTotalMs / 1000} s`,
    );
  return new ServerUnavailableError(
    `server ${name} is ${state}${error === undefined ? '' : `: ${error}`}`,
  );
}

function described(server: PooledServer, error: unknown): unknown {
  const { name } = server.config;
  if (error instanceof ResourceNotFoundError)
    return new ServerRefusedError(`server ${name} has no resource ${error.uri}`, {
      cause: error,
      isNotFound: true,
    });
  if (error instanceof ProtocolError)
    return new ServerRefusedError(
      server.mask(`server ${name} answered with error ${error.code}: ${error.message}`),
      { cause: error, isNotFound: false },
    );
  if (!(error instanceof LocalError)) return error;
  if (
    error.code === 'connection-lost' ||
    error.code === 'connection-closed' ||
    error.code === 'connect-failed'
  )
    return new ServerUnavailableError(server.mask(`server ${name}: ${error.message}`));
  return new ServerRefusedError(server.mask(`server ${name}: ${error.message}`), {
    cause: error,
    isNotFound: false,
  });
}

interface ChangesOptions extends FeatureDependencies {
  readonly uris: readonly string[];
  readonly signal: AbortSignal;
}

async function* changesOf(
  server: PooledServer,
  { uris, signal, onServerChange }: ChangesOptions,
): AsyncGenerator<FollowedChange> {
  let life: ServerLife | undefined = readyLife(server);
  for (let isFirst = true; life !== undefined; isFirst = false) {
    if (!isFirst) yield { kind: 'missed' };
    yield* changesInLife(server, life, { uris, signal });
    if (signal.aborted) return;
    life = await nextLife(server, life, { signal, onServerChange });
  }
}

async function* changesInLife(
  server: PooledServer,
  { connection }: ServerLife,
  { uris, signal }: Pick<ChangesOptions, 'uris' | 'signal'>,
): AsyncGenerator<FollowedChange> {
  const pending = new PendingChanges();
  let watch: Watch | undefined;
  const stop = (): void => {
    pending.discard();
    void watch?.close();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    watch = await connection.client.watch({
      onToolsChanged: () => pending.add({ kind: 'tools' }),
      onPromptsChanged: () => pending.add({ kind: 'prompts' }),
      onResourcesChanged: () => pending.add({ kind: 'resources' }),
      resources: uris,
      onResourceUpdated: (uri) => pending.add({ kind: 'resource', uri }),
      onMissed: () => pending.miss(),
    });
    void watch.ended.then(() => pending.end());
    const { resourceSubscriptions = [] } = watch.filter;
    const refused = uris.filter((uri) => !resourceSubscriptions.includes(uri));
    if (refused.length > 0)
      throw new ServerRefusedError(
        `server ${server.config.name} does not let its resource ${refused.join(', ')} be followed`,
        { cause: undefined, isNotFound: true },
      );
    yield { kind: 'subscribed' };
    yield* pending.read();
  } catch (error) {
    const failure = described(server, error);
    // Wait for a server that ended; a server that refuses the subscription would refuse it again.
    if (!(failure instanceof ServerUnavailableError)) throw failure;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/**
 * Resolves with the server's next connection, or with `undefined` if the wait is aborted or no
 * connection will follow.
 */
function nextLife(
  server: PooledServer,
  before: ServerLife,
  { signal, onServerChange }: Pick<ChangesOptions, 'signal' | 'onServerChange'>,
): Promise<ServerLife | undefined> {
  return new Promise((resolve) => {
    const check = (): void => {
      const { life, status } = server;
      const isOver = signal.aborted || status.state === 'closed';
      if (!isOver && (life === undefined || life === before)) return;
      stopListening();
      signal.removeEventListener('abort', check);
      resolve(isOver ? undefined : life);
    };
    const stopListening = onServerChange(check);
    signal.addEventListener('abort', check, { once: true });
    check();
  });
}

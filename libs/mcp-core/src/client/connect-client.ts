import type { Transport } from '../jsonrpc/transport.ts';
import { LocalError, ProtocolError } from '../protocol/errors.ts';
import type { Client, ClientOptions } from './client.ts';
import { ConnectedClient } from './connected-client.ts';
import { Connection } from './connection.ts';
import { detectEra } from './detect-era.ts';
import { type Agreement, discover, initialize } from './handshake.ts';
import { RequestClock } from './request-clock.ts';

type EraPolicy = NonNullable<ClientOptions['era']>;

interface Attempt {
  readonly open: () => Promise<Transport> | Transport;
  readonly options: ClientOptions;
  readonly era: EraPolicy;
  /** Aborts with the error to fail with. */
  readonly limit: AbortSignal;
}

const DEFAULT_CONNECT_TIMEOUT_MS = 60_000;

/**
 * Opens a transport, detects the era and returns the connected client. `open` is called again at most once, when a legacy server ends its process
 * because of the probe. When it fails, every transport it opened is closed.
 * @throws LocalError `connect-failed`
 */
export async function connectClient(open: () => Promise<Transport> | Transport, options: ClientOptions): Promise<Client> {
  const { era = 'auto', connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS } = options;
  const limit = new AbortController();
  const clock = new RequestClock({ inactivityMs: Infinity, maxTotalMs: connectTimeoutMs }, () => {
    limit.abort(new LocalError('connect-failed', `The server could not be connected within ${connectTimeoutMs} ms.`));
  });
  clock.run();
  try {
    return await connect({ open, options, era, limit: limit.signal });
  } catch (error) {
    throw connectError(error);
  } finally {
    clock.stop();
  }
}

async function connect(attempt: Attempt): Promise<Client> {
  try {
    return await connectOnce(attempt);
  } catch (error) {
    if (attempt.era === 'auto' && error instanceof LocalError && error.code === 'connection-lost') {
      return connectOnce({ ...attempt, era: 'legacy' });
    }
    throw error;
  }
}

async function connectOnce({ open, options, era, limit }: Attempt): Promise<Client> {
  const transport = await openWithin(limit, open);
  const connection = new Connection(transport, options);
  try {
    await within(limit, connection.start());
    const { server } = await within(limit, establish(connection, options, era));
    connection.announce();
    return new ConnectedClient(connection, server, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function establish(connection: Connection, options: ClientOptions, era: EraPolicy): Promise<Agreement> {
  const agreement = await agree(connection, options, era);
  connection.agreeOn(agreement.codec);
  if (agreement.codec.era === 'legacy') {
    await connection.notify('notifications/initialized');
  }
  return agreement;
}

function agree(connection: Connection, options: ClientOptions, era: EraPolicy): Promise<Agreement> {
  switch (era) {
    case 'auto':
      return detectEra(connection, options);
    case 'legacy':
      return initialize(connection, options);
    case 'modern':
      return requireModern(connection);
    default:
      return era satisfies never;
  }
}

async function requireModern(connection: Connection): Promise<Agreement> {
  const found = await discover(connection);
  if (found.era === 'legacy') {
    throw new LocalError('connect-failed', `The era is pinned to modern, but the server is not: ${found.reason}.`);
  }
  return found.agreement;
}

async function openWithin(limit: AbortSignal, open: Attempt['open']): Promise<Transport> {
  const opening = (async () => open())();
  try {
    return await within(limit, opening);
  } catch (error) {
    // What was opened too late belongs to nobody else; when opening itself failed there is nothing to close.
    opening.then((transport) => transport.close()).catch(() => undefined);
    throw error;
  }
}

/** Rejects with the reason of the signal when it aborts first. */
async function within<T>(limit: AbortSignal, work: Promise<T>): Promise<T> {
  limit.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(limit.reason as LocalError);
  limit.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    limit.removeEventListener('abort', onAbort);
  }
}

function connectError(cause: unknown): LocalError {
  if (cause instanceof LocalError && cause.code === 'connect-failed') {
    return cause;
  }
  const problem = cause instanceof ProtocolError ? `it answered with error ${cause.code}: ${cause.message}` : String(cause instanceof Error ? cause.message : cause);
  return new LocalError('connect-failed', `The server could not be connected: ${problem}`, { cause });
}

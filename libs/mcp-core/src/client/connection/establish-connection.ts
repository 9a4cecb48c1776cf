import type { Transport } from '../../jsonrpc/transport.ts';
import { MAX_TIMER_MS } from '../../jsonrpc/bounded-waits.ts';
import type { Era } from '../../era/versions.ts';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import type { ConnectedServer } from '../client.ts';
import type { ClientOptions } from '../client-options.ts';
import { Connection, type ConnectionHooks } from './client-connection.ts';
import { confirmEra, detectEra, EndedByProbeError } from '../versioning/detect-era.ts';
import { type Agreement, discover, initialize } from '../versioning/handshake.ts';

export interface Establishing {
  readonly open: () => Promise<Transport> | Transport;
  readonly options: ClientOptions;
  readonly hooks: ConnectionHooks;
  /** Of an earlier connection; tried first. */
  readonly knownEra: Era | undefined;
  /** Gives up; the reason is the error to fail with. */
  readonly signal: AbortSignal;
}

export interface Established {
  readonly connection: Connection;
  readonly server: ConnectedServer;
}

const DEFAULT_CONNECT_TIMEOUT_MS = 60_000;
/** Of the server's words in an error. */
const MAX_CAUSE_LENGTH = 2000;

/**
 * Opens a transport and agrees with the server on a revision. `open` is called again at most once, when the server ended its process and the probe may
 * be the reason. When it fails, every transport it opened is closed.
 * @throws LocalError `connect-failed`
 */
export async function establishConnection(establishing: Establishing): Promise<Established> {
  const { connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS, era = 'auto' } = establishing.options;
  const limit = new AbortController();
  const timer =
    connectTimeoutMs > MAX_TIMER_MS
      ? undefined
      : setTimeout(() => limit.abort(timeoutError(connectTimeoutMs)), connectTimeoutMs);
  const signal = AbortSignal.any([limit.signal, establishing.signal]);
  try {
    return await establish({ ...establishing, signal }, era);
  } catch (error) {
    throw connectError(error);
  } finally {
    clearTimeout(timer);
  }
}

async function establish(attempt: Establishing, era: 'auto' | Era): Promise<Established> {
  try {
    return await establishOnce(attempt, era);
  } catch (error) {
    if (error instanceof EndedByProbeError) {
      return establishOnce(attempt, 'legacy');
    }
    throw error;
  }
}

async function establishOnce(
  { open, options, hooks, knownEra, signal }: Establishing,
  era: 'auto' | Era,
): Promise<Established> {
  const transport = await openWithin(signal, open);
  const connection = new Connection(transport, options, hooks);
  try {
    await within(signal, connection.start());
    const { codec, server } = await within(
      signal,
      era === 'auto' && knownEra !== undefined
        ? confirmEra(connection, options, knownEra)
        : agree(connection, options, era),
    );
    connection.agreeOn(codec);
    if (codec.era === 'legacy') {
      await within(signal, connection.notify('notifications/initialized'));
    }
    connection.announce();
    return { connection, server };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function agree(
  connection: Connection,
  options: ClientOptions,
  era: 'auto' | Era,
): Promise<Agreement> {
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
  switch (found.era) {
    case 'modern':
      return found.agreement;
    case 'legacy':
      throw new LocalError(
        'connect-failed',
        `The era is pinned to modern, but the server is not: ${found.reason}.`,
      );
    default:
      throw found.error;
  }
}

async function openWithin(limit: AbortSignal, open: Establishing['open']): Promise<Transport> {
  limit.throwIfAborted();
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
  // It may reject after the signal has aborted, when nobody waits for it any more.
  work.catch(() => undefined);
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

function timeoutError(limitMs: number): LocalError {
  return new LocalError(
    'connect-failed',
    `The server could not be connected within ${limitMs} ms.`,
  );
}

function connectError(cause: unknown): LocalError {
  if (
    cause instanceof LocalError &&
    (cause.code === 'connect-failed' || cause.code === 'connection-closed')
  ) {
    return cause;
  }
  const problem =
    cause instanceof ProtocolError
      ? `it answered with error ${cause.code}: ${cause.message.slice(0, MAX_CAUSE_LENGTH)}`
      : String(cause instanceof Error ? cause.message : cause);
  return new LocalError('connect-failed', `The server could not be connected: ${problem}`, {
    cause,
  });
}

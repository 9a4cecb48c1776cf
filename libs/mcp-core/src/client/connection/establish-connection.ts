import type { Transport } from '../../jsonrpc/transport.ts';
import { MAX_TIMER_MS, untilAborted } from '../../jsonrpc/bounded-waits.ts';
import type { Era } from '../../era/versions.ts';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import type { ConnectedServer } from '../versioning/connected-server.ts';
import type { ClientOptions } from '../client-options.ts';
import { ClientConnection, type ConnectionHooks } from './client-connection.ts';
import { confirmEra, detectEra, EndedByProbeError } from '../versioning/detect-era.ts';
import { type Agreement, discover, initialize } from '../versioning/handshake.ts';

export interface Establishing {
  readonly open: () => Promise<Transport> | Transport;
  readonly options: ClientOptions;
  readonly hooks: ConnectionHooks;
  /** The era of an earlier connection; tried first. */
  readonly knownEra: Era | undefined;
  /** Aborts the attempt; the reason is the error to reject with. */
  readonly signal: AbortSignal;
}

export interface Established {
  readonly connection: ClientConnection;
  readonly server: ConnectedServer;
  readonly transport: Transport;
}

const DEFAULT_CONNECT_TIMEOUT_MS = 60_000;
/** Maximum length of a server's error message inside an error text. */
const MAX_CAUSE_LENGTH = 2000;

/**
 * Opens a transport and performs the handshake. Calls `open` a second time when the server ended its process, perhaps because of the probe. On failure,
 * closes every transport that it opened.
 * @throws LocalError `connect-failed`
 */
export async function establishConnection(establishing: Establishing): Promise<Established> {
  const { limits, era = 'auto' } = establishing.options;
  const { connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS } = limits ?? {};
  const limit = new AbortController();
  const timer =
    connectTimeoutMs > MAX_TIMER_MS
      ? undefined
      : setTimeout(() => limit.abort(timeoutError(connectTimeoutMs)), connectTimeoutMs);
  const signal = AbortSignal.any([limit.signal, establishing.signal]);
  try {
    const attempt = { ...establishing, signal };
    return typeof era === 'string'
      ? await establish(attempt, era)
      : await establish({ ...attempt, knownEra: attempt.knownEra ?? era.first }, 'auto');
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
  const connection = new ClientConnection(transport, options, hooks);
  try {
    await untilAborted(connection.start(), signal);
    const { codec, server } = await untilAborted(
      era === 'auto' && knownEra !== undefined
        ? confirmEra(connection, options, knownEra)
        : agree(connection, options, era),
      signal,
    );
    connection.agreeOn(codec);
    if (codec.era === 'legacy') {
      await untilAborted(connection.notify('notifications/initialized'), signal);
    }
    connection.announce();
    return { connection, server, transport };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function agree(
  connection: ClientConnection,
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

async function requireModern(connection: ClientConnection): Promise<Agreement> {
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
    return await untilAborted(opening, limit);
  } catch (error) {
    // The caller never receives a transport that opens too late, so it is closed here.
    opening.then((transport) => transport.close()).catch(() => undefined);
    throw error;
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

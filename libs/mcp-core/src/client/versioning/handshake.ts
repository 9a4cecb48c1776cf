import type { Codec } from '../../era/codec.ts';
import {
  latestLegacyCodec,
  latestModernCodec,
  legacyCodec,
  pickModernCodec,
} from '../../era/codecs.ts';
import {
  knownCapabilities,
  knownImplementation,
  knownInstructions,
} from '../../era/known-members.ts';
import { MetaKey, metaOf } from '../../era/meta-keys.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject, JsonRpcErrorObject } from '../../jsonrpc/messages.ts';
import type { RequestOutcome } from '../../jsonrpc/outgoing-request.ts';
import { ErrorCode, LocalError, ProtocolError } from '../../protocol/errors.ts';
import { isImplementation } from '../../protocol/implementation.ts';
import type { ConnectedServer } from './connected-server.ts';
import type { ClientOptions } from '../client-options.ts';
import type { ClientConnection } from '../connection/client-connection.ts';
import { declaredCapabilities } from './capabilities.ts';
import { httpFailureOf, isRequestRefused, isUnanswered } from '../connection/http-failure.ts';
import { aroundExchange } from '../extensions/middleware.ts';
import { readResponse } from '../requests/read-response.ts';

/** The result of a handshake: the agreed revision and the server's description. */
export interface Agreement {
  readonly codec: Codec;
  readonly server: ConnectedServer;
}

/** The outcome of `server/discover`: a modern server, or why it is not modern; `unknown` when the connection ended before a response. */
export type Discovery =
  | { readonly era: 'modern'; readonly agreement: Agreement }
  | { readonly era: 'legacy'; readonly reason: string }
  | { readonly era: 'unknown'; readonly error: LocalError };

/**
 * Sends `server/discover`. Only a DiscoverResult and the three modern error codes are evidence of a modern server.
 * @throws LocalError `connect-failed` when the server is modern but no version is shared, or when it refused the request with an HTTP status that is no evidence;
 *   `connection-lost`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility
 */
export function discover(connection: ClientConnection): Promise<Discovery> {
  return discoverIn(latestModernCodec, { connection, isRetry: false });
}

/**
 * Performs the legacy handshake without `notifications/initialized`, which the caller sends.
 * @throws ProtocolError when the server refuses; LocalError `connect-failed` when its version is unknown, `connection-lost`
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */
export async function initialize(
  connection: ClientConnection,
  options: ClientOptions,
): Promise<Agreement> {
  const params = {
    protocolVersion: latestLegacyCodec.version,
    capabilities: declaredCapabilities(options),
    clientInfo: options.info,
  };
  const outcome = await aroundExchange(
    connection.middleware,
    { method: 'initialize', params, era: 'legacy' },
    (changed) => connection.send('initialize', changed, latestLegacyCodec).outcome,
  );
  const result = readResponse('initialize', outcome);
  const codec = legacyCodec(result.protocolVersion);
  if (codec === undefined) {
    throw new LocalError(
      'connect-failed',
      `The server answered initialize with protocol version ${String(result.protocolVersion)}, which this client does not support.`,
    );
  }
  return { codec, server: describeServer(result, codec, result.serverInfo) };
}

interface DiscoverAttempt {
  readonly connection: ClientConnection;
  readonly isRetry: boolean;
}

async function discoverIn(codec: Codec, attempt: DiscoverAttempt): Promise<Discovery> {
  const { connection } = attempt;
  const outcome = await aroundExchange(
    connection.middleware,
    { method: 'server/discover', params: {}, era: 'modern' },
    async (params) =>
      readDiscovered(await connection.send('server/discover', params, codec).outcome, codec),
  );
  if (outcome.kind === 'invalid') {
    return { era: 'legacy', reason: outcome.detail };
  }
  if (outcome.kind === 'error') {
    return decideAfterError(outcome.error, attempt);
  }
  if (outcome.kind === 'closed') {
    return decideAfterLoss(outcome.error, attempt);
  }
  const result = readResponse('server/discover', outcome);
  const supported = versionsIn(result.supportedVersions);
  const agreed = pickModernCodec(supported);
  if (agreed === undefined) {
    return withoutModernVersion(supported);
  }
  return {
    era: 'modern',
    agreement: {
      codec: agreed,
      server: describeServer(result, agreed, metaOf(result)[MetaKey.serverInfo]),
    },
  };
}

/** Decodes a result; one that is not a DiscoverResult is an invalid response. */
function readDiscovered(outcome: RequestOutcome, codec: Codec): RequestOutcome {
  if (outcome.kind !== 'result') return outcome;
  const decoded = codec.decodeResult('server/discover', outcome.result);
  return decoded.kind === 'complete' && Array.isArray(decoded.result.supportedVersions)
    ? { kind: 'result', result: decoded.result }
    : { kind: 'invalid', detail: 'its response to server/discover is not a DiscoverResult' };
}

/** Decides after a lost response. A server that responded as modern once stays modern. */
async function decideAfterLoss(
  error: Error | undefined,
  attempt: DiscoverAttempt,
): Promise<Discovery> {
  const { connection, isRetry } = attempt;
  const failure = httpFailureOf(error);
  if (failure !== undefined && (isRequestRefused(failure) || isUnanswered(failure)) && !isRetry) {
    // The error response may have come without its id.
    return failure.rpcError === undefined
      ? { era: 'legacy', reason: `it answered server/discover with HTTP status ${failure.status}` }
      : decideAfterError(failure.rpcError, attempt);
  }
  const hasEnded = connection.hasEnded || error === undefined;
  const problem = `${hasEnded ? 'The connection ended before server/discover was answered' : 'server/discover failed'}${error === undefined ? '.' : `: ${error.message}`}`;
  if (hasEnded && !isRetry) {
    return {
      era: 'unknown',
      error: new LocalError('connection-lost', problem, { sent: true, cause: error }),
    };
  }
  throw new LocalError('connect-failed', `The server could not be connected: ${problem}`, {
    cause: error,
  });
}

async function decideAfterError(
  error: JsonRpcErrorObject,
  { connection, isRetry }: DiscoverAttempt,
): Promise<Discovery> {
  switch (error.code) {
    case ErrorCode.unsupportedProtocolVersion: {
      const supported = versionsIn(isJsonObject(error.data) ? error.data.supported : undefined);
      const codec = pickModernCodec(supported);
      if (codec === undefined) {
        return withoutModernVersion(supported);
      }
      if (isRetry) {
        throw modernFailure(error);
      }
      return discoverIn(codec, { connection, isRetry: true });
    }
    case ErrorCode.headerMismatch:
    case ErrorCode.missingClientCapability:
      throw modernFailure(error);
    default:
      return {
        era: 'legacy',
        reason: `it answered server/discover with error ${error.code}: ${error.message}`,
      };
  }
}

/** Falls back to the legacy era when the server's versions include a legacy one. */
function withoutModernVersion(supported: readonly unknown[]): Discovery {
  const versions = supported.map(String).join(', ');
  if (!supported.some((version) => legacyCodec(version) !== undefined)) {
    throw new LocalError(
      'connect-failed',
      `The server and this client have no protocol version in common; the server supports: ${versions || 'no version that it names'}.`,
    );
  }
  return { era: 'legacy', reason: `it supports only ${versions}` };
}

function versionsIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function modernFailure(error: JsonRpcErrorObject): LocalError {
  return new LocalError(
    'connect-failed',
    `The server refused server/discover with error ${error.code}: ${error.message}`,
    {
      cause: new ProtocolError(error.code, error.message, { data: error.data }),
    },
  );
}

function describeServer(result: JsonObject, codec: Codec, info: unknown): ConnectedServer {
  return {
    info: isImplementation(info) ? knownImplementation(info) : undefined,
    capabilities: isJsonObject(result.capabilities) ? knownCapabilities(result.capabilities) : {},
    instructions: knownInstructions(result.instructions),
    protocolVersion: codec.version,
    era: codec.era,
  };
}

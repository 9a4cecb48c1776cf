import { withinLimit } from '../../jsonrpc/bounded-waits.ts';
import type { Era } from '../../era/versions.ts';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import type { ClientOptions } from '../client-options.ts';
import type { ClientConnection } from '../connection/client-connection.ts';
import { type Agreement, discover, type Discovery, initialize } from './handshake.ts';
import { httpFailureOf } from '../connection/http-failure.ts';

/**
 * The error of a connection that ended after the probe, with no response. Some legacy servers end on a request before `initialize`, also when
 * `initialize` follows before they read; a server that ended for another reason cannot be distinguished.
 */
export class EndedByProbeError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = 'EndedByProbeError';
  }
}

const DEFAULT_PROBE_TIMEOUT_MS = 1500;
/** Time limit for the response to `initialize` after the response to the probe; the server has received both by then. */
const HANDSHAKE_LIMIT_MS = 1500;

/**
 * Detects the era of a server on one connection. Sends `server/discover` and, after a silence, `initialize` as well; a response to `initialize` then
 * decides. Where each request has a stream of its own, silence is no evidence. There is no time limit: the caller closes the connection to abandon the detection.
 * @throws EndedByProbeError, ProtocolError, LocalError
 */
export async function detectEra(
  connection: ClientConnection,
  options: ClientOptions,
): Promise<Agreement> {
  const discovery = discover(connection);
  const probeTimeoutMs = connection.hasStreamPerRequest
    ? Infinity
    : (options.limits?.probeTimeoutMs ?? DEFAULT_PROBE_TIMEOUT_MS);
  const first = await withinLimit(discovery, probeTimeoutMs);
  if (first?.era === 'unknown') {
    throw new EndedByProbeError(first.error);
  }
  if (first !== undefined) {
    return first.era === 'modern' ? first.agreement : initialize(connection, options);
  }
  const handshake = initialize(connection, options);
  const asModern = discovery.then((found) => {
    const agreement = modernOf(found);
    // A dual-era server that accepted `initialize` may stay in the legacy era, whatever it responded to the probe.
    return agreement === undefined
      ? handshake.catch((refusal: unknown) => decideAfterRefusal(found, refusal))
      : withinLimit(handshake, HANDSHAKE_LIMIT_MS).then(
          (legacy) => legacy ?? agreement,
          () => agreement,
        );
  });
  // A slow modern server may refuse `initialize` before it answers the probe.
  const asLegacy = handshake.catch(async (refusal: unknown) =>
    decideAfterRefusal(await discovery, refusal),
  );
  return Promise.race([asModern, asLegacy]);
}

/**
 * Performs the handshake with a server whose era is known, and falls back to the other era when the server has changed.
 * @throws ProtocolError, LocalError
 */
export async function confirmEra(
  connection: ClientConnection,
  options: ClientOptions,
  era: Era,
): Promise<Agreement> {
  if (era === 'modern') {
    const found = await discover(connection);
    if (found.era === 'unknown') throw found.error;
    return modernOf(found) ?? initialize(connection, options);
  }
  try {
    return await initialize(connection, options);
  } catch (refusal) {
    const isAnswered = refusal instanceof ProtocolError || httpFailureOf(refusal) !== undefined;
    if (!isAnswered) throw refusal;
    return orRefusal(await discover(connection), refusal);
  }
}

function modernOf(found: Discovery): Agreement | undefined {
  return found.era === 'modern' ? found.agreement : undefined;
}

function orRefusal(found: Discovery, refusal: unknown): Agreement {
  if (found.era === 'modern') {
    return found.agreement;
  }
  throw refusal;
}

/**
 * Returns the agreement of the probe after `initialize`, which was sent behind it, has failed.
 * @throws EndedByProbeError when the connection ended before either was answered; otherwise the error of `initialize` when the server is not modern
 */
function decideAfterRefusal(found: Discovery, refusal: unknown): Agreement {
  if (
    found.era === 'unknown' &&
    refusal instanceof LocalError &&
    refusal.code === 'connection-lost'
  ) {
    throw new EndedByProbeError(refusal);
  }
  return orRefusal(found, refusal);
}

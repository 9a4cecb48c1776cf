import { withinLimit } from '../../jsonrpc/bounded-waits.ts';
import type { Era } from '../../era/versions.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { ClientOptions } from '../client-options.ts';
import type { Connection } from '../connection/client-connection.ts';
import { type Agreement, discover, type Discovery, initialize } from './handshake.ts';
import { httpFailureOf } from '../connection/http-failure.ts';

/**
 * The connection ended while the probe, and nothing else, had been sent and nothing had been answered: the probe may be the reason, as some legacy servers
 * end on a request before `initialize`. A server that dies then for a reason of its own cannot be told apart.
 */
export class EndedByProbeError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = 'EndedByProbeError';
  }
}

const DEFAULT_PROBE_TIMEOUT_MS = 1500;
/** How long `initialize` may take after the probe has been answered; both were in the server's input by then. */
const HANDSHAKE_LIMIT_MS = 1500;

/**
 * Finds out which era a server of unknown era speaks, on one connection: asks `server/discover` and, when that is met with silence, `initialize` as
 * well, which then decides unless it is refused or met with silence too. Over HTTP silence is no evidence. There is no limit: the caller closes the
 * connection to give up.
 * @throws EndedByProbeError, ProtocolError, LocalError
 */
export async function detectEra(
  connection: Connection,
  options: ClientOptions,
): Promise<Agreement> {
  const discovery = discover(connection);
  const probeTimeoutMs = connection.isHttp
    ? Infinity
    : (options.probeTimeoutMs ?? DEFAULT_PROBE_TIMEOUT_MS);
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
    // A server of both eras that takes `initialize` may speak nothing but the legacy era from then on, whatever it answered to the probe.
    return agreement === undefined
      ? handshake
      : withinLimit(handshake, HANDSHAKE_LIMIT_MS).then(
          (legacy) => legacy ?? agreement,
          () => agreement,
        );
  });
  // A slow modern server may refuse `initialize` before it answers the probe.
  const asLegacy = handshake.catch(async (refusal: unknown) => orRefusal(await discovery, refusal));
  return Promise.race([asModern, asLegacy]);
}

/**
 * Agrees with a server whose era was known before; when it has become another one, in that.
 * @throws ProtocolError, LocalError
 */
export async function confirmEra(
  connection: Connection,
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

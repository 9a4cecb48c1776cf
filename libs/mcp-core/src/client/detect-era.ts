import { withinLimit } from '../jsonrpc/within-limit.ts';
import type { ClientOptions } from './client.ts';
import type { Connection } from './connection.ts';
import { type Agreement, discover, initialize } from './handshake.ts';
import { MAX_TIMER_MS } from './request-clock.ts';

const DEFAULT_PROBE_TIMEOUT_MS = 1500;

/**
 * Finds out which era a server of unknown era speaks, on one connection: asks `server/discover` and, when that is met with silence, `initialize` as
 * well; whichever is answered with success first decides. There is no limit: the caller closes the connection to give up.
 * @throws ProtocolError, LocalError
 */
export async function detectEra(connection: Connection, options: ClientOptions): Promise<Agreement> {
  const discovery = discover(connection);
  const first = await withinLimit(discovery, Math.min(options.probeTimeoutMs ?? DEFAULT_PROBE_TIMEOUT_MS, MAX_TIMER_MS));
  if (first !== undefined) {
    return first.era === 'modern' ? first.agreement : initialize(connection, options);
  }
  const handshake = initialize(connection, options);
  const asModern = discovery.then((found) => (found.era === 'modern' ? found.agreement : handshake));
  // A slow modern server may refuse `initialize` before it answers the probe.
  const asLegacy = handshake.catch(async (refusal: unknown) => {
    const found = await discovery;
    if (found.era === 'modern') {
      return found.agreement;
    }
    throw refusal;
  });
  return Promise.race([asModern, asLegacy]);
}

import { guarded } from '../jsonrpc/report-to-stderr.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { Client } from './client.ts';
import type { ClientOptions } from './client-options.ts';
import { ConnectedClient } from './connected-client.ts';

/**
 * Opens a transport, detects the era and returns the connected client. `open` is called again when a server ended its process because of the probe,
 * and whenever the client needs a new connection. When it fails, every transport it opened is closed.
 * @throws LocalError `connect-failed`
 */
export async function connectClient(
  open: () => Promise<Transport> | Transport,
  options: ClientOptions,
): Promise<Client> {
  const { onProblem } = options;
  const client = new ConnectedClient(
    open,
    onProblem === undefined ? options : { ...options, onProblem: guarded(onProblem) },
  );
  await client.connect();
  return client;
}

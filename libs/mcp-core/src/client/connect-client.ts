import { guarded } from '../jsonrpc/report-to-stderr.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { Client } from './client.ts';
import type { ClientOptions } from './client-options.ts';
import { assertCustomNames } from './extensions/custom-methods.ts';
import { ConnectedClient } from './connected-client.ts';

/**
 * Opens a transport, detects the era and returns the connected client. Calls `open` again when the server ended its process because of the probe, by
 * `reconnect`, and when the server has lost the session. On failure, closes every transport that it opened.
 * @throws LocalError `connect-failed`; `invalid-argument` when a custom method or notification has a name of the specification
 * @example
 * ```ts
 * import { connectClient } from '@signalbox/mcp-core/client';
 * import { spawnStdio } from '@signalbox/mcp-core/stdio';
 *
 * const client = await connectClient(
 *   () => spawnStdio({ command: 'node', args: ['server.js'] }),
 *   { info: { name: 'host', version: '1.0.0' } },
 * );
 * console.log((await client.listTools()).map(({ name }) => name));
 * await client.close();
 * ```
 */
export async function connectClient(
  open: () => Promise<Transport> | Transport,
  options: ClientOptions,
): Promise<Client> {
  assertCustomNames(options.extensions);
  const { events } = options;
  const client = new ConnectedClient(
    open,
    events?.onProblem === undefined
      ? options
      : { ...options, events: { ...events, onProblem: guarded(events.onProblem) } },
  );
  await client.connect();
  return client;
}

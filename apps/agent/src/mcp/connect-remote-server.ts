import { connectClient, type MessageBudget } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { LocalError, type Transport } from '@signalbox/mcp-core';
import type { RemoteServerConfig } from '../config/config.ts';
import { serverLookup } from './server-addresses.ts';
import type { ServerAuthorizations } from './server-authorizations.ts';
import { clientOptions, type ConnectOptions, type ServerConnection } from './server-connection.ts';

/**
 * Connects to a server over Streamable HTTP or HTTP+SSE. A lost session ends the connection, so
 * that the pool reconnects and reads the tools again.
 */
export async function connectRemoteServer(
  server: RemoteServerConfig,
  options: ConnectOptions,
  {
    messageBudget,
    authorizations,
    allowedNetworks,
  }: {
    readonly messageBudget?: MessageBudget;
    readonly authorizations?: ServerAuthorizations | undefined;
    /** Networks beside the public ones. Default: all but those of cloud metadata. */
    readonly allowedNetworks?: readonly string[] | undefined;
  } = {},
): Promise<ServerConnection> {
  const { signal } = options;
  const lookup = serverLookup(server.url, allowedNetworks);
  const authorization = await authorizations?.of(server);
  const { promise: exited, resolve: exit } = Promise.withResolvers<void>();
  const transports = new Set<Transport>();
  let isConnected = false;
  const onClosed = (error?: Error): void => {
    exit();
    options.onClosed(error);
  };
  const open = (): Transport => {
    signal.throwIfAborted();
    if (isConnected) {
      const forgotten = new LocalError('connection-lost', 'The server has forgotten the session');
      onClosed(forgotten);
      throw forgotten;
    }
    const transport = httpTransport({
      url: server.url,
      headers: server.headers,
      authorization,
      lookup,
      legacySse: server.transport !== 'http',
      ...(server.maxMessageBytes === undefined ? {} : { maxMessageBytes: server.maxMessageBytes }),
      ...(messageBudget === undefined ? {} : { messageBudget }),
    });
    transports.add(transport);
    return transport;
  };
  const onAbort = (): void => transports.forEach((transport) => void transport.close());
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const client = await connectClient(open, clientOptions(server, { ...options, onClosed }));
    isConnected = true;
    return { client, pid: undefined, exited, close: () => client.close().then(exit) };
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

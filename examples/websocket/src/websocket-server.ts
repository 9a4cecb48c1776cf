import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopback } from '@signalbox/mcp-core';
import type { Server, ServerConnection } from '@signalbox/mcp-core/server';
import { WebSocketServer, type WebSocket } from 'ws';
import { MAX_MESSAGE_BYTES, SUBPROTOCOL, WebSocketTransport } from './websocket-transport.ts';

export interface WebSocketListener {
  readonly url: string;
  /** Ends all connections and stops the server's tasks. */
  close(): Promise<void>;
}

/**
 * Serves clients of both eras on a port of this machine; 0 is any free port. Web pages, which send
 * an `Origin`, and names other than those of this machine are refused: otherwise every page that a
 * user visits could call the tools.
 */
export async function serveWebSocket(server: Server, port = 0): Promise<WebSocketListener> {
  const connections = new Set<ServerConnection>();
  const sockets = new WebSocketServer({
    host: '127.0.0.1',
    port,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered) => offered.has(SUBPROTOCOL) && SUBPROTOCOL,
    verifyClient: ({ req: { headers } }: { readonly req: IncomingMessage }) =>
      headers.origin === undefined && isLoopback(headers.host?.replace(/:\d+$/u, '') ?? ''),
  });
  const serve = async (socket: WebSocket): Promise<void> => {
    const connection = await server.connect(new WebSocketTransport(socket, { isServer: true }));
    connections.add(connection);
    await connection.closed;
    connections.delete(connection);
  };
  sockets.on('connection', (socket) => void serve(socket));
  await once(sockets, 'listening');
  return {
    url: `ws://127.0.0.1:${String((sockets.address() as AddressInfo).port)}`,
    close: async () => {
      sockets.close();
      await Promise.all([...connections].map((connection) => connection.close()));
      await server.stopTasks();
    },
  };
}

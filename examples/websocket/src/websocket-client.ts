import { once } from 'node:events';
import type { Transport } from '@signalbox/mcp-core';
import { WebSocket } from 'ws';
import { MAX_MESSAGE_BYTES, SUBPROTOCOL, WebSocketTransport } from './websocket-transport.ts';

/** Opens a transport to a server, for `connectClient`. Rejects when the server cannot be reached. */
export async function openWebSocket(url: string): Promise<Transport> {
  const socket = new WebSocket(url, SUBPROTOCOL, {
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  const transport = new Promise<Transport>((resolve) => {
    socket.once('open', () => resolve(new WebSocketTransport(socket, { isServer: false })));
  });
  await once(socket, 'open');
  return transport;
}

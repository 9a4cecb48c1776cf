import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { HttpHandler } from '../../src/http/server/index.ts';
import { PairedSocket } from './socket-pair.ts';
import {
  headersOf,
  readEvents,
  type Departure,
  type OpenWire,
  type Wire,
  type WireRequest,
  type WireResponse,
} from './wire.ts';

/** Connects clients to the `node:http` face of a handler, without a network. */
export function openNodeWires(handler: HttpHandler, arrived: (request: object) => void): OpenWire {
  const listener = createServer((request, response) => {
    arrived(request);
    handler.handle(request, response);
  });
  return (departure) =>
    new NodeWire(departure, () => {
      const [client, server] = PairedSocket.connect();
      server.on('error', () => undefined);
      listener.emit('connection', server);
      return client;
    });
}

class NodeWire implements Wire {
  readonly #departure: Departure;
  readonly #connect: () => PairedSocket;
  readonly #sockets = new Set<PairedSocket>();
  #hasLeft = false;

  constructor(departure: Departure, connect: () => PairedSocket) {
    this.#departure = departure;
    this.#connect = connect;
  }

  async send(request: WireRequest): Promise<WireResponse> {
    if (this.#hasLeft) throw new Error('The client has left');
    const socket = this.#open();
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = httpRequest({
      method: request.method ?? 'POST',
      path: request.path ?? '/mcp',
      headers: { ...headersOf(request), connection: 'close' },
      createConnection: () => socket,
    });
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.end(request.body === undefined ? undefined : JSON.stringify(request.body));
    const response = await promise;
    const { statusCode: status = 0, headers } = response;
    const isStream = headers['content-type'] === 'text/event-stream';
    return {
      status,
      header: (name) => headers[name]?.toString(),
      events: readEvents(response, isStream),
    };
  }

  leave(): void {
    this.#hasLeft = true;
    for (const socket of this.#sockets) {
      if (this.#departure === 'half-close') socket.finish();
      else socket.destroy();
    }
  }

  #open(): PairedSocket {
    const socket = this.#connect();
    if (this.#departure === 'unread') socket.stopReading();
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined);
    return socket;
  }
}

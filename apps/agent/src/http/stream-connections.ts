import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Maximum number of pipelined requests that wait for the end of a stream; a client that sends more is disconnected. */
const MAX_WAITING = 16;

/** Connection of an event stream, without the request and the response that opened it. */
export interface StreamConnection {
  readonly socket: Socket;
  /** Ends the response. The connection serves the next request, or closes if the client asked for that. */
  readonly end: () => void;
}

/** Response with the flag by which Node closes the connection when the response has ended. */
type Closing = ServerResponse & { _last?: unknown };

/**
 * Connections that event streams have taken from their responses. Node keeps a request, its response
 * and the objects of the framework, about 15 KB, until the response has ended. For Node the response
 * of a stream ends with its head; the stream writes the chunks of the body to the socket. A request
 * that the client sends meanwhile waits until the stream has ended.
 */
export class StreamConnections {
  readonly #server: Server;
  /** Last request of each connection. */
  readonly #last = new WeakMap<Socket, IncomingMessage>();
  /** Requests that wait for the end of the stream of their connection. */
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();

  constructor(server: Server) {
    this.#server = server;
    server.on('request', (request) => this.#last.set(request.socket, request));
    // By default Node responds to these at once.
    server.on('checkContinue', (request, response) =>
      this.#serveWhenFree(request, () => {
        response.writeContinue();
        server.emit('request', request, response);
      }),
    );
    server.on('checkExpectation', (request, response) =>
      this.#serveWhenFree(request, () => response.writeHead(417).end()),
    );
    // Fastify responds to what is not HTTP, which would become a part of the stream.
    server.prependListener('clientError', (_error, socket) => {
      if (socket instanceof Socket && this.#waiting.has(socket)) socket.destroy();
    });
  }

  #serveWhenFree(request: IncomingMessage, serve: () => void): void {
    this.#last.set(request.socket, request);
    this.whenFree(request.socket, serve);
  }

  /** Calls back when no event stream has the connection: at once, or at the end of the stream; never if the connection closes before. */
  whenFree(socket: Socket, callback: () => void): void {
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) callback();
    else if (waiting.length < MAX_WAITING) waiting.push(callback);
    else socket.destroy();
  }

  /**
   * Takes the connection of a response whose head was sent. Undefined for a response without chunks,
   * one that waits for an earlier response, and one behind which the client has sent a request.
   */
  take(response: ServerResponse): StreamConnection | undefined {
    const { socket } = response;
    const { _last: closes } = response as Closing;
    if (!(socket instanceof Socket) || socket.destroyed || !response.chunkedEncoding)
      return undefined;
    if (typeof closes !== 'boolean' || this.#last.get(socket) !== response.req) return undefined;
    this.#last.delete(socket);
    this.#waiting.set(socket, []);
    response.chunkedEncoding = false;
    Object.assign(response, { _last: false });
    // Node sets the timeout of an idle connection.
    response.once('finish', () => socket.setTimeout(0));
    response.end();
    return { socket, end: () => this.#end(socket, closes) };
  }

  #end(socket: Socket, closes: boolean): void {
    if (socket.writable) socket.write('0\r\n\r\n');
    const waiting = this.#waiting.get(socket) ?? [];
    this.#waiting.delete(socket);
    if (closes) return socket.destroySoon();
    if (waiting.length === 0) socket.setTimeout(this.#server.keepAliveTimeout);
    for (const serve of waiting) serve();
  }
}

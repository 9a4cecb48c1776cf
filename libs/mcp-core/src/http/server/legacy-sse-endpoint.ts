import { toJsonText } from '../../jsonrpc/json-text.ts';
import type { JsonRpcBatch, JsonRpcMessage } from '../../jsonrpc/messages.ts';
import type { AuthContext, Transport, TransportReceiver } from '../../jsonrpc/transport.ts';
import type { Server, ServerConnection } from '../../server/server.ts';
import type { HttpExchange } from './http-exchange.ts';
import { sendAccepted, sendText } from './json-responses.ts';
import { readMessage } from './read-message.ts';
import { EVENT_STREAM_FIELDS, KEEP_ALIVE } from './sse-event.ts';

export interface LegacySsePaths {
  /** Path of the client's stream. Default: `/sse`. */
  readonly stream?: string;
  /** Path of the client's messages. Default: `/messages`. */
  readonly messages?: string;
}

export interface LegacySseOptions {
  readonly server: Server;
  readonly messagesPath: string;
  readonly maxBodyBytes: number;
  readonly maxConnections: number;
  readonly onError: (error: unknown) => void;
}

/**
 * The two paths of HTTP+SSE, which 2025-03-26 replaced. A connection lasts as long as its stream.
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class LegacySseEndpoint {
  readonly #options: LegacySseOptions;
  readonly #transports = new Map<
    string,
    {
      readonly transport: SseTransport;
      readonly connection: ServerConnection;
      readonly principal: string | undefined;
    }
  >();

  constructor(options: LegacySseOptions) {
    this.#options = options;
  }

  serveStream(exchange: HttpExchange, auth: AuthContext | undefined): void {
    if (exchange.method !== 'GET') {
      sendText(exchange, 405, { text: 'Method not allowed', fields: ['allow', 'GET'] });
    } else if (this.#transports.size >= this.#options.maxConnections) {
      sendText(exchange, 503, { text: 'Too many connections', fields: ['retry-after', '60'] });
    } else {
      this.#open(exchange, auth).catch((error: unknown) => {
        this.#options.onError(error);
        exchange.destroy();
      });
    }
  }

  serveMessage(exchange: HttpExchange, auth: AuthContext | undefined): void {
    if (exchange.method !== 'POST') {
      sendText(exchange, 405, { text: 'Method not allowed', fields: ['allow', 'POST'] });
      return;
    }
    const found = this.#transports.get(new URLSearchParams(exchange.query).get('sessionId') ?? '');
    if (found === undefined || found.principal !== auth?.principal) {
      sendText(exchange, 404, { text: 'Session not found' });
      return;
    }
    readMessage(exchange, this.#options.maxBodyBytes, (value) => {
      found.transport.deliver(value, auth);
      sendAccepted(exchange);
    });
  }

  keepAlive(): void {
    for (const { transport } of this.#transports.values()) transport.keepAlive();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#transports.values()].map(({ connection }) => connection.close()));
  }

  async #open(exchange: HttpExchange, auth: AuthContext | undefined): Promise<void> {
    if (exchange.isGone()) return;
    const { server, messagesPath } = this.#options;
    const id = crypto.randomUUID();
    const transport = new SseTransport(exchange, () => this.#transports.delete(id));
    const connection = await server.connect(transport);
    if (exchange.isGone()) {
      await connection.close();
      return;
    }
    this.#transports.set(id, { transport, connection, principal: auth?.principal });
    exchange.open(EVENT_STREAM_FIELDS);
    void exchange.write(`event: endpoint\ndata: ${messagesPath}?sessionId=${id}\n\n`);
  }
}

/** The server side of a connection: sends all messages on its stream. */
class SseTransport implements Transport {
  readonly #exchange: HttpExchange;
  readonly #closed: () => void;
  #receiver: TransportReceiver | undefined;
  #isClosed = false;
  #isQuiet = false;

  constructor(exchange: HttpExchange, closed: () => void) {
    this.#exchange = exchange;
    this.#closed = closed;
    exchange.onGone(() => {
      this.#finish();
    });
  }

  start(receiver: TransportReceiver): Promise<void> {
    this.#receiver = receiver;
    return Promise.resolve();
  }

  async send(message: JsonRpcMessage | JsonRpcBatch): Promise<void> {
    if (this.#isClosed) throw new Error('The connection is closed');
    this.#isQuiet = false;
    await this.#exchange.write(`event: message\ndata: ${toJsonText(message)}\n\n`);
  }

  close(): Promise<void> {
    if (!this.#isClosed) this.#exchange.end();
    this.#finish();
    return Promise.resolve();
  }

  deliver(value: unknown, auth: AuthContext | undefined): void {
    this.#receiver?.message(value, auth === undefined ? undefined : { auth });
  }

  keepAlive(): void {
    if (this.#isQuiet) void this.#exchange.write(KEEP_ALIVE);
    this.#isQuiet = true;
  }

  #finish(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closed();
    this.#receiver?.closed();
  }
}

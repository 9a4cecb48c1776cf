import { readEnvelope } from '../../jsonrpc/envelope.ts';
import { toJsonText } from '../../jsonrpc/json-text.ts';
import type { JsonRpcBatch, JsonRpcMessage } from '../../jsonrpc/messages.ts';
import type { AuthContext, Transport, TransportReceiver } from '../../jsonrpc/transport.ts';
import type { Server, ServerConnection } from '../../server/server.ts';
import type { HttpExchange } from './http-exchange.ts';
import { sendAccepted, sendText } from './json-responses.ts';
import { readMessage } from './read-message.ts';
import type { ScopeCheck } from './scope-check.ts';
import { EVENT_STREAM_FIELDS, KEEP_ALIVE } from './sse-event.ts';

/** Paths of the HTTP+SSE transport of 2024-11-05. */
export interface LegacySsePaths {
  /** Path of the client's stream. Default: `/sse`. */
  readonly stream?: string;
  /** Path of the client's messages. Default: `/messages`. */
  readonly messages?: string;
}

export interface LegacySseOptions {
  readonly server: Server;
  readonly scopes: ScopeCheck;
  readonly messagesPath: string;
  readonly maxBodyBytes: number;
  readonly maxConnections: number;
  readonly onError: (error: unknown) => void;
}

interface Entry {
  readonly transport: SseTransport;
  /** `undefined` while it opens. */
  connection?: ServerConnection;
  readonly principal: string | undefined;
}

/**
 * The two paths of HTTP+SSE, which 2025-03-26 replaced. A connection lasts as long as its stream.
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class LegacySseEndpoint {
  readonly #options: LegacySseOptions;
  readonly #transports = new Map<string, Entry>();

  constructor(options: LegacySseOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#transports.size;
  }

  serveStream(exchange: HttpExchange, auth: AuthContext | undefined): void {
    if (exchange.method !== 'GET') {
      sendText(exchange, 405, { text: 'Method not allowed', fields: ['allow', 'GET'] });
    } else if (this.#transports.size >= this.#options.maxConnections) {
      sendText(exchange, 503, { text: 'Too many connections', fields: ['retry-after', '60'] });
    } else if (this.#options.scopes.allows(exchange, auth)) {
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
    const id = new URLSearchParams(exchange.query).get('sessionId') ?? '';
    const found = this.#find(id, auth);
    if (found === undefined) {
      sendText(exchange, 404, { text: 'Session not found' });
      return;
    }
    readMessage(exchange, this.#options.maxBodyBytes, (value) => {
      if (!this.#options.scopes.allows(exchange, auth, readEnvelope(value))) return;
      // The stream may have ended while the body arrived.
      const transport = this.#find(id, auth);
      transport?.deliver(value, auth);
      if (transport === undefined) sendText(exchange, 404, { text: 'Session not found' });
      else sendAccepted(exchange);
    });
  }

  keepAlive(): void {
    for (const { transport } of this.#transports.values()) transport.keepAlive();
  }

  async close(): Promise<void> {
    const open = [...this.#transports.values()];
    this.#transports.clear();
    await Promise.all(open.map(async ({ connection }) => connection?.close()));
  }

  #find(id: string, auth: AuthContext | undefined): SseTransport | undefined {
    const found = this.#transports.get(id);
    return found?.principal === auth?.principal ? found?.transport : undefined;
  }

  async #open(exchange: HttpExchange, auth: AuthContext | undefined): Promise<void> {
    if (exchange.isGone()) return;
    const { server, messagesPath } = this.#options;
    const id = crypto.randomUUID();
    const transport = new SseTransport(exchange, () => this.#transports.delete(id));
    // It counts from now on, so that connections that open at the same time do not exceed the limit.
    const entry: Entry = { transport, principal: auth?.principal };
    this.#transports.set(id, entry);
    try {
      entry.connection = await server.connect(transport);
    } catch (error) {
      this.#transports.delete(id);
      throw error;
    }
    // Meanwhile the client may have left, or the handler closed.
    if (!this.#transports.has(id)) {
      if (!exchange.isGone()) sendText(exchange, 503, { text: 'The server is closing' });
      await entry.connection.close();
      return;
    }
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

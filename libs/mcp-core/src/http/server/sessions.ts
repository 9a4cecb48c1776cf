import type { JsonRpcRequest } from '../../jsonrpc/messages.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import type { Server } from '../../server/server.ts';
import type { EventStore } from './event-store.ts';
import type { HttpExchange } from './http-exchange.ts';
import { sendText } from './json-responses.ts';
import type { OpenExchanges } from './open-exchanges.ts';
import { type SessionScope, SessionTransport } from './session-transport.ts';

export interface SessionsOptions {
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
  readonly retryMs: number;
  readonly eventStore: EventStore | undefined;
  readonly exchanges: OpenExchanges;
  readonly onError: (error: unknown) => void;
}

/** The legacy sessions of a handler. */
export class Sessions {
  readonly #server: Server;
  readonly #options: SessionsOptions;
  readonly #scope: SessionScope;
  readonly #sessions = new Map<string, SessionTransport>();

  constructor(server: Server, options: SessionsOptions) {
    const { eventStore: store, retryMs, exchanges, onError } = options;
    this.#server = server;
    this.#options = options;
    this.#scope = {
      store,
      retryMs,
      exchanges,
      onError,
      refused: ({ sessionId }) => {
        this.end(sessionId);
      },
      ended: ({ sessionId }) => {
        this.#sessions.delete(sessionId);
      },
    };
  }

  get size(): number {
    return this.#sessions.size;
  }

  /**
   * Opens a session for an `initialize` request and serves the request. Has no effect when the
   * client has left.
   */
  async open(
    exchange: HttpExchange,
    request: JsonRpcRequest,
    auth: AuthContext | undefined,
  ): Promise<void> {
    if (!this.#makeRoom()) {
      sendText(exchange, 503, { text: 'Too many sessions', fields: ['retry-after', '60'] });
      return;
    }
    const transport = new SessionTransport(crypto.randomUUID(), auth?.principal, this.#scope);
    const { sessionId } = transport;
    transport.lastUsedAt = Date.now();
    // It counts from now on, so that sessions that open at the same time do not exceed the limit.
    this.#sessions.set(sessionId, transport);
    try {
      transport.connection = await this.#server.connect(transport);
    } catch (error) {
      this.#sessions.delete(sessionId);
      throw error;
    }
    // Meanwhile the client may have left, the handler closed, or another session taken the place.
    if (exchange.isGone() || !this.#sessions.has(sessionId)) {
      this.#sessions.delete(sessionId);
      await transport.connection.close();
      sendText(exchange, 503, { text: 'The session has ended', fields: ['retry-after', '60'] });
      return;
    }
    transport.serve(exchange, { value: request, ids: [request.id], auth });
  }

  /** Returns a session that exists and belongs to the caller. */
  find(id: string, auth: AuthContext | undefined): SessionTransport | undefined {
    const transport = this.#sessions.get(id);
    if (transport === undefined || transport.principal !== auth?.principal) return undefined;
    transport.lastUsedAt = Date.now();
    return transport;
  }

  /** Aborts the handlers of a session and ends its streams. */
  end(id: string): void {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    session?.connection?.close().catch(this.#options.onError);
  }

  keepAlive(): void {
    for (const transport of this.#sessions.values()) transport.keepAlive();
  }

  /** Ends sessions whose client was neither connected nor heard from for too long. */
  expire(): void {
    const now = Date.now();
    for (const [id, transport] of this.#sessions) {
      if (transport.isConnected) transport.lastUsedAt = now;
      else if (transport.lastUsedAt < now - this.#options.sessionIdleMs) this.end(id);
    }
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map(async ({ connection }) => connection?.close()));
  }

  /**
   * Ends the session that was idle longest when there are too many; returns false when all are in
   * use.
   */
  #makeRoom(): boolean {
    if (this.#sessions.size < this.#options.maxSessions) return true;
    let oldest: SessionTransport | undefined;
    for (const transport of this.#sessions.values()) {
      if (
        !transport.isConnected &&
        (oldest === undefined || transport.lastUsedAt < oldest.lastUsedAt)
      )
        oldest = transport;
    }
    if (oldest !== undefined) this.end(oldest.sessionId);
    return oldest !== undefined;
  }
}

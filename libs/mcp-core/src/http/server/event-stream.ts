import type { EventStore, StoredEvent, StreamAddress } from './event-store.ts';
import type { HttpExchange } from './http-exchange.ts';
import { EVENT_STREAM_FIELDS, KEEP_ALIVE, primingEvent, sseEvent } from './sse-event.ts';

/** State shared by the streams of a session. */
export interface StreamScope {
  readonly sessionId: string;
  /** Without a store, events have no ids and streams cannot be resumed. */
  readonly store: EventStore | undefined;
  readonly retryMs: number;
  readonly onError: (error: unknown) => void;
  /** Called with each event that the store takes asynchronously; never rejects. */
  storing(event: Promise<void>): void;
  /** Whether a stream begins with a priming event; known after `initialize`. */
  readonly isPrimed: boolean;
}

/**
 * A stream of events that outlives its connections: events have ids, are stored, and are sent over
 * the current connection, if any.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
export class EventStream {
  readonly number: number;
  readonly #scope: StreamScope;
  #connection: HttpExchange | undefined;
  readonly #address: StreamAddress;
  #sequence = 0;
  /** Resolves when the store has the last event; `undefined` when the store is synchronous. */
  #stored: Promise<void> | undefined;
  #isEnded = false;
  #isQuiet = false;

  constructor(number: number, scope: StreamScope) {
    this.number = number;
    this.#scope = scope;
    this.#address = { sessionId: scope.sessionId, stream: number };
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /**
   * Makes this the current connection and ends the previous one. Has no effect when the client has
   * left.
   */
  connect(exchange: HttpExchange): void {
    if (exchange.isGone()) return;
    exchange.open(EVENT_STREAM_FIELDS);
    void exchange.write(
      this.#scope.isPrimed
        ? primingEvent(eventIdOf(this.number, ++this.#sequence), this.#scope.retryMs)
        : KEEP_ALIVE,
    );
    this.#attach(exchange);
  }

  /**
   * Replays the events after a sequence number, then continues over this connection. Rejects when
   * the store fails.
   */
  async resume(exchange: HttpExchange, after: number): Promise<void> {
    if (exchange.isGone()) return;
    this.disconnect();
    exchange.open(EVENT_STREAM_FIELDS);
    void exchange.write(KEEP_ALIVE);
    let sent = after;
    // Events may be stored while older ones are sent.
    while (sent < this.#sequence && !exchange.isGone()) {
      const newest = this.#sequence;
      await this.#stored;
      for await (const { sequence, data } of this.#scope.store?.after(this.#address, sent) ?? []) {
        await exchange.write(sseEvent(data, eventIdOf(this.number, sequence)));
        sent = sequence;
      }
      sent = Math.max(sent, newest);
    }
    if (this.#isEnded) exchange.end();
    else if (!exchange.isGone()) this.#attach(exchange);
  }

  /**
   * Resolves when the connection can take more; returns `undefined` when it can immediately or there
   * is none.
   */
  send(text: string): Promise<void> | undefined {
    const { store } = this.#scope;
    const sequence = ++this.#sequence;
    if (store !== undefined) this.#keep(store, { sequence, data: text });
    this.#isQuiet = false;
    return this.#connection?.write(sseEvent(text, store && eventIdOf(this.number, sequence)));
  }

  keepAlive(): void {
    if (this.#isQuiet) void this.#connection?.write(KEEP_ALIVE);
    this.#isQuiet = true;
  }

  /** Ends the connection, not the stream. */
  disconnect(): void {
    this.#connection?.end();
    this.#connection = undefined;
  }

  end(): void {
    this.#isEnded = true;
    this.disconnect();
  }

  #attach(exchange: HttpExchange): void {
    this.disconnect();
    this.#connection = exchange;
    exchange.onGone(() => {
      if (this.#connection === exchange) this.#connection = undefined;
    });
  }

  /** Stores an event. A failure is reported and does not prevent its delivery. */
  #keep(store: EventStore, event: StoredEvent): void {
    const { onError } = this.#scope;
    try {
      this.#stored = store.append(this.#address, event)?.catch(onError);
      if (this.#stored !== undefined) this.#scope.storing(this.#stored);
    } catch (error) {
      onError(error);
    }
  }
}

/** Returns the id of an event, which contains its stream. */
export function eventIdOf(stream: number, sequence: number): string {
  return `${stream.toString(36)}-${sequence.toString(36)}`;
}

export function readEventId(
  id: string,
): { readonly stream: number; readonly sequence: number } | undefined {
  const [, stream, sequence] = /^([\da-z]{1,10})-([\da-z]{1,10})$/u.exec(id) ?? [];
  return stream === undefined || sequence === undefined
    ? undefined
    : { stream: Number.parseInt(stream, 36), sequence: Number.parseInt(sequence, 36) };
}

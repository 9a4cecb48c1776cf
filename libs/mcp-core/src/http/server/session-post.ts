import type { JsonRpcErrorObject, RequestId } from '../../jsonrpc/messages.ts';
import type { EventStream } from './event-stream.ts';
import type { HttpExchange } from './http-exchange.ts';
import { sendError, sendText, JSON_FIELDS } from './json-responses.ts';
import type { OpenExchange } from './open-exchanges.ts';
import { EVENT_STREAM_FIELDS, KEEP_ALIVE } from './sse-event.ts';

/** The session of a POST. */
export interface PostScope {
  /**
   * False until the response to `initialize`, which cannot be a stream because its header carries
   * the session id.
   */
  readonly isInitialized: boolean;
  readonly isPrimed: boolean;
  /** Opens a stream for one POST. */
  openStream(): EventStream;
  /** Called when a stream has ended. */
  streamEnded(stream: EventStream): void;
  postEnded(post: SessionPost): void;
}

/**
 * The response to a POST of a session: JSON when the response is the first message, otherwise an
 * event stream. The request continues when the client leaves; its events wait in the store.
 */
export class SessionPost implements OpenExchange {
  /** Ids of the requests in the POST; several only in a batch. */
  readonly ids: readonly RequestId[];
  readonly bodyBytes: number;
  readonly #exchange: HttpExchange;
  readonly #scope: PostScope;
  readonly #withdrawn = new Set<RequestId>();
  #stream: EventStream | undefined;
  #rounds = 0;

  constructor(exchange: HttpExchange, ids: readonly RequestId[], scope: PostScope) {
    this.ids = ids;
    this.#exchange = exchange;
    this.bodyBytes = exchange.bodyBytes;
    this.#scope = scope;
  }

  /** Whether the client waits for the response. */
  get isConnected(): boolean {
    return this.#stream?.isConnected ?? !this.#exchange.isGone();
  }

  /**
   * Sends a message that belongs to a request of the POST. Rejects when the client disconnected
   * before it received the id of an event to resume from.
   */
  send(text: string): Promise<void> | undefined {
    if (this.#stream === undefined && this.#exchange.isGone())
      return Promise.reject(new Error('The client closed the connection'));
    return this.#open().send(text);
  }

  /** Sends the response; `fields` are added to the header when it is the first message. */
  respond(text: string, fields: readonly string[]): void {
    if (this.#stream === undefined) this.#exchange.respond(200, [...JSON_FIELDS, ...fields], text);
    else void this.#stream.send(text);
    this.#end();
  }

  /** Ends a request that the client cancelled, which gets no response. */
  withdraw(id: RequestId): void {
    this.#withdrawn.add(id);
    if (this.#withdrawn.size < this.ids.length) return;
    this.#endEmpty();
    this.#end();
  }

  /** Ends the connection if the client can resume the stream. */
  disconnect(): void {
    if (this.#scope.isPrimed && (this.#stream !== undefined || !this.#exchange.isGone()))
      this.#open().disconnect();
  }

  /** Ends the response because the session ended. */
  refuse(status: number, error: JsonRpcErrorObject): void {
    const [id] = this.ids;
    if (this.#stream === undefined) sendError(this.#exchange, status, { id, ...error });
    this.#end();
  }

  /** Begins a slow response as a stream: clients wait for the header for a limited time only. */
  keepAlive(): void {
    this.#rounds += 1;
    if (this.#stream !== undefined) this.#stream.keepAlive();
    else if (this.#rounds > 1 && this.#scope.isInitialized && !this.#exchange.isGone())
      this.#open();
  }

  abort(): void {
    if (this.#stream === undefined)
      sendText(this.#exchange, 503, { text: 'The server is closing' });
    this.#end();
  }

  #open(): EventStream {
    if (this.#stream === undefined) {
      this.#stream = this.#scope.openStream();
      this.#stream.connect(this.#exchange);
    }
    return this.#stream;
  }

  /** Ends a stream without a response and without an id for resuming. */
  #endEmpty(): void {
    if (this.#stream !== undefined) return;
    this.#exchange.open(EVENT_STREAM_FIELDS);
    void this.#exchange.write(KEEP_ALIVE);
    this.#exchange.end();
  }

  #end(): void {
    if (this.#stream !== undefined) {
      this.#stream.end();
      this.#scope.streamEnded(this.#stream);
    }
    this.#scope.postEnded(this);
  }
}

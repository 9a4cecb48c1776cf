import type { JsonRpcErrorObject, RequestId } from '../../jsonrpc/messages.ts';
import type { EventStream } from './event-stream.ts';
import type { HttpExchange } from './http-exchange.ts';
import { answerError, answerPlain, JSON_FIELDS } from './json-answers.ts';
import type { OpenExchange } from './open-exchanges.ts';
import { EVENT_STREAM_FIELDS, KEEP_ALIVE } from './sse-event.ts';

/** What a POST needs of its session. */
export interface PostScope {
  /** False until the answer to `initialize`, which cannot be a stream because its header brings the session id. */
  readonly isInitialized: boolean;
  readonly isPrimed: boolean;
  /** A stream for one POST. */
  openStream(): EventStream;
  /** Nothing more comes on this stream. */
  streamEnded(stream: EventStream): void;
  postEnded(post: SessionPost): void;
}

/**
 * The answer to one POST of a session: JSON when the answer is the first thing sent, else a stream of events. The work goes on when the client is gone;
 * what a stream would have carried waits in the store.
 */
export class SessionPost implements OpenExchange {
  /** The requests of the POST; several only in a batch. */
  readonly ids: readonly RequestId[];
  readonly #exchange: HttpExchange;
  readonly #scope: PostScope;
  readonly #withdrawn = new Set<RequestId>();
  #stream: EventStream | undefined;
  #rounds = 0;

  constructor(exchange: HttpExchange, ids: readonly RequestId[], scope: PostScope) {
    this.ids = ids;
    this.#exchange = exchange;
    this.#scope = scope;
  }

  /** Sends a message that belongs to a request of the POST. Rejects when the client left before it could learn how to come back. */
  send(text: string): Promise<void> {
    if (this.#stream === undefined && this.#exchange.isGone())
      return Promise.reject(new Error('The client closed the connection'));
    return this.#open().send(text);
  }

  /** Sends the answer; `fields` are added to the header when it is the first thing sent. */
  answer(text: string, fields: readonly string[]): void {
    if (this.#stream === undefined) this.#exchange.answer(200, [...JSON_FIELDS, ...fields], text);
    else void this.#stream.send(text);
    this.#end();
  }

  /** The client cancelled a request, which thus gets no answer. */
  withdraw(id: RequestId): void {
    this.#withdrawn.add(id);
    if (this.#withdrawn.size < this.ids.length) return;
    this.#answerNothing();
    this.#end();
  }

  /** Lets the client come back for the rest, where it knows how to. */
  disconnect(): void {
    if (this.#scope.isPrimed && (this.#stream !== undefined || !this.#exchange.isGone()))
      this.#open().disconnect();
  }

  /** The session ends before the answer. */
  refuse(status: number, error: JsonRpcErrorObject): void {
    const [id] = this.ids;
    if (this.#stream === undefined) answerError(this.#exchange, status, { id, ...error });
    this.#end();
  }

  /** An answer that takes long begins as a stream: clients wait for the header for a limited time only. */
  keepAlive(): void {
    this.#rounds += 1;
    if (this.#stream !== undefined) this.#stream.keepAlive();
    else if (this.#rounds > 1 && this.#scope.isInitialized && !this.#exchange.isGone())
      this.#open();
  }

  abort(): void {
    if (this.#stream === undefined)
      answerPlain(this.#exchange, 503, { text: 'The server is closing' });
    this.#end();
  }

  #open(): EventStream {
    if (this.#stream === undefined) {
      this.#stream = this.#scope.openStream();
      this.#stream.connect(this.#exchange);
    }
    return this.#stream;
  }

  /** A stream without an answer, and without an id to resume it by. */
  #answerNothing(): void {
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

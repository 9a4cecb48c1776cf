import { codecOf } from '../../era/codecs.ts';
import { toJsonText } from '../../jsonrpc/json-text.ts';
import { isJsonObject, isRequestId } from '../../jsonrpc/envelope.ts';
import type { JsonRpcBatch, JsonRpcMessage, RequestId } from '../../jsonrpc/messages.ts';
import {
  TAKEN,
  type AuthContext,
  type SendOptions,
  type Transport,
  type TransportReceiver,
} from '../../jsonrpc/transport.ts';
import type { ProtocolVersion } from '../../era/versions.ts';
import { ErrorCode } from '../../protocol/errors.ts';
import type { ServerConnection } from '../../server/server.ts';
import type { EventStore } from './event-store.ts';
import { EventStream, eventIdOf, readEventId, type StreamScope } from './event-stream.ts';
import type { HttpExchange } from './http-exchange.ts';
import { answerAccepted, answerError, answerPlain } from './json-answers.ts';
import type { OpenExchanges } from './open-exchanges.ts';
import { type PostScope, SessionPost } from './session-post.ts';
import { EVENT_STREAM_FIELDS, sseEvent } from './sse-event.ts';
import { STANDALONE_STREAM, StandaloneStream } from './standalone-stream.ts';

/** What all sessions of a handler share. */
export interface SessionScope {
  readonly store: EventStore | undefined;
  readonly retryMs: number;
  readonly exchanges: OpenExchanges;
  readonly onError: (error: unknown) => void;
  /** `initialize` was refused, so that the session is none. */
  readonly refused: (session: SessionTransport) => void;
  readonly ended: (session: SessionTransport) => void;
}

/**
 * The server's end of a legacy session: messages arrive by POST, each answer leaves on the POST of its request, whatever belongs to no request on the
 * stream the client opened by GET.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export class SessionTransport implements Transport, StreamScope, PostScope {
  readonly sessionId: string;
  /** Who opened the session; nobody else may use it. */
  readonly principal: string | undefined;
  lastUsedAt = 0;
  /** What serves the session; set before it gets its first message. */
  connection: ServerConnection | undefined;
  /** The negotiated revision; `undefined` until `initialize` is answered. */
  version: ProtocolVersion | undefined;
  readonly #scope: SessionScope;
  #receiver: TransportReceiver | undefined;
  #isClosed = false;
  #posts: Map<RequestId, SessionPost> | undefined;
  /** The streams of POSTs that are not answered yet. */
  #streams: Map<number, EventStream> | undefined;
  #standalone: StandaloneStream | undefined;
  #nextStream = STANDALONE_STREAM + 1;

  constructor(sessionId: string, principal: string | undefined, scope: SessionScope) {
    this.sessionId = sessionId;
    this.principal = principal;
    this.#scope = scope;
  }

  get store(): EventStore | undefined {
    return this.#scope.store;
  }

  get retryMs(): number {
    return this.#scope.retryMs;
  }

  get onError(): (error: unknown) => void {
    return this.#scope.onError;
  }

  get isInitialized(): boolean {
    return this.version !== undefined;
  }

  get isPrimed(): boolean {
    return this.store !== undefined && codecOf(this.version)?.hasPrimingEvents === true;
  }

  /** Whether a request runs or a client is connected. */
  get isBusy(): boolean {
    return (this.#posts?.size ?? 0) > 0 || this.#standalone?.isConnected === true;
  }

  start(receiver: TransportReceiver): Promise<void> {
    this.#receiver = receiver;
    return Promise.resolve();
  }

  send(message: JsonRpcMessage | JsonRpcBatch, options?: SendOptions): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('The session has ended'));
    let text: string;
    try {
      text = toJsonText(message);
    } catch (error) {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      return Promise.reject(error);
    }
    const answered = answeredId(message);
    const post = this.#postOf(answered ?? options?.relatedTo);
    if (answered === undefined)
      return post?.send(text) ?? this.#openStandalone().send(text, isChange(message));
    if (post !== undefined) {
      post.answer(text, this.#learnFrom(message));
      if (!this.isInitialized) this.#scope.refused(this);
    }
    return TAKEN;
  }

  closeStream(id: RequestId): void {
    this.#postOf(id)?.disconnect();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const post of new Set(this.#posts?.values()))
      post.refuse(404, { code: ErrorCode.invalidRequest, message: 'The session has ended' });
    this.#standalone?.end();
    this.#scope.ended(this);
    this.#receiver?.closed();
    try {
      await this.store?.forget(this.sessionId);
    } catch (error) {
      this.onError(error);
    }
  }

  /** A POST with requests, one or a batch; `value` is what was sent. */
  serve(
    exchange: HttpExchange,
    {
      value,
      ids,
      auth,
    }: {
      readonly value: unknown;
      readonly ids: readonly RequestId[];
      readonly auth: AuthContext | undefined;
    },
  ): void {
    const taken = ids.find((id) => this.#posts?.has(id) === true);
    if (taken !== undefined) {
      answerError(exchange, 400, {
        id: taken,
        code: ErrorCode.invalidRequest,
        message: 'Invalid request: this id is in use by a running request',
      });
      return;
    }
    const post = new SessionPost(exchange, ids, this);
    this.#posts ??= new Map();
    for (const id of ids) this.#posts.set(id, post);
    this.#scope.exchanges.add(post);
    this.#deliver(value, auth);
  }

  /** A POST without requests. */
  take(exchange: HttpExchange, value: unknown, auth: AuthContext | undefined): void {
    this.#deliver(value, auth);
    answerAccepted(exchange);
  }

  /** A GET: opens the stream for what belongs to no request, or goes on with the stream of the event `lastEventId`. */
  listen(exchange: HttpExchange, lastEventId: string | undefined): void {
    if (lastEventId === undefined || lastEventId === '') {
      this.#openStandalone().connect(exchange);
      return;
    }
    const place = this.store && readEventId(lastEventId);
    if (place === undefined || place.stream >= this.#nextStream) {
      answerError(exchange, 400, {
        code: ErrorCode.invalidRequest,
        message: 'Invalid request: this session has no event with the id in Last-Event-ID',
      });
      return;
    }
    const live =
      place.stream === STANDALONE_STREAM
        ? this.#openStandalone()
        : this.#streams?.get(place.stream);
    const resuming =
      live === undefined
        ? this.#replayEnded(exchange, place)
        : live.resume(exchange, place.sequence);
    resuming.catch((error: unknown) => {
      this.onError(error);
      exchange.destroy();
    });
  }

  keepAlive(): void {
    this.#standalone?.keepAlive();
  }

  openStream(): EventStream {
    const stream = new EventStream(this.#nextStream++, this);
    this.#streams ??= new Map();
    this.#streams.set(stream.number, stream);
    return stream;
  }

  streamEnded(stream: EventStream): void {
    this.#streams?.delete(stream.number);
    if (this.#streams?.size === 0) this.#streams = undefined;
  }

  postEnded(post: SessionPost): void {
    for (const id of post.ids) this.#posts?.delete(id);
    // An empty map is the larger part of what an idle session would cost.
    if (this.#posts?.size === 0) this.#posts = undefined;
    this.#scope.exchanges.delete(post);
  }

  #deliver(value: unknown, auth: AuthContext | undefined): void {
    this.#receiver?.message(value, auth === undefined ? undefined : { auth });
    for (const entry of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      this.#withdrawCancelled(entry);
  }

  /** The connection sends no answer to a cancelled request, but HTTP needs an end. */
  #withdrawCancelled(value: unknown): void {
    if (
      !isJsonObject(value) ||
      value.method !== 'notifications/cancelled' ||
      !isJsonObject(value.params)
    )
      return;
    const { requestId } = value.params;
    if (isRequestId(requestId)) this.#postOf(requestId)?.withdraw(requestId);
  }

  #postOf(id: RequestId | undefined): SessionPost | undefined {
    return id === undefined ? undefined : this.#posts?.get(id);
  }

  #openStandalone(): StandaloneStream {
    this.#standalone ??= new StandaloneStream(this);
    return this.#standalone;
  }

  /** The answer to `initialize` tells the revision, and brings the client its session. */
  #learnFrom(message: JsonRpcMessage | JsonRpcBatch): readonly string[] {
    if (this.version !== undefined || !('result' in message)) return [];
    // The server chose it.
    this.version = message.result.protocolVersion as ProtocolVersion;
    return ['mcp-session-id', this.sessionId];
  }

  /** A client that has read a stream to its end is told not to come back. @see https://html.spec.whatwg.org/multipage/server-sent-events.html#sse-processing-model */
  async #replayEnded(
    exchange: HttpExchange,
    { stream, sequence }: { readonly stream: number; readonly sequence: number },
  ): Promise<void> {
    let isOpen = false;
    for await (const event of this.store?.after({ sessionId: this.sessionId, stream }, sequence) ??
      []) {
      if (!isOpen) exchange.open(EVENT_STREAM_FIELDS);
      isOpen = true;
      await exchange.write(sseEvent(event.data, eventIdOf(stream, event.sequence)));
    }
    if (isOpen) exchange.end();
    else answerPlain(exchange, 204, { text: '' });
  }
}

function isChange(message: JsonRpcMessage | JsonRpcBatch): boolean {
  if (!('method' in message)) return false;
  return (
    message.method.endsWith('/list_changed') || message.method === 'notifications/resources/updated'
  );
}

/** The request that a message answers; of a batch, one of them. */
function answeredId(message: JsonRpcMessage | JsonRpcBatch): RequestId | undefined {
  if (Array.isArray(message)) return answeredId((message as JsonRpcBatch)[0] as JsonRpcMessage);
  return 'method' in message ? undefined : (message as { readonly id?: RequestId }).id;
}

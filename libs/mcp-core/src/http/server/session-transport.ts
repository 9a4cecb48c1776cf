import { revisionOf } from '../../era/revisions.ts';
import { toJsonText } from '../../jsonrpc/json-text.ts';
import { isJsonObject, isRequestId } from '../../jsonrpc/envelope.ts';
import type { JsonRpcBatch, JsonRpcMessage, RequestId } from '../../jsonrpc/messages.ts';
import type {
  AuthContext,
  SendOptions,
  Transport,
  TransportReceiver,
} from '../../jsonrpc/transport.ts';
import type { ProtocolVersion } from '../../era/versions.ts';
import { ErrorCode } from '../../protocol/errors.ts';
import type { ServerConnection } from '../../server/server.ts';
import type { EventStore } from './event-store.ts';
import { EventStream, eventIdOf, readEventId, type StreamScope } from './event-stream.ts';
import type { HttpExchange } from './http-exchange.ts';
import { sendAccepted, sendError, sendText } from './json-responses.ts';
import type { OpenExchanges } from './open-exchanges.ts';
import { type PostScope, SessionPost } from './session-post.ts';
import { EVENT_STREAM_FIELDS, sseEvent } from './sse-event.ts';
import { STANDALONE_STREAM, StandaloneStream } from './standalone-stream.ts';

/** State shared by all sessions of a handler. */
export interface SessionScope {
  readonly store: EventStore | undefined;
  readonly retryMs: number;
  readonly exchanges: OpenExchanges;
  readonly onError: (error: unknown) => void;
  /** Called when `initialize` was refused, so that the session does not exist. */
  readonly refused: (session: SessionTransport) => void;
  readonly ended: (session: SessionTransport) => void;
}

/**
 * The server side of a legacy session. Messages arrive by POST, each response leaves on the POST of
 * its request, and messages without a request leave on the stream that the client opened by GET.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export class SessionTransport implements Transport, StreamScope, PostScope {
  readonly sessionId: string;
  /** The owner of the session; requests of other principals are refused. */
  readonly principal: string | undefined;
  lastUsedAt = 0;
  /** The connection that serves the session; set before the first message. */
  connection: ServerConnection | undefined;
  /** Negotiated version; `undefined` before the response to `initialize`. */
  version: ProtocolVersion | undefined;
  readonly #scope: SessionScope;
  #receiver: TransportReceiver | undefined;
  #isClosed = false;
  #posts: Map<RequestId, SessionPost> | undefined;
  /** Streams of POSTs without a response. */
  #streams: Map<number, EventStream> | undefined;
  #standalone: StandaloneStream | undefined;
  /** Events that the store is taking. */
  #storing: Set<Promise<void>> | undefined;
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
    return this.store !== undefined && revisionOf(this.version)?.hasPrimingEvents === true;
  }

  /** Whether the client waits for a response or reads a stream. */
  get isConnected(): boolean {
    if (this.#standalone?.isConnected === true) return true;
    for (const post of this.#posts?.values() ?? []) if (post.isConnected) return true;
    return false;
  }

  start(receiver: TransportReceiver): Promise<void> {
    this.#receiver = receiver;
    return Promise.resolve();
  }

  send(message: JsonRpcMessage | JsonRpcBatch, options?: SendOptions): Promise<void> | undefined {
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
      return post === undefined
        ? this.#openStandalone().send(text, isChange(message))
        : post.send(text);
    if (post !== undefined) {
      post.respond(text, this.#readInitialize(message));
      if (!this.isInitialized) this.#scope.refused(this);
    }
    return undefined;
  }

  storing(event: Promise<void>): void {
    this.#storing ??= new Set();
    this.#storing.add(event);
    void event.finally(() => this.#storing?.delete(event));
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
    // An event that is stored later would never be deleted.
    if (this.#storing !== undefined) await Promise.all(this.#storing);
    try {
      await this.store?.forget(this.sessionId);
    } catch (error) {
      this.onError(error);
    }
  }

  /** Serves a POST with requests, one or a batch; `value` is the parsed body. */
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
      sendError(exchange, 400, {
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

  /** Serves a POST without requests. */
  take(exchange: HttpExchange, value: unknown, auth: AuthContext | undefined): void {
    this.#deliver(value, auth);
    sendAccepted(exchange);
  }

  /**
   * Serves a GET: opens the standalone stream, or resumes the stream of the event `lastEventId`.
   */
  listen(
    exchange: HttpExchange,
    {
      lastEventId,
      auth,
    }: { readonly lastEventId: string | undefined; readonly auth: AuthContext | undefined },
  ): void {
    if (lastEventId === undefined || lastEventId === '') {
      this.#openStandalone().connect(exchange, auth);
      return;
    }
    const event = this.store && readEventId(lastEventId);
    if (event === undefined || event.stream >= this.#nextStream) {
      sendError(exchange, 400, {
        code: ErrorCode.invalidRequest,
        message: 'Invalid request: this session has no event with the id in Last-Event-ID',
      });
      return;
    }
    this.#resume(exchange, event, auth).catch((error: unknown) => {
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
    // An empty map would be most of the memory of an idle session.
    if (this.#posts?.size === 0) this.#posts = undefined;
    this.#scope.exchanges.delete(post);
  }

  #deliver(value: unknown, auth: AuthContext | undefined): void {
    this.#receiver?.message(value, auth === undefined ? undefined : { auth });
    for (const entry of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      this.#withdrawCancelled(entry);
  }

  /** Ends the HTTP response of a cancelled request, which gets no JSON-RPC response. */
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

  /**
   * Stores the version in the response to `initialize` and returns the header field with the
   * session id.
   */
  #readInitialize(message: JsonRpcMessage | JsonRpcBatch): readonly string[] {
    if (this.version !== undefined || !('result' in message)) return [];
    // The server chose it.
    this.version = message.result.protocolVersion as ProtocolVersion;
    return ['mcp-session-id', this.sessionId];
  }

  #resume(
    exchange: HttpExchange,
    event: { readonly stream: number; readonly sequence: number },
    auth: AuthContext | undefined,
  ): Promise<void> {
    const { stream, sequence } = event;
    if (stream === STANDALONE_STREAM)
      return this.#openStandalone().resume(exchange, sequence, auth);
    const live = this.#streams?.get(stream);
    return live === undefined
      ? this.#replayEnded(exchange, event)
      : live.resume(exchange, sequence);
  }

  /**
   * Ends a stream that the client has read completely, so that it does not reconnect.
   * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#sse-processing-model
   */
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
    else sendText(exchange, 204, { text: '' });
  }
}

function isChange(message: JsonRpcMessage | JsonRpcBatch): boolean {
  if (!('method' in message)) return false;
  return (
    message.method.endsWith('/list_changed') || message.method === 'notifications/resources/updated'
  );
}

/** Returns the id of the request that a message responds to; for a batch, any of them. */
function answeredId(message: JsonRpcMessage | JsonRpcBatch): RequestId | undefined {
  if (Array.isArray(message)) return answeredId((message as JsonRpcBatch)[0] as JsonRpcMessage);
  return 'method' in message ? undefined : (message as { readonly id?: RequestId }).id;
}

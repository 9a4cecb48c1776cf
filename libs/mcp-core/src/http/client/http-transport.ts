import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { MetaKey, metaOf } from '../../era/meta-keys.ts';
import { isJsonObject, isRequestId } from '../../jsonrpc/envelope.ts';
import { FlowGuard } from '../../jsonrpc/flow-guard.ts';
import type { MessageBudget } from '../../jsonrpc/message-budget.ts';
import { costProblem, messageLimits, type MessageLimits } from '../../jsonrpc/message-limits.ts';
import type {
  JsonObject,
  JsonRpcBatch,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  RequestId,
} from '../../jsonrpc/messages.ts';
import { idOfRefused, type RefusedId } from '../../jsonrpc/refused-message.ts';
import type {
  SendOptions,
  Transport,
  TransportReceiver,
  UnreadableMessage,
} from '../../jsonrpc/transport.ts';
import { withinLimit } from '../../jsonrpc/bounded-waits.ts';
import { ErrorCode, LocalError } from '../../protocol/errors.ts';
import { HttpError } from '../../protocol/http-error.ts';
import { AnswerPosts } from './answer-posts.ts';
import { ClientEndpoint, type EndpointOptions } from './endpoint.ts';
import { ClientEventStream } from './event-stream.ts';
import { modernHeaders, POST_HEADERS, sessionHeaders } from './headers.ts';
import { LegacySseChannel } from './legacy-sse-channel.ts';
import { postOneWay } from './post-one-way.ts';
import { PostedRequest, type RequestOwner } from './posted-request.ts';
import type { HttpErrorContext } from './read-http-error.ts';
import type { SseReader } from './sse-reader.ts';

export interface HttpTransportOptions extends EndpointOptions {
  /**
   * Longest accepted body or event in bytes. Default: 4 MiB. Each value in a message counts as at
   * least 16 bytes; at most 100 levels of nesting are accepted. A longer message fails its request,
   * not the connection.
   */
  readonly maxMessageBytes?: number;
  /**
   * Budget for incomplete long bodies and events, shared with other connections. Default:
   * unlimited.
   */
  readonly messageBudget?: MessageBudget;
  /**
   * Milliseconds within which the server must accept a notification or response. Default: 30000.
   * Requests have the timeouts of their caller.
   */
  readonly acceptTimeoutMs?: number;
  /**
   * Falls back to the HTTP+SSE transport of 2024-11-05 when the server refuses a POST of
   * `initialize`. Default: false.
   */
  readonly legacySse?: boolean;
}

const DEFAULT_ACCEPT_TIMEOUT_MS = 30_000;
/** Milliseconds that `close` waits for the server to end the session. */
const DELETE_LIMIT_MS = 1000;
const MAX_RESUME_FAILURES = 5;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const MODERN_EVIDENCE: ReadonlySet<number> = new Set([
  ErrorCode.headerMismatch,
  ErrorCode.missingClientCapability,
  ErrorCode.unsupportedProtocolVersion,
]);

/**
 * Connects a client over Streamable HTTP, all revisions. Reads the era of each request from its
 * `_meta`, and a legacy session from the `initialize` request and its response. Connects with the
 * first message.
 * A request without a JSON-RPC response fails with `HttpError`, or with `LocalError`
 * `connection-lost` when no response or only half of one arrived. Nothing is sent twice, except by
 * `onUnauthorized` and after a redirect. Redirects (307, 308) are followed within the origin only.
 * `send` also rejects when the server refuses a notification or response.
 * Reads at most 16 MiB and 256 requests per second, and pauses while more than 64 responses wait to
 * be posted, 16 at a time. A server that exceeds the rate for 10 s, or sends more than 1000
 * unreadable events and more than 20 per second, is disconnected.
 * @throws LocalError `invalid-argument`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export function httpTransport(options: HttpTransportOptions): Transport {
  return new HttpTransport(options);
}

/** A message with the members of a response; its contents are unchecked. */
type AnswerMessage = JsonObject & { readonly id: RequestId };

class HttpTransport implements Transport, RequestOwner {
  readonly isHttp = true;
  readonly endpoint: ClientEndpoint;
  readonly limits: MessageLimits;
  readonly #options: HttpTransportOptions;
  readonly #guard: FlowGuard;
  readonly #answers = new AnswerPosts();
  readonly #running = new Map<RequestId, PostedRequest>();
  #receiver: TransportReceiver | undefined;
  #sessionId: string | undefined;
  /** Version negotiated by `initialize`. */
  #legacyVersion: string | undefined;
  /** Version of the last modern request. */
  #modernVersion: string | undefined;
  #standalone: ClientEventStream | undefined;
  #channel: LegacySseChannel | undefined;
  #isSessionLost = false;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#guard = new FlowGuard(
      (problem) =>
        void this.#end(
          new LocalError(
            'connection-lost',
            `The connection to ${this.endpoint.origin} is ended: ${problem}.`,
            { sent: true },
          ),
        ),
    );
    this.endpoint = new ClientEndpoint(options, (response) => this.#meter(response));
    this.limits = messageLimits(options.maxMessageBytes, options.messageBudget);
  }

  start(receiver: TransportReceiver): Promise<void> {
    this.#receiver = receiver;
    return Promise.resolve();
  }

  async send(message: JsonRpcMessage | JsonRpcBatch, options?: SendOptions): Promise<void> {
    if (this.#isClosed)
      throw new LocalError(
        'connection-closed',
        `The connection to ${this.endpoint.origin} is closed.`,
      );
    const body = JSON.stringify(message);
    if (!('method' in message))
      return this.#answers.post(() => this.#postOneWay(body, this.#legacyHeaders()));
    if ('id' in message) return this.#sendRequest(message, body, options);
    if (message.method === 'notifications/cancelled') return this.#cancel(message, body);
    await this.#postOneWay(body, this.#notificationHeaders(message));
    if (message.method === 'notifications/initialized') this.#openStandalone();
  }

  close(): Promise<void> {
    return this.#end(undefined);
  }

  deliver(value: unknown, relatedTo?: RequestId): void {
    if (this.#isClosed) return;
    this.#guard.message(value);
    if (Array.isArray(value)) return this.#deliverBatch(value, relatedTo);
    if (isAnswer(value)) {
      this.#answered(value);
      this.#receiver?.message(value);
    } else {
      this.#receiver?.message(value, relatedTo === undefined ? undefined : { relatedTo });
    }
  }

  deliverText(text: string, relatedTo?: RequestId): void {
    const bytes = Buffer.from(text);
    const problem = costProblem(bytes, this.limits);
    if (problem !== undefined) return this.#refuse(`an event ${problem}`, idOfRefused(bytes));
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return this.#unreadable({
        reason: 'parse-error',
        detail: `an event is not JSON: ${(error as SyntaxError).message.slice(0, 200)}`,
      });
    }
    this.deliver(value, relatedTo);
  }

  ended({ post }: PostedRequest, error: Error | undefined): void {
    this.#running.delete(post.id);
    if (error instanceof HttpError && error.isSessionLost) this.#isSessionLost = true;
    if (error !== undefined) this.#receiver?.requestFailed?.(post.id, error);
  }

  responded(request: PostedRequest, { statusCode: status = 0, headers }: IncomingMessage): void {
    const { 'mcp-session-id': sessionId } = headers;
    const isNew =
      request.post.method === 'initialize' &&
      !request.post.isModern &&
      status >= 200 &&
      status < 300;
    if (isNew && typeof sessionId === 'string' && VISIBLE_ASCII.test(sessionId))
      this.#sessionId = sessionId;
  }

  /** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility */
  fallBack(request: PostedRequest, error: HttpError): boolean {
    const { legacySse = false } = this.#options;
    const isCandidate =
      legacySse && request.post.method === 'initialize' && [400, 404, 405].includes(error.status);
    if (!isCandidate || this.#channel !== undefined || isModern(error)) return false;
    void this.#openChannel(request, error);
    return true;
  }

  resume(request: PostedRequest, { lastEventId, retryMs }: SseReader): boolean {
    if (request.post.isModern || lastEventId === '' || this.#isClosed) return false;
    const stream = new ClientEventStream({
      endpoint: this.endpoint,
      headers: () => sessionHeaders({ id: this.#sessionId, protocolVersion: this.#legacyVersion }),
      receiver: {
        event: (event) => this.#takeEvent(event, request.post.id),
        tooLarge: (problem) => request.fail(this.refusal(problem)),
      },
      limits: this.limits,
      lastEventId,
      retryMs,
      maxFailures: MAX_RESUME_FAILURES,
      errorContext: () => this.errorContext(),
      ended: (error) => {
        if (error instanceof HttpError && error.isSessionLost) this.#isSessionLost = true;
        request.fail(
          new LocalError(
            'connection-lost',
            `${error.message}; the stream with the answer cannot be continued`,
            { sent: true, cause: error },
          ),
        );
      },
    });
    request.onOver(() => stream.close());
    stream.openLater();
    return true;
  }

  errorContext(): HttpErrorContext {
    const session = this.#sessionId === undefined ? [] : [this.#sessionId];
    return {
      origin: this.endpoint.origin,
      secrets: [...this.endpoint.sentSecrets, ...session],
      hasSession: session.length > 0,
    };
  }

  async #sendRequest(
    message: JsonRpcRequest,
    body: string,
    options: SendOptions | undefined,
  ): Promise<void> {
    const { [MetaKey.protocolVersion]: version } = metaOf(message.params);
    const isModernRequest = typeof version === 'string';
    if (isModernRequest) this.#modernVersion = version;
    const headers = isModernRequest ? modernHeaders(message, version) : this.#legacyHeaders();
    for (const [name, value] of Object.entries(options?.headers ?? {})) headers.push(name, value);
    if (this.#channel?.path !== undefined) return this.#postToChannel(message.id, body, headers);
    const request = new PostedRequest(this, {
      id: message.id,
      method: message.method,
      isModern: isModernRequest,
      headers,
      body,
      hasSession: !isModernRequest && this.#sessionId !== undefined,
    });
    this.#running.set(message.id, request);
    request.send();
    return request.sent;
  }

  /**
   * Cancels a request: a modern one by closing its stream, a legacy one by a notification.
   * `initialize` must not be cancelled.
   */
  async #cancel(message: JsonRpcNotification, body: string): Promise<void> {
    const { requestId } = message.params ?? {};
    const request = isRequestId(requestId) ? this.#running.get(requestId) : undefined;
    const isSilent =
      request === undefined
        ? this.#legacyVersion === undefined
        : request.post.isModern || request.post.method === 'initialize';
    try {
      if (!isSilent) await this.#postOneWay(body, this.#legacyHeaders());
    } finally {
      if (request !== undefined) {
        this.#running.delete(request.post.id);
        request.abort();
      }
    }
  }

  /**
   * Delivers a batch, or only its responses when the receiver does not read batches, so that their
   * requests do not wait forever.
   */
  #deliverBatch(entries: readonly unknown[], relatedTo: RequestId | undefined): void {
    const answers = entries.filter(isAnswer);
    for (const answer of answers) this.#answered(answer);
    this.#receiver?.message(entries, relatedTo === undefined ? undefined : { relatedTo });
    const error = new LocalError(
      'invalid-response',
      `${this.endpoint.origin} answered with a batch, which this protocol version does not have.`,
      { sent: true },
    );
    for (const { id } of answers) this.#receiver?.requestFailed?.(id, error);
  }

  refusal(problem: string): LocalError {
    return new LocalError(
      'invalid-response',
      `A message of ${this.endpoint.origin} was refused: it ${problem}. Ask for less, or accept longer messages from this server.`,
      { sent: true },
    );
  }

  #answered(answer: AnswerMessage): void {
    const request = this.#running.get(answer.id);
    if (request === undefined) return;
    this.#running.delete(answer.id);
    request.answered();
    if (
      request.post.method === 'initialize' &&
      isJsonObject(answer.result) &&
      typeof answer.result.protocolVersion === 'string'
    ) {
      this.#legacyVersion = answer.result.protocolVersion;
    }
  }

  #takeEvent(
    { name, data }: { readonly name: string; readonly data: string },
    relatedTo?: RequestId,
  ): void {
    if (name === 'message') this.deliverText(data, relatedTo);
  }

  #openStandalone(): void {
    if (
      this.#isClosed ||
      this.#legacyVersion === undefined ||
      this.#channel !== undefined ||
      this.#standalone !== undefined
    )
      return;
    this.#standalone = new ClientEventStream({
      endpoint: this.endpoint,
      headers: () => sessionHeaders({ id: this.#sessionId, protocolVersion: this.#legacyVersion }),
      receiver: {
        event: (event) => this.#takeEvent(event),
        refused: (found, problem) => this.#refuse(`an event ${problem}`, found),
      },
      limits: this.limits,
      lastEventId: '',
      retryMs: undefined,
      maxFailures: Infinity,
      errorContext: () => this.errorContext(),
      // A server that never offered the stream may respond 404 to any GET; a server that did has
      // lost the session.
      ended: (error, wasOpen) => {
        if (wasOpen && error instanceof HttpError && error.isSessionLost)
          void this.#end(
            new LocalError('connection-lost', error.message, { sent: true, cause: error }),
          );
      },
    });
    this.#standalone.open();
  }

  async #openChannel(request: PostedRequest, refusal: HttpError): Promise<void> {
    const { id } = request.post;
    const channel = new LegacySseChannel({
      endpoint: this.endpoint,
      limits: this.limits,
      errorContext: () => this.errorContext(),
      message: (text) => this.deliverText(text),
      refused: (found, problem) => this.#refuse(`an event ${problem}`, found),
      lost: (error) => void this.#end(error),
    });
    this.#channel = channel;
    request.onOver(() => {
      if (channel.path === undefined) channel.close();
    });
    try {
      await channel.open();
      await this.#postToChannel(id, request.body, this.#legacyHeaders());
    } catch (cause) {
      channel.close();
      this.#channel = undefined;
      const { message, status, headers, excerpt, rpcError } = refusal;
      request.fail(
        new HttpError(`${message}, and it does not speak HTTP+SSE`, {
          status,
          headers,
          excerpt,
          rpcError,
          cause,
        }),
      );
    }
  }

  /** Rejects only when nothing was sent, like `send`. */
  async #postToChannel(id: RequestId, body: string, headers: readonly string[]): Promise<void> {
    try {
      await this.#postOneWay(body, headers);
    } catch (error) {
      if (error instanceof LocalError && !error.sent) throw error;
      if (!this.#isClosed) this.#receiver?.requestFailed?.(id, error as Error); // postOneWay rejects with errors only
    }
  }

  #postOneWay(body: string, headers: readonly string[]): Promise<void> {
    const path = this.#channel?.path;
    return postOneWay(this.endpoint, {
      body,
      headers,
      ...(path === undefined ? {} : { path }),
      timeoutMs: this.#options.acceptTimeoutMs ?? DEFAULT_ACCEPT_TIMEOUT_MS,
      errorContext: () => this.errorContext(),
    });
  }

  #notificationHeaders(message: JsonRpcNotification): string[] {
    const version = this.#legacyVersion === undefined ? this.#modernVersion : undefined;
    return version === undefined ? this.#legacyHeaders() : modernHeaders(message, version);
  }

  #legacyHeaders(): string[] {
    return [
      ...POST_HEADERS,
      ...sessionHeaders({ id: this.#sessionId, protocolVersion: this.#legacyVersion }),
    ];
  }

  #refuse(detail: string, found: RefusedId): void {
    if (this.#isClosed) return;
    const request = found.answers === undefined ? undefined : this.#running.get(found.answers);
    if (request !== undefined) {
      this.#running.delete(request.post.id);
      request.answered();
    }
    this.#unreadable({ reason: 'too-large', detail, ...found });
  }

  #unreadable(problem: UnreadableMessage): void {
    if (this.#isClosed) return;
    this.#receiver?.unreadable(problem);
    this.#guard.unreadable();
  }

  /**
   * Throttles all responses together, and pauses them while too many responses wait to be posted.
   */
  #meter(response: IncomingMessage): void {
    response.on('data', (chunk: Buffer) => {
      const pauseMs = this.#guard.read(chunk.length);
      if ((pauseMs === 0 && !this.#answers.isFull) || response.destroyed) return;
      response.pause();
      void Promise.all([delay(pauseMs, undefined, { ref: false }), this.#answers.room()]).then(() =>
        response.resume(),
      );
    });
  }

  #end(error: Error | undefined): Promise<void> {
    this.#closing ??= this.#release(error);
    return this.#closing;
  }

  async #release(error: Error | undefined): Promise<void> {
    this.#isClosed = true;
    this.#standalone?.close();
    for (const request of this.#running.values()) request.abort();
    this.#running.clear();
    if (error === undefined && this.#sessionId !== undefined && !this.#isSessionLost)
      await withinLimit(this.#deleteSession(), DELETE_LIMIT_MS);
    this.endpoint.destroy();
    this.#receiver?.closed(error);
  }

  /** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management */
  #deleteSession(): Promise<void> {
    return new Promise((resolve) => {
      this.endpoint.send({
        method: 'DELETE',
        headers: sessionHeaders({ id: this.#sessionId, protocolVersion: this.#legacyVersion }),
        responded: (response) => {
          response.on('error', () => undefined);
          response.resume();
          resolve();
        },
        failed: () => resolve(),
      });
    });
  }
}

function isAnswer(value: unknown): value is AnswerMessage {
  return isJsonObject(value) && value.method === undefined && isRequestId(value.id);
}

function isModern({ rpcError, status }: HttpError): boolean {
  if (rpcError === undefined) return false;
  return (
    MODERN_EVIDENCE.has(rpcError.code) ||
    (status === 404 && rpcError.code === ErrorCode.methodNotFound)
  );
}

import type { IncomingMessage } from 'node:http';
import { MetaKey, metaOf } from '../../era/meta-keys.ts';
import { isJsonObject, isRequestId } from '../../jsonrpc/envelope.ts';
import type { MessageBudget } from '../../jsonrpc/message-budget.ts';
import { messageLimits, type MessageLimits } from '../../jsonrpc/message-limits.ts';
import type {
  JsonRpcBatch,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  RequestId,
} from '../../jsonrpc/messages.ts';
import type { SendOptions, Transport, TransportReceiver } from '../../jsonrpc/transport.ts';
import { withinLimit } from '../../jsonrpc/bounded-waits.ts';
import { ErrorCode, LocalError, MODERN_ERROR_CODES } from '../../protocol/errors.ts';
import { HttpError } from '../../protocol/http-error.ts';
import { ClientSession } from './client-session.ts';
import { ClientEndpoint, type EndpointOptions } from './endpoint.ts';
import { ClientEventStream } from './event-stream.ts';
import { modernHeaders } from './headers.ts';
import { IncomingMessages, type ResponseMessage } from './incoming-messages.ts';
import { LegacySseChannel } from './legacy-sse-channel.ts';
import { postOneWay } from './post-one-way.ts';
import { PostedRequest, type RequestOwner } from './posted-request.ts';
import type { HttpErrorContext } from './read-http-error.ts';
import { ResponseQueue } from './response-queue.ts';
import type { SseReader } from './sse-reader.ts';

/** Headers, credentials and limits of `httpTransport`. */
export interface HttpTransportOptions extends EndpointOptions {
  /**
   * Longest accepted body or event in bytes. Default: 4 MiB. Each value in a message counts as at
   * least 16 bytes; at most 100 levels of nesting are accepted. A longer message fails its request,
   * not the connection.
   */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Budget for incomplete long bodies and events, shared with other connections. Default:
   * unlimited.
   */
  readonly messageBudget?: MessageBudget | undefined;
  /**
   * Milliseconds within which the server must accept a notification or response. Default: 30000.
   * Requests have the timeouts of their caller.
   */
  readonly acceptTimeoutMs?: number | undefined;
  /**
   * Falls back to the HTTP+SSE transport of 2024-11-05 when the server refuses a POST of
   * `initialize`. Default: false.
   */
  readonly legacySse?: boolean | undefined;
}

const DEFAULT_ACCEPT_TIMEOUT_MS = 30_000;
/** Milliseconds that `close` waits for the server to end the session. */
const DELETE_LIMIT_MS = 1000;
/**
 * Milliseconds that the first request waits for the response to the GET. Some servers drop a message
 * for a stream that is not open yet; others send no response headers before the first event.
 */
const STANDALONE_LIMIT_MS = 1000;
const MAX_RESUME_FAILURES = 5;
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

class HttpTransport implements Transport, RequestOwner {
  readonly hasStreamPerRequest = true;
  readonly carriesHeaders = true;
  readonly endpoint: ClientEndpoint;
  readonly limits: MessageLimits;
  readonly #options: HttpTransportOptions;
  readonly #responses = new ResponseQueue();
  readonly #incoming: IncomingMessages;
  readonly #session = new ClientSession();
  readonly #running = new Map<RequestId, PostedRequest>();
  #receiver: TransportReceiver | undefined;
  #standalone: ClientEventStream | undefined;
  #channel: LegacySseChannel | undefined;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.limits = messageLimits(options.maxMessageBytes, options.messageBudget);
    this.#incoming = new IncomingMessages({
      limits: this.limits,
      responses: this.#responses,
      origin: () => this.endpoint.origin,
      completed: (response) => this.#completed(response),
      flooded: (problem) =>
        void this.#end(
          new LocalError(
            'connection-lost',
            `The connection to ${this.endpoint.origin} is ended: ${problem}.`,
            { sent: true },
          ),
        ),
    });
    this.endpoint = new ClientEndpoint(options, (response) => this.#incoming.meter(response));
  }

  start(receiver: TransportReceiver): Promise<void> {
    this.#receiver = receiver;
    this.#incoming.start(receiver);
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
      return this.#responses.post(() => this.#postOneWay(body, this.#session.postHeaders()));
    if ('id' in message) return this.#sendRequest(message, body, options);
    if (message.method === 'notifications/cancelled') return this.#cancel(message, body);
    await this.#postOneWay(body, this.#session.notificationHeaders(message));
    if (message.method === 'notifications/initialized') await this.#openStandalone();
  }

  credentials(): string | Promise<string> {
    return this.endpoint.credentials();
  }

  close(): Promise<void> {
    return this.#end(undefined);
  }

  deliver(value: unknown, relatedTo: RequestId): void {
    this.#incoming.deliver(value, relatedTo);
  }

  deliverText(text: string, relatedTo: RequestId): void {
    this.#incoming.deliverText(text, relatedTo);
  }

  ended({ post }: PostedRequest, error: Error | undefined): void {
    this.#running.delete(post.id);
    this.#session.noteError(error);
    if (error !== undefined) this.#receiver?.requestFailed?.(post.id, error);
  }

  responded({ post }: PostedRequest, response: IncomingMessage): void {
    if (post.method === 'initialize' && !post.isModern) this.#session.readId(response);
  }

  /** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility */
  fallBack(request: PostedRequest, error: HttpError): boolean {
    const { legacySse = false } = this.#options;
    const isCandidate =
      legacySse && request.post.method === 'initialize' && [400, 404, 405].includes(error.status);
    if (!isCandidate || this.#channel !== undefined || isModernError(error)) return false;
    void this.#openChannel(request, error);
    return true;
  }

  resume(request: PostedRequest, { lastEventId, retryMs }: SseReader): boolean {
    if (request.post.isModern || lastEventId === '' || this.#isClosed) return false;
    const stream = new ClientEventStream({
      endpoint: this.endpoint,
      headers: () => this.#session.headers(),
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
        this.#session.noteError(error);
        request.fail(
          new LocalError(
            'connection-lost',
            `${error.message}; the stream with the response cannot be resumed`,
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
    const session = this.#session.id === undefined ? [] : [this.#session.id];
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
    if (isModernRequest) this.#session.setModernVersion(version);
    const headers = isModernRequest ? modernHeaders(message, version) : this.#session.postHeaders();
    for (const [name, value] of Object.entries(options?.headers ?? {})) headers.push(name, value);
    if (this.#channel?.path !== undefined) return this.#postToChannel(message.id, body, headers);
    const request = new PostedRequest(this, {
      id: message.id,
      method: message.method,
      isModern: isModernRequest,
      headers,
      body,
      hasSession: !isModernRequest && this.#session.id !== undefined,
      onCredentials: options?.onCredentials,
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
        ? !this.#session.isLegacy
        : request.post.isModern || request.post.method === 'initialize';
    try {
      if (!isSilent) await this.#postOneWay(body, this.#session.postHeaders());
    } finally {
      if (request !== undefined) {
        this.#running.delete(request.post.id);
        request.abort();
      }
    }
  }

  refusal(problem: string): LocalError {
    return new LocalError(
      'invalid-response',
      `A message of ${this.endpoint.origin} was refused: it ${problem}. Request less data, or raise the limit for this server.`,
      { sent: true },
    );
  }

  #completed({ id, result }: ResponseMessage): void {
    const request = this.#running.get(id);
    if (request === undefined) return;
    this.#running.delete(id);
    request.answered();
    if (request.post.method !== 'initialize' || !isJsonObject(result)) return;
    const { protocolVersion } = result;
    if (typeof protocolVersion === 'string') this.#session.setLegacyVersion(protocolVersion);
  }

  #takeEvent(
    { name, data }: { readonly name: string; readonly data: string },
    relatedTo?: RequestId,
  ): void {
    if (name === 'message') this.#incoming.deliverText(data, relatedTo);
  }

  /** Opens the stream for messages without a request; resolves when the server has responded or the limit has passed. */
  async #openStandalone(): Promise<void> {
    if (
      this.#isClosed ||
      !this.#session.isLegacy ||
      this.#channel !== undefined ||
      this.#standalone !== undefined
    )
      return;
    this.#standalone = new ClientEventStream({
      endpoint: this.endpoint,
      headers: () => this.#session.headers(),
      receiver: {
        event: (event) => this.#takeEvent(event),
        refused: (found, problem) => this.#incoming.refuse(`an event ${problem}`, found),
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
    await withinLimit(this.#standalone.firstAttempt, STANDALONE_LIMIT_MS);
  }

  async #openChannel(request: PostedRequest, refusal: HttpError): Promise<void> {
    const { id } = request.post;
    const channel = new LegacySseChannel({
      endpoint: this.endpoint,
      limits: this.limits,
      errorContext: () => this.errorContext(),
      message: (text) => this.#incoming.deliverText(text),
      refused: (found, problem) => this.#incoming.refuse(`an event ${problem}`, found),
      lost: (error) => void this.#end(error),
    });
    this.#channel = channel;
    request.onOver(() => {
      if (channel.path === undefined) channel.close();
    });
    try {
      await channel.open();
      await this.#postToChannel(id, request.body, this.#session.postHeaders());
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

  #end(error: Error | undefined): Promise<void> {
    this.#closing ??= this.#release(error);
    return this.#closing;
  }

  async #release(error: Error | undefined): Promise<void> {
    this.#isClosed = true;
    this.#incoming.close();
    this.#standalone?.close();
    for (const request of this.#running.values()) request.abort();
    this.#running.clear();
    if (error === undefined) await withinLimit(this.#session.end(this.endpoint), DELETE_LIMIT_MS);
    this.endpoint.destroy();
    this.#receiver?.closed(error);
  }
}

/** Whether an error response shows that the server is modern. */
function isModernError({ rpcError, status }: HttpError): boolean {
  if (rpcError === undefined) return false;
  return (
    MODERN_ERROR_CODES.has(rpcError.code) ||
    (status === 404 && rpcError.code === ErrorCode.methodNotFound)
  );
}

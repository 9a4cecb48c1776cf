import type { JsonObject, JsonRpcRequest } from '../../jsonrpc/messages.ts';
import type { ResultOrError } from '../../jsonrpc/responses.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import type { ProtocolVersion } from '../../era/versions.ts';
import { ErrorCode, LocalError, MODERN_ERROR_CODES } from '../../protocol/errors.ts';
import type { RequestLink } from '../../server/requests/request-link.ts';
import type { HttpExchange } from './http-exchange.ts';
import { sendText, JSON_FIELDS, responseText } from './json-responses.ts';
import type { OpenExchange, OpenExchanges } from './open-exchanges.ts';
import { EVENT_STREAM_FIELDS, KEEP_ALIVE, sseEvent } from './sse-event.ts';

export interface StandaloneScope {
  readonly auth: AuthContext | undefined;
  readonly ended: AbortSignal;
  readonly exchanges: OpenExchanges;
  readonly onError: (error: unknown) => void;
  readonly legacyVersion?: ProtocolVersion;
}

/**
 * A self-contained request and its response: JSON when the response is the first message, otherwise
 * an event stream. The status line waits for the first message. A client that closes the connection
 * cancels a modern request.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#receiving-messages
 */
export class StandaloneRequest implements RequestLink, OpenExchange {
  readonly auth?: AuthContext;
  readonly ended: AbortSignal;
  readonly legacyVersion?: ProtocolVersion;
  readonly bodyBytes: number;
  readonly #exchange: HttpExchange;
  readonly #request: JsonRpcRequest;
  readonly #scope: StandaloneScope;
  #controller: AbortController | undefined;
  #isOver = false;
  #isCancelled = false;
  #isStreaming = false;
  #isQuiet = false;

  constructor(exchange: HttpExchange, request: JsonRpcRequest, scope: StandaloneScope) {
    this.#exchange = exchange;
    this.bodyBytes = exchange.bodyBytes;
    this.#request = request;
    this.#scope = scope;
    this.ended = scope.ended;
    if (scope.auth !== undefined) this.auth = scope.auth;
    if (scope.legacyVersion !== undefined) this.legacyVersion = scope.legacyVersion;
    scope.exchanges.add(this);
    exchange.onGone(() => {
      this.#left();
    });
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isCancelled) this.#controller.abort(cancelled());
    }
    return this.#controller.signal;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  notify(method: string, params: JsonObject): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    const text = this.#textOf(method, params);
    if (text === undefined) return undefined;
    this.#open();
    this.#isQuiet = false;
    return this.#exchange.write(sseEvent(text));
  }

  respond(response: ResultOrError): void {
    this.#scope.exchanges.delete(this);
    if (this.#isOver) return;
    // Later messages of a task are not sent on this response.
    this.#isOver = true;
    const text = responseText(this.#request.id, response, this.#scope.onError);
    if (this.#isStreaming) this.#exchange.end(sseEvent(text));
    else
      this.#exchange.respond(
        this.legacyVersion === undefined ? statusOf(response) : 200,
        JSON_FIELDS,
        text,
      );
  }

  /**
   * Begins a slow response as a stream: clients wait for the header for a limited time only. Breaks
   * a subscription whose token has expired; its client opens it again with another token.
   */
  keepAlive(): void {
    if (this.#request.method === 'subscriptions/listen' && hasExpired(this.auth)) {
      this.abort();
      return;
    }
    if (this.#isQuiet && !this.#isOver) {
      this.#open();
      void this.#exchange.write(KEEP_ALIVE);
    }
    this.#isQuiet = true;
  }

  abort(): void {
    if (!this.#isOver) {
      this.#isOver = true;
      if (this.#isStreaming) this.#exchange.destroy();
      else sendText(this.#exchange, 503, { text: 'The server is closing' });
    }
    this.#cancel();
  }

  /**
   * Returns `undefined` for a message that cannot be serialized, which must not fail the handler
   * that logs it.
   */
  #textOf(method: string, params: JsonObject): string | undefined {
    try {
      return JSON.stringify({ jsonrpc: '2.0', method, params });
    } catch (error) {
      this.#scope.onError(error);
      return undefined;
    }
  }

  #open(): void {
    if (this.#isStreaming) return;
    this.#isStreaming = true;
    this.#exchange.open(EVENT_STREAM_FIELDS);
  }

  /** A legacy request runs on, until `abort`: a client cancels it only by a notification. */
  #left(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.legacyVersion === undefined) this.#cancel();
  }

  #cancel(): void {
    this.#isCancelled = true;
    this.#scope.exchanges.delete(this);
    this.#controller?.abort(cancelled());
  }
}

function hasExpired(auth: AuthContext | undefined): boolean {
  return auth?.expiresAtMs !== undefined && Date.now() >= auth.expiresAtMs;
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http */
function statusOf(response: ResultOrError): number {
  if ('result' in response) return 200;
  const { code } = response.error;
  if (code === ErrorCode.methodNotFound) return 404;
  return MODERN_ERROR_CODES.has(code) ? 400 : 200;
}

function cancelled(): LocalError {
  return new LocalError('request-cancelled', 'The client closed the connection', { sent: true });
}

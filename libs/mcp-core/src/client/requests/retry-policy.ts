import { pickModernCodec } from '../../era/codecs.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { unlessAborted } from '../../jsonrpc/bounded-waits.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { ClientConnection } from '../connection/client-connection.ts';
import { httpFailureOf, isSingleRequestLost } from '../connection/http-failure.ts';
import type { ReconnectingConnection } from '../connection/reconnecting-connection.ts';
import type { UrlElicitations } from '../input/url-elicitation.ts';
import type { Attempt, SendingOptions, SentRequest } from './active-request.ts';

/** Never repeated after a loss: only its caller knows whether that is safe. */
const TOOL_CALL = 'tools/call';

/** Methods that depend on the session in which they were sent. */
const SESSION_BOUND = new Set([TOOL_CALL, 'resources/subscribe', 'resources/unsubscribe']);

/** Read-only methods, which may be repeated after a loss. */
const READ_ONLY = new Set([
  'ping',
  'server/discover',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
  'tasks/get',
]);

export interface RetryHooks {
  /** Fetches the list of tools again. */
  readonly relist: () => Promise<unknown>;
  /** Returns the headers that a call of this tool needs. */
  readonly headersOf: (params: JsonObject) => SendingOptions['headers'];
  /** Returns the params of the call as a task, if a new list says that the tool requires one. */
  readonly asTask: (request: SentRequest) => Promise<JsonObject | undefined>;
  /** Elicits the URLs in the data of an error; `undefined` when the user declined. */
  readonly elicitUrls: (
    connection: ClientConnection,
    request: SentRequest,
    data: unknown,
  ) => Promise<UrlElicitations | undefined>;
  /** Returns whether the server announces that the elicitations are complete. */
  readonly urlsCompleted: (
    connection: ClientConnection,
    request: SentRequest,
    elicitations: UrlElicitations,
  ) => Promise<boolean>;
}

/** Sends a request again when the server provably did not execute it, or when it is read-only. */
export class RetryPolicy {
  readonly #current: ReconnectingConnection;
  readonly #hooks: RetryHooks;

  constructor(current: ReconnectingConnection, hooks: RetryHooks) {
    this.#current = current;
    this.#hooks = hooks;
  }

  /** Returns the result of the retry, or `undefined` when the error is final. */
  retry(
    connection: ClientConnection,
    request: SentRequest,
    error: unknown,
  ): Promise<JsonObject> | undefined {
    if (request.options.attempt?.isRetry === true || this.#current.isClosed) return undefined;
    if (httpFailureOf(error)?.isSessionLost === true)
      return this.#inNewSession(connection, request, error);
    if (isSingleRequestLost(connection, error))
      return READ_ONLY.has(request.method) && request.options.attempt === undefined
        ? sendAgain(connection, request)
        : undefined;
    if (!(error instanceof ProtocolError)) return undefined;
    if (
      error.code === ErrorCode.methodNotFound &&
      request.method === TOOL_CALL &&
      connection.codec.tasks === 'core'
    )
      return this.#asTask(connection, request, error);
    if (needsUrlElicitation(error) && connection.codec.hasUrlElicitationRequired)
      return this.#afterUrls(connection, request, error);
    if (connection.codec.era !== 'modern') return undefined;
    if (
      error.code === ErrorCode.headerMismatch &&
      request.method === TOOL_CALL &&
      connection.carriesHeaders
    )
      return this.#withNewHeaders(connection, request, error);
    return error.code === ErrorCode.unsupportedProtocolVersion
      ? inMutualVersion(connection, request, error)
      : undefined;
  }

  /**
   * Repeats any request except tool calls and requests bound to the lost session: the server
   * refused it without processing it.
   */
  async #inNewSession(
    lost: ClientConnection,
    request: SentRequest,
    error: unknown,
  ): Promise<JsonObject> {
    try {
      await unlessAborted(this.#current.renew(lost), request.options.signal);
    } catch {
      throw error;
    }
    if (SESSION_BOUND.has(request.method) || request.params.cursor !== undefined) throw error;
    return sendAgain(this.#current.connection, request);
  }

  async #withNewHeaders(
    connection: ClientConnection,
    request: SentRequest,
    error: ProtocolError,
  ): Promise<JsonObject> {
    try {
      await unlessAborted(this.#hooks.relist(), request.options.signal);
    } catch {
      throw error;
    }
    return sendAgain(connection, {
      ...request,
      options: { ...request.options, headers: this.#hooks.headersOf(request.params) },
    });
  }

  /** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation */
  async #asTask(
    connection: ClientConnection,
    request: SentRequest,
    error: ProtocolError,
  ): Promise<JsonObject> {
    const params = await unlessAborted(this.#hooks.asTask(request), request.options.signal).catch(
      () => undefined,
    );
    if (params === undefined) throw error;
    return sendAgain(connection, { ...request, params });
  }

  /**
   * Repeats the request when the user has accepted the URLs. A host may report acceptance before or after the visit, so when the server still refuses, the
   * request is repeated once more after the server has announced that the elicitations are complete.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
   */
  async #afterUrls(
    connection: ClientConnection,
    request: SentRequest,
    error: ProtocolError,
  ): Promise<JsonObject> {
    let spentMs = performance.now() - request.sentAt;
    const urls = await this.#hooks.elicitUrls(connection, request, error.data);
    if (urls === undefined) throw error;
    try {
      // The time that the user needs does not count.
      const sentAt = performance.now();
      return await sendAgain(connection, { ...request, sentAt: sentAt - spentMs }).catch(
        async (second: unknown) => {
          spentMs += performance.now() - sentAt;
          const isComplete =
            needsUrlElicitation(second) &&
            (await this.#hooks.urlsCompleted(connection, request, urls));
          if (!isComplete) throw second;
          return sendAgain(connection, { ...request, sentAt: performance.now() - spentMs });
        },
      );
    } finally {
      urls.stop();
    }
  }
}

function needsUrlElicitation(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === ErrorCode.urlElicitationRequired;
}

function inMutualVersion(
  connection: ClientConnection,
  request: SentRequest,
  { data }: ProtocolError,
): Promise<JsonObject> | undefined {
  const codec =
    isJsonObject(data) && Array.isArray(data.supported)
      ? pickModernCodec(data.supported)
      : undefined;
  if (codec === undefined) return undefined;
  connection.agreeOn(codec);
  return sendAgain(connection, request);
}

/** Sends the request again. A request whose signal has aborted meanwhile rejects as cancelled. */
function sendAgain(
  connection: ClientConnection,
  { method, params, options, sentAt }: SentRequest,
): Promise<JsonObject> {
  const { round, spentMs, input } = options.attempt ?? { round: 0, spentMs: 0 };
  const attempt: Attempt = {
    round,
    spentMs: spentMs + performance.now() - sentAt,
    isRetry: true,
    ...(input === undefined ? {} : { input }),
  };
  return connection.request(method, params, { ...options, attempt });
}

import { pickModernCodec } from '../../era/codecs.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { Attempt, SendingOptions, SentRequest } from './active-request.ts';
import type { Connection } from '../connection/client-connection.ts';
import type { CurrentConnection } from '../connection/reconnecting-connection.ts';
import { httpFailureOf, isLostAlone } from '../connection/http-failure.ts';
import type { UrlVisits } from '../input/url-elicitation.ts';

/** Not sent again when it was lost: only its caller knows whether that is safe. */
const TOOL_CALL = 'tools/call';

/** What belongs to the session it was sent in. */
const SESSION_BOUND = new Set([TOOL_CALL, 'resources/subscribe', 'resources/unsubscribe']);

/** What only reads, and can be sent again when it was lost. */
const READING = new Set([
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

export interface SecondTryHooks {
  /** Lists the tools anew. */
  readonly relist: () => Promise<unknown>;
  /** The headers that a call of this tool needs. */
  readonly headersOf: (params: JsonObject) => SendingOptions['headers'];
  /** The call as a task, if a new list says that the tool must be one. */
  readonly asTask: (request: SentRequest) => Promise<JsonObject | undefined>;
  /** Has a person visit the URLs in the data of an error; `undefined` when that was not agreed to. */
  readonly visit: (
    connection: Connection,
    request: SentRequest,
    data: unknown,
  ) => Promise<UrlVisits | undefined>;
  /** Whether the server announces that the visits are complete. */
  readonly visited: (
    connection: Connection,
    request: SentRequest,
    visits: UrlVisits,
  ) => Promise<boolean>;
}

/** Sends a request a second time where the answer to the first proves that it was not executed, or where it only reads. */
export class SecondTries {
  readonly #current: CurrentConnection;
  readonly #hooks: SecondTryHooks;

  constructor(current: CurrentConnection, hooks: SecondTryHooks) {
    this.#current = current;
    this.#hooks = hooks;
  }

  /** The result of the second try, or `undefined` when the error stands. */
  of(
    connection: Connection,
    request: SentRequest,
    error: unknown,
  ): Promise<JsonObject> | undefined {
    if (request.options.attempt?.isSecondTry === true || this.#current.isClosed) return undefined;
    if (httpFailureOf(error)?.isSessionLost === true)
      return this.#inNewSession(connection, request, error);
    if (isLostAlone(connection, error))
      return READING.has(request.method) && request.options.attempt === undefined
        ? sendAgain(connection, request)
        : undefined;
    if (!(error instanceof ProtocolError)) return undefined;
    if (
      error.code === ErrorCode.methodNotFound &&
      request.method === TOOL_CALL &&
      connection.codec.tasks === 'core'
    )
      return this.#asTask(connection, request, error);
    if (isVisitRequired(error) && connection.codec.hasUrlElicitationRequired)
      return this.#afterVisits(connection, request, error);
    if (connection.codec.era !== 'modern') return undefined;
    if (
      error.code === ErrorCode.headerMismatch &&
      request.method === TOOL_CALL &&
      connection.isHttp
    )
      return this.#withNewHeaders(connection, request, error);
    return error.code === ErrorCode.unsupportedProtocolVersion
      ? inMutualVersion(connection, request, error)
      : undefined;
  }

  /** The server has refused the request before it looked at it, so everything is sent again but a call of a tool and what belongs to the lost session. */
  async #inNewSession(lost: Connection, request: SentRequest, error: unknown): Promise<JsonObject> {
    try {
      await orAborted(this.#current.renew(lost), request.options.signal);
    } catch {
      throw error;
    }
    if (SESSION_BOUND.has(request.method) || request.params.cursor !== undefined) throw error;
    return sendAgain(this.#current.connection, request);
  }

  async #withNewHeaders(
    connection: Connection,
    request: SentRequest,
    error: ProtocolError,
  ): Promise<JsonObject> {
    try {
      await orAborted(this.#hooks.relist(), request.options.signal);
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
    connection: Connection,
    request: SentRequest,
    error: ProtocolError,
  ): Promise<JsonObject> {
    const params = await orAborted(this.#hooks.asTask(request), request.options.signal).catch(
      () => undefined,
    );
    if (params === undefined) throw error;
    return sendAgain(connection, { ...request, params });
  }

  /**
   * A host may answer when a person has agreed to a visit or when the visit is over. So the request is sent again at once; when
   * the server still refuses it, once more after the server has announced that the visits are complete.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
   */
  async #afterVisits(
    connection: Connection,
    request: SentRequest,
    error: ProtocolError,
  ): Promise<JsonObject> {
    let spentMs = performance.now() - request.sentAt;
    const visits = await this.#hooks.visit(connection, request, error.data);
    if (visits === undefined) throw error;
    try {
      // No time limit runs while a person is asked or on a visit.
      const sentAt = performance.now();
      return await sendAgain(connection, { ...request, sentAt: sentAt - spentMs }).catch(
        async (second: unknown) => {
          spentMs += performance.now() - sentAt;
          if (!isVisitRequired(second) || !(await this.#hooks.visited(connection, request, visits)))
            throw second;
          return sendAgain(connection, { ...request, sentAt: performance.now() - spentMs });
        },
      );
    } finally {
      visits.stop();
    }
  }
}

function isVisitRequired(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === ErrorCode.urlElicitationRequired;
}

function inMutualVersion(
  connection: Connection,
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

function sendAgain(
  connection: Connection,
  { method, params, options, sentAt }: SentRequest,
): Promise<JsonObject> {
  const { round, spentMs, input } = options.attempt ?? { round: 0, spentMs: 0 };
  const attempt: Attempt = {
    round,
    spentMs: spentMs + performance.now() - sentAt,
    isSecondTry: true,
    ...(input === undefined ? {} : { input }),
  };
  return connection.request(method, params, { ...options, attempt });
}

/** The outcome of the work, or `undefined` as soon as the signal aborts: a request that is then sent again rejects as cancelled. */
async function orAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (signal === undefined) return work;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

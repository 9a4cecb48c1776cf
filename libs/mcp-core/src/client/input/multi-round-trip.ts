import type { Codec } from '../../era/codec.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import type { ClientOptions } from '../client-options.ts';
import {
  DEFAULT_REQUEST_TIMEOUT_MS,
  type ClientConnection,
} from '../connection/client-connection.ts';
import type { InputRequired, SentRequest } from '../requests/active-request.ts';
import { whileWanted } from '../requests/cancellation.ts';
import type { InputRound, OriginatingRequest } from './input-handlers.ts';
import { InputRequestHandler, originatingRequest } from './input-request-handler.ts';
import { UrlElicitations } from './url-elicitation.ts';

export const DEFAULT_MAX_ROUNDS = 10;
/** Bounds the number of handlers that one result of a server can start. */
const MAX_INPUT_REQUESTS = 1000;

/**
 * Runs the input handlers for the input requests of a modern server, and sends the original request again with the input responses.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class InputRounds {
  readonly #handler: InputRequestHandler;
  readonly #maxRounds: number;
  readonly #requestTimeoutMs: number;

  constructor(options: ClientOptions) {
    this.#handler = new InputRequestHandler(options);
    this.#maxRounds = options.limits?.maxInputRounds ?? DEFAULT_MAX_ROUNDS;
    this.#requestTimeoutMs = options.limits?.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
  }

  /**
   * Completes a new round and returns the result of the request. The handlers run concurrently; the first refusal aborts the others. No time limit of the
   * request runs meanwhile.
   * @throws LocalError `input-refused`, `capability-missing` without a handler, `request-cancelled`, `connection-lost`, `invalid-response`,
   *   `invalid-argument` when the result of a handler is invalid
   */
  async complete(
    connection: ClientConnection,
    request: SentRequest,
    { inputRequests, requestState }: InputRequired,
  ): Promise<JsonObject> {
    const { method, options } = request;
    if ((options.attempt?.round ?? 0) >= this.#maxRounds) {
      throw new LocalError(
        'invalid-response',
        `The server asked for input ${this.#maxRounds + 1} times without answering ${method}.`,
        { sent: true },
      );
    }
    options.onInputRequired?.();
    const round = { inputRequests, ...(requestState === undefined ? {} : { requestState }) };
    await options.inputRounds?.store?.save(round);
    return this.resume(connection, request, round);
  }

  /** Completes a stored round, as `complete` does for a new one. */
  async resume(
    connection: ClientConnection,
    request: SentRequest,
    { inputRequests, requestState }: InputRound,
  ): Promise<JsonObject> {
    const { method, params, options, sentAt } = request;
    const { round, spentMs } = options.attempt ?? { round: 0, spentMs: 0 };
    const attempt = {
      round: round + 1,
      spentMs: spentMs + performance.now() - sentAt,
      isRetry: false,
    };
    const inputResponses = await this.#respond(connection, request, {
      inputRequests,
      hasKeys: true,
    });
    await options.inputRounds?.store?.discard();
    const input = {
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(requestState === undefined ? {} : { requestState }),
    };
    return connection.request(method, params, { ...options, attempt: { ...attempt, input } });
  }

  /**
   * Asks the user to visit the URLs in the data of an error -32042 of 2025-11-25. Returns the elicitations, which the caller must `stop`, or `undefined`
   * when there are none or the user declined one.
   * @throws LocalError as `complete`
   */
  async elicitUrls(
    connection: ClientConnection,
    request: SentRequest,
    data: unknown,
  ): Promise<UrlElicitations | undefined> {
    const params =
      isJsonObject(data) && Array.isArray(data.elicitations)
        ? data.elicitations.filter(isUrlElicitation)
        : [];
    if (params.length === 0 || !this.#handler.takesUrls) return undefined;
    request.options.onInputRequired?.();
    const elicitations = new UrlElicitations(
      connection,
      params.map(({ elicitationId }) => elicitationId).filter((id) => typeof id === 'string'),
    );
    let isAccepted = false;
    try {
      const inputRequests = params.map(
        (entry, index) => [String(index), { method: 'elicitation/create', params: entry }] as const,
      );
      const responses = await this.#respond(connection, request, {
        inputRequests: Object.fromEntries(inputRequests),
        hasKeys: false,
      });
      isAccepted = Object.values(responses ?? {}).every(
        (response) => isJsonObject(response) && response.action === 'accept',
      );
    } finally {
      if (!isAccepted) elicitations.stop();
    }
    return isAccepted ? elicitations : undefined;
  }

  /**
   * Returns whether the server announces that every elicitation is complete, within the request's inactivity limit.
   * @throws LocalError `request-cancelled`, `connection-lost`
   */
  urlsCompleted(
    connection: ClientConnection,
    request: SentRequest,
    elicitations: UrlElicitations,
  ): Promise<boolean> {
    const limitMs = request.options.timeoutMs ?? this.#requestTimeoutMs;
    return whileWanted(elicitations.completed(limitMs), connection, request);
  }

  /**
   * Runs the handler of one input request.
   * @throws LocalError as `complete`
   */
  async respondToOne(
    inputRequest: unknown,
    codec: Codec,
    { signal, request, key }: InputRequestScope,
  ): Promise<JsonObject> {
    const { method, params } = isJsonObject(inputRequest) ? inputRequest : {};
    if (typeof method !== 'string' || (params !== undefined && !isJsonObject(params))) {
      throw new LocalError(
        'invalid-response',
        'The server sent an input request without a method, or with params that are not an object.',
        { sent: true },
      );
    }
    const run = this.#handler.find({ method, params, request, key }, codec);
    if (run === undefined) {
      throw new LocalError(
        'capability-missing',
        `The server asked for input by ${method}, which this client did not declare.`,
        { sent: true },
      );
    }
    try {
      return await run(signal);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      throw new LocalError(
        'input-refused',
        `The server's ${method} was refused: ${error.message}`,
        { sent: true, cause: error },
      );
    }
  }

  async #respond(
    connection: ClientConnection,
    request: SentRequest,
    { inputRequests, hasKeys }: Round,
  ): Promise<JsonObject | undefined> {
    const entries = Object.entries(boundedInputRequests(inputRequests));
    if (entries.length === 0) return undefined;
    const originating = originatingRequest(request.method, request.params, request.options.meta);
    const withdrawal = new AbortController();
    const respond = async ([key, inputRequest]: [string, unknown]): Promise<
      [string, JsonObject]
    > => [
      key,
      await this.respondToOne(inputRequest, connection.codec, {
        signal: withdrawal.signal,
        request: originating,
        ...(hasKeys ? { key } : {}),
      }),
    ];
    try {
      return Object.fromEntries(
        await whileWanted(Promise.all(entries.map(respond)), connection, request),
      );
    } catch (error) {
      withdrawal.abort(error);
      throw error;
    }
  }
}

interface Round {
  readonly inputRequests: JsonObject;
  /** Whether the server chose the keys. */
  readonly hasKeys: boolean;
}

interface InputRequestScope {
  readonly signal: AbortSignal;
  readonly request: OriginatingRequest;
  readonly key?: string;
}

function isUrlElicitation(value: unknown): value is JsonObject {
  return isJsonObject(value) && value.mode === 'url';
}

/** Returns the input requests. @throws LocalError `invalid-response` when there are more than 1000. */
export function boundedInputRequests(inputRequests: JsonObject): JsonObject {
  const count = Object.keys(inputRequests).length;
  if (count > MAX_INPUT_REQUESTS)
    throw new LocalError(
      'invalid-response',
      `The server sent ${count} input requests at once; at most ${MAX_INPUT_REQUESTS} are accepted.`,
      { sent: true },
    );
  return inputRequests;
}

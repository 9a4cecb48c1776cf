import type { Codec } from '../../era/codec.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import type { InputRequired, SentRequest } from '../requests/active-request.ts';
import type { AskingRequest, ClientOptions, InputAsked } from '../client-options.ts';
import { DEFAULT_REQUEST_TIMEOUT_MS, type Connection } from '../connection/client-connection.ts';
import { askingRequest, QuestionDesk } from './input-request-handler.ts';
import { UrlVisits } from './url-elicitation.ts';

export const DEFAULT_MAX_ROUNDS = 10;
/** Far beyond what a server has reason to ask at once, so that it cannot start any number of handlers. */
const MAX_QUESTIONS = 1000;

/**
 * Answers what a modern server asks before it answers a request, and sends the request again with the answers.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class InputRounds {
  readonly #desk: QuestionDesk;
  readonly #maxRounds: number;
  readonly #requestTimeoutMs: number;

  constructor(options: ClientOptions) {
    this.#desk = new QuestionDesk(options);
    this.#maxRounds = options.maxInputRounds ?? DEFAULT_MAX_ROUNDS;
    this.#requestTimeoutMs = options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
  }

  /**
   * All questions are put at the same time, and the first that is refused withdraws the others. Nobody's time limit runs meanwhile.
   * @throws LocalError `input-refused`, `capability-missing` without a handler, `request-cancelled`, `connection-lost`, `invalid-response`,
   *   `invalid-argument` when a handler's answer is unusable
   */
  async answer(
    connection: Connection,
    request: SentRequest,
    asked: InputRequired,
  ): Promise<JsonObject> {
    const { method, options } = request;
    if ((options.attempt?.round ?? 0) >= this.#maxRounds) {
      throw new LocalError(
        'invalid-response',
        `The server asked for input ${this.#maxRounds + 1} times without answering ${method}.`,
        { sent: true },
      );
    }
    options.onAsked?.();
    const { inputRequests, requestState } = asked;
    const round = { inputRequests, ...(requestState === undefined ? {} : { requestState }) };
    await options.rounds?.asked(round);
    return this.resume(connection, request, round);
  }

  /** As `answer`, for a round that was asked before. */
  async resume(
    connection: Connection,
    request: SentRequest,
    asked: InputAsked,
  ): Promise<JsonObject> {
    const { method, params, options, sentAt } = request;
    const { round, spentMs } = options.attempt ?? { round: 0, spentMs: 0 };
    const attempt = {
      round: round + 1,
      spentMs: spentMs + performance.now() - sentAt,
      isSecondTry: false,
    };
    const responses = await this.#ask(connection, request, {
      questions: asked.inputRequests,
      areNamed: true,
    });
    await options.rounds?.answered();
    const input = {
      ...(responses === undefined ? {} : { inputResponses: responses }),
      ...(asked.requestState === undefined ? {} : { requestState: asked.requestState }),
    };
    return connection.request(method, params, { ...options, attempt: { ...attempt, input } });
  }

  /**
   * Has a person visit the URLs that a server of 2025-11-25 names with its error -32042. Returns the visits, which the caller
   * stops, or `undefined` when there are none or one was not agreed to.
   * @throws LocalError as `answer`
   */
  async visit(
    connection: Connection,
    request: SentRequest,
    data: unknown,
  ): Promise<UrlVisits | undefined> {
    const elicitations =
      isJsonObject(data) && Array.isArray(data.elicitations) ? data.elicitations : [];
    const urls = elicitations
      .filter((params) => isJsonObject(params))
      .filter(({ mode }) => mode === 'url');
    if (urls.length === 0 || !this.#desk.takesUrls) return undefined;
    request.options.onAsked?.();
    const visits = new UrlVisits(
      connection,
      urls.map(({ elicitationId }) => elicitationId).filter((id) => typeof id === 'string'),
    );
    let isAgreed = false;
    try {
      const questions = urls.map(
        (params, index) => [String(index), { method: 'elicitation/create', params }] as const,
      );
      const answers = await this.#ask(connection, request, {
        questions: Object.fromEntries(questions),
        areNamed: false,
      });
      isAgreed = Object.values(answers ?? {}).every(
        (answer) => isJsonObject(answer) && answer.action === 'accept',
      );
    } finally {
      if (!isAgreed) visits.stop();
    }
    return isAgreed ? visits : undefined;
  }

  /**
   * Whether the server announces that every visit is complete, within the request's inactivity limit.
   * @throws LocalError `request-cancelled`, `connection-lost`
   */
  async visited(connection: Connection, request: SentRequest, visits: UrlVisits): Promise<boolean> {
    const given = giveUp(connection, request);
    try {
      return await Promise.race([
        visits.completed(request.options.timeoutMs ?? this.#requestTimeoutMs),
        given.up,
      ]);
    } finally {
      given.stop();
    }
  }

  async #ask(
    connection: Connection,
    request: SentRequest,
    { questions, areNamed }: Questions,
  ): Promise<JsonObject | undefined> {
    const entries = Object.entries(boundedQuestions(questions));
    if (entries.length === 0) return undefined;
    const asking = askingRequest(request.method, request.params, request.options.meta);
    const withdrawal = new AbortController();
    const given = giveUp(connection, request);
    try {
      const answers = entries.map(
        async ([key, question]) =>
          [
            key,
            await this.answerOne(question, connection.codec, {
              signal: withdrawal.signal,
              request: asking,
              ...(areNamed ? { key } : {}),
            }),
          ] as const,
      );
      return Object.fromEntries(await Promise.race([Promise.all(answers), given.up]));
    } catch (error) {
      withdrawal.abort(error);
      throw error;
    } finally {
      given.stop();
    }
  }

  /** @throws LocalError as `answer` */
  async answerOne(
    question: unknown,
    codec: Codec,
    { signal, request, key }: QuestionPlace,
  ): Promise<JsonObject> {
    const { method, params } = isJsonObject(question) ? question : {};
    if (typeof method !== 'string' || (params !== undefined && !isJsonObject(params))) {
      throw new LocalError('invalid-response', 'The server asked for input that is no request.', {
        sent: true,
      });
    }
    const ask = this.#desk.find({ method, params, request, key }, codec);
    if (ask === undefined) {
      throw new LocalError(
        'capability-missing',
        `The server asked for input by ${method}, which this client did not declare.`,
        { sent: true },
      );
    }
    try {
      return await ask(signal);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      throw new LocalError(
        'input-refused',
        `The server's ${method} was refused: ${error.message}`,
        { sent: true, cause: error },
      );
    }
  }
}

interface Questions {
  readonly questions: JsonObject;
  /** Whether the server named them, so that it knows them by these names later. */
  readonly areNamed: boolean;
}

interface QuestionPlace {
  readonly signal: AbortSignal;
  readonly request: AskingRequest;
  readonly key?: string;
}

/** @throws LocalError `invalid-response` when they are too many. */
export function boundedQuestions(questions: JsonObject): JsonObject {
  const count = Object.keys(questions).length;
  if (count > MAX_QUESTIONS)
    throw new LocalError(
      'invalid-response',
      `The server asked ${String(count)} questions at once.`,
      { sent: true },
    );
  return questions;
}

interface GivenUp {
  /** Rejects when the questions need no answer any more. */
  readonly up: Promise<never>;
  stop(): void;
}

function giveUp({ endSignal }: Connection, { method, options: { signal } }: SentRequest): GivenUp {
  const { promise, reject } = Promise.withResolvers<never>();
  // It may end the race before anybody waits for it.
  promise.catch(() => undefined);
  const onAbort = (): void =>
    reject(
      new LocalError('request-cancelled', `${method} was cancelled.`, {
        sent: true,
        cause: signal?.reason,
      }),
    );
  const onEnd = (): void =>
    reject(
      new LocalError(
        'connection-lost',
        `The connection ended while the server waited for input to answer ${method}.`,
        { sent: true, cause: endSignal.reason },
      ),
    );
  signal?.addEventListener('abort', onAbort);
  endSignal.addEventListener('abort', onEnd);
  if (signal?.aborted === true) onAbort();
  if (endSignal.aborted) onEnd();
  return {
    up: promise,
    stop: () => {
      signal?.removeEventListener('abort', onAbort);
      endSignal.removeEventListener('abort', onEnd);
    },
  };
}

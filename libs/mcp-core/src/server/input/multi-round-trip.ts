import type { Codec, InputMethod, InputTypes } from '../../era/codec.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject, JsonRpcRequest } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import { inputResponseProblems } from './elicitation.ts';
import type { KeyedInputRequest } from '../requests/era-port.ts';
import { EMPTY_RECORD, Journal, UNKNOWN_RECORD } from './journal.ts';
import type { RequestState, RequestStates, StateBinding } from './request-state.ts';

/** The methods that may be answered with `input_required`; to the others `requestState` is an unknown member. */
const METHODS = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Far beyond any dialogue, so that a handler that asks for ever is noticed. */
const MAX_ROUNDS = 64;

export interface MultiRoundTripOptions {
  readonly states: RequestStates;
  readonly codec: Codec;
  readonly principal: string | undefined;
  /** Whether the same state may not be used by two requests. */
  readonly isSingleUse: boolean;
}

/**
 * One request of a dialogue in which the client carries what was learned so far.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class MultiRoundTrip {
  readonly journal: Journal;
  readonly #options: MultiRoundTripOptions;
  readonly #binding: StateBinding;
  readonly #state: RequestState | undefined;

  private constructor(
    options: MultiRoundTripOptions,
    binding: StateBinding,
    state: RequestState | undefined,
  ) {
    this.#options = options;
    this.#binding = binding;
    this.#state = state;
    const { inputResponses } = binding.params;
    // Servers may ask without a state, so clients may answer without one; what destroys waits for the answer to its own question.
    const unasked = options.isSingleUse ? EMPTY_RECORD : UNKNOWN_RECORD;
    this.journal = new Journal(
      state?.journal ?? unasked,
      isJsonObject(inputResponses) ? inputResponses : {},
      (question, response) => readAnswer(question, response, options.codec),
    );
  }

  /** @throws ProtocolError -32602 for a state that is not valid for this request. */
  static open(request: JsonRpcRequest, options: MultiRoundTripOptions): MultiRoundTrip {
    const { method, params = {} } = request;
    const { inputResponses, requestState } = params;
    if (inputResponses !== undefined && !isJsonObject(inputResponses)) {
      throw new ProtocolError(
        ErrorCode.invalidParams,
        'Invalid params: inputResponses must be an object',
      );
    }
    const binding = { method, params, principal: options.principal };
    const state =
      requestState === undefined ? undefined : options.states.open(binding, requestState);
    return new MultiRoundTrip(options, binding, state);
  }

  static serves(method: string): boolean {
    return METHODS.has(method);
  }

  /**
   * Uses up the state of a destructive call; call it just before the handler runs.
   * @throws ProtocolError -32602 when the state was used before.
   */
  async useState(): Promise<void> {
    if (this.#state !== undefined && this.#options.isSingleUse)
      await this.#options.states.use(this.#state);
  }

  /** The answer that asks the client; call it when the handler and its effects have ended. @throws Error when the dialogue grows beyond its limits. */
  inputRequired(): JsonObject {
    const round = this.#state?.round ?? 0;
    if (round >= MAX_ROUNDS)
      throw new Error(
        `${this.#binding.method} has asked in ${String(MAX_ROUNDS)} rounds and asks again`,
      );
    const { states, codec } = this.#options;
    const inputRequests = Object.fromEntries(
      this.journal.questions.map(({ key, method, params }) => [
        key,
        { method, params: codec.encodeInputRequest(method, params) ?? {} },
      ]),
    );
    return {
      resultType: 'input_required',
      inputRequests,
      requestState: states.seal(this.#binding, round + 1, this.journal.record()),
    };
  }
}

/** `undefined` when the response does not answer the question. */
export function readAnswer<M extends InputMethod>(
  question: KeyedInputRequest<M>,
  response: JsonObject,
  codec: Codec,
): InputTypes[M]['result'] | undefined {
  if (!isJsonObject(response)) return undefined;
  try {
    const answer = codec.decodeInputResponse(question.method, response);
    return inputResponseProblems(question.params, answer).length === 0 ? answer : undefined;
  } catch {
    return undefined;
  }
}

import type { Codec, InputMethod, InputTypes } from '../../era/codec.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject, JsonRpcRequest } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import { METHODS_WITH_INPUT } from '../../protocol/input-methods.ts';
import type { KeyedInputRequest } from './input-requests.ts';
import { EMPTY_RECORD, Journal, type Suspended, UNKNOWN_RECORD } from './journal.ts';
import { readInputResponse } from './read-input-response.ts';
import type { HandlerReplay } from './replay.ts';
import type { RequestState, RequestStates, StateBinding } from './request-state.ts';

/** Stops a handler that sends new input requests in every round. */
const MAX_ROUNDS = 64;

export interface MultiRoundTripOptions {
  readonly states: RequestStates;
  readonly codec: Codec;
  readonly principal: string | undefined;
  /** Whether a request state may be used only once. */
  readonly isSingleUse: boolean;
}

/**
 * A round of a multi round-trip request. The client carries the journal of the earlier rounds in `requestState`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class MultiRoundTrip implements HandlerReplay {
  readonly isPossible = true;
  /** Created on first use: most handlers require no input. */
  #journal: Journal | undefined;
  #onSuspended: ((reason: Suspended) => void) | undefined;
  #isSingleUse: boolean;
  #consumed: Promise<void> | undefined;
  readonly #options: MultiRoundTripOptions;
  readonly #binding: StateBinding;
  readonly #state: RequestState | undefined;

  private constructor(
    options: MultiRoundTripOptions,
    binding: StateBinding,
    state: RequestState | undefined,
  ) {
    this.#options = options;
    this.#isSingleUse = options.isSingleUse;
    this.#binding = binding;
    this.#state = state;
  }

  /** Opens the round of a request. @throws ProtocolError -32602 for a state that is not valid for this request */
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
    return METHODS_WITH_INPUT.has(method);
  }

  get isReplaying(): boolean {
    return this.#state !== undefined && this.#openJournal().isReplaying;
  }

  get isSuspended(): boolean {
    return this.#journal?.isSuspended === true;
  }

  onSuspended(listener: (reason: Suspended) => void): void {
    this.#onSuspended = listener;
  }

  ask<M extends InputMethod>(inputRequest: KeyedInputRequest<M>): Promise<InputTypes[M]['result']> {
    return this.#openJournal().ask(inputRequest);
  }

  once<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    return this.#openJournal().once(key, run);
  }

  requireSingleUse(): void {
    this.#isSingleUse = true;
  }

  consumeState(): Promise<void> | undefined {
    if (this.#state === undefined || !this.#isSingleUse) return undefined;
    // A middleware may run the handler again.
    this.#consumed ??= this.#options.states.consume(this.#state);
    return this.#consumed;
  }

  async inputRequired(): Promise<JsonObject> {
    const journal = this.#openJournal();
    await journal.settled();
    const round = this.#state?.round ?? 0;
    if (round >= MAX_ROUNDS)
      throw new Error(
        `${this.#binding.method} has required input in ${MAX_ROUNDS} rounds, and requires it again`,
      );
    const { states, codec } = this.#options;
    const inputRequests = Object.fromEntries(
      journal.inputRequests.map(({ key, method, params }) => [
        key,
        { method, params: codec.encodeInputRequest(method, params) ?? {} },
      ]),
    );
    return {
      resultType: 'input_required',
      inputRequests,
      requestState: states.seal(this.#binding, round + 1, journal.record()),
    };
  }

  #openJournal(): Journal {
    const { codec } = this.#options;
    const { inputResponses } = this.#binding.params;
    // Servers may require input without a state, so clients may respond without one; a destructive call needs the state of its own input requests.
    const initial = this.#isSingleUse ? EMPTY_RECORD : UNKNOWN_RECORD;
    this.#journal ??= new Journal({
      earlier: this.#state?.journal ?? initial,
      received: isJsonObject(inputResponses) ? inputResponses : {},
      read: (inputRequest, response) => readInputResponse(inputRequest, response, codec),
      onSuspended: (reason) => this.#onSuspended?.(reason),
    });
    return this.#journal;
  }
}

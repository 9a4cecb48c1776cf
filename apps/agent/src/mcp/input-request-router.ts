import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ErrorCode, ProtocolError, type JsonObject } from '@signalbox/mcp-core';
import type { InputContext, InputHandlers } from '@signalbox/mcp-core/client';
import type { Clock } from '../ports/clock.ts';

export interface CallInFlight {
  readonly runId: string;
  /** `_meta` of the call's request. The object identifies the call. */
  readonly meta: JsonObject;
  readonly inputHandlers: InputHandlers;
  /** Called when an input request arrives that the call may have caused. */
  readonly onInputRequest?: () => void;
  /** Called when an input request is held that this call or another run's call may have caused. */
  readonly onInputRequestHeld?: () => void;
  /** Called, possibly after the call, when one of its URL elicitations is completed. */
  readonly onElicitationComplete?: ((elicitationId: string) => void) | undefined;
}

export interface InputRequestRouterOptions {
  readonly clock: Clock;
  /**
   * Returns the paths of the server's current root directories. The roots capability is declared
   * only if there are roots when the router is created.
   */
  readonly roots: () => readonly string[];
  /**
   * Called for the first input request that names no request. From then on the connection must
   * carry calls of one run at a time.
   */
  readonly onUnnamedInputRequest: () => void;
}

/**
 * Maximum number of remembered runs with abandoned calls. Two make every input request ambiguous.
 */
const MAX_RUNS_WITH_ABANDONED_CALLS = 2;

/** Maximum number of URL elicitations whose completion is awaited; the oldest are forgotten. */
const MAX_VISITS = 256;

/**
 * Milliseconds for which input requests of several runs are held while each of these runs may wait
 * for one.
 */
const HOLD_MS = 30_000;

/** An input request that names no request, while calls of several runs may have caused it. */
interface HeldRequest {
  /** Calls that were in flight on arrival and have not ended. */
  readonly candidates: Set<CallInFlight>;
  readonly settle: () => void;
  readonly refuse: () => void;
}

/**
 * Attributes a server's input request to the call that caused it. An input request that names no
 * request, as on a legacy stdio connection, is attributed if only one run can have caused it. While
 * several can, it is held until the calls of all runs but one have ended. It is refused if an
 * abandoned call of another run may still be active in the server, or if each of these runs may
 * wait for such an input request.
 */
export class InputRequestRouter {
  readonly handlers: InputHandlers;
  readonly #calls = new Set<CallInFlight>();
  readonly #runsWithAbandonedCalls = new Set<string>();
  readonly #held = new Set<HeldRequest>();
  /** Call of each URL elicitation, by elicitation id. */
  readonly #visits = new Map<string, CallInFlight>();
  readonly #options: InputRequestRouterOptions;
  #hasSentInputRequests = false;
  #openInputRequests = 0;

  constructor(options: InputRequestRouterOptions) {
    this.#options = options;
    this.handlers = {
      sample: (params, context) =>
        this.#counted(async () => {
          const { sample } = (await this.#callOf('sampling', ErrorCode.rejectedByUser, context))
            .inputHandlers;
          if (sample === undefined)
            throw new ProtocolError(
              ErrorCode.rejectedByUser,
              'Sampling is not available to this call',
            );
          return sample(params, context);
        }),
      elicit: (params, context) =>
        this.#counted(async () => {
          const call = await this.#callOf('elicitation', ErrorCode.internalError, context);
          const { elicit } = call.inputHandlers;
          if (params.mode === 'url' && params.elicitationId !== undefined)
            this.#remember(params.elicitationId, call);
          if (elicit === undefined)
            throw new ProtocolError(
              ErrorCode.internalError,
              'Elicitation is not available to this call',
            );
          return elicit(params, context);
        }),
      ...(options.roots().length === 0
        ? {}
        : {
            listRoots: () =>
              Promise.resolve(
                options
                  .roots()
                  .map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) })),
              ),
          }),
    };
  }

  /** Whether the server has sent an input request that named no request on this connection. */
  get hasSentInputRequests(): boolean {
    return this.#hasSentInputRequests;
  }

  /** Number of unanswered input requests. */
  get openInputRequests(): number {
    return this.#openInputRequests;
  }

  get hasCalls(): boolean {
    return this.#calls.size > 0;
  }

  /** Whether the server may still process an abandoned call of a run other than this one. */
  hasAbandonedCallOfOther(runId: string): boolean {
    return [...this.#runsWithAbandonedCalls].some((id) => id !== runId);
  }

  get hasAbandonedCalls(): boolean {
    return this.#runsWithAbandonedCalls.size > 0;
  }

  /** Registers a call that may cause input requests. */
  begin(call: CallInFlight): void {
    this.#calls.add(call);
  }

  /** Ends a call. `abandoned`: the server may still process it and send input requests. */
  end(call: CallInFlight, how: 'answered' | 'abandoned'): void {
    this.#calls.delete(call);
    if (how === 'abandoned' && this.#runsWithAbandonedCalls.size < MAX_RUNS_WITH_ABANDONED_CALLS)
      this.#runsWithAbandonedCalls.add(call.runId);
    for (const question of this.#held) {
      question.candidates.delete(call);
      question.settle();
    }
  }

  /** Reports a completed URL elicitation to its call. */
  completed(elicitationId: string): void {
    this.#visits.get(elicitationId)?.onElicitationComplete?.(elicitationId);
    this.#visits.delete(elicitationId);
  }

  async #counted<T>(answer: () => Promise<T>): Promise<T> {
    this.#openInputRequests += 1;
    try {
      return await answer();
    } finally {
      this.#openInputRequests -= 1;
    }
  }

  #remember(elicitationId: string, call: CallInFlight): void {
    this.#visits.delete(elicitationId);
    this.#visits.set(elicitationId, call);
    const [oldest] = this.#visits.keys();
    if (oldest !== undefined && this.#visits.size > MAX_VISITS) this.#visits.delete(oldest);
  }

  async #callOf(
    kind: 'sampling' | 'elicitation',
    refusal: number,
    { request, signal }: InputContext,
  ): Promise<CallInFlight> {
    const nobody = (): ProtocolError =>
      new ProtocolError(
        refusal,
        `No tool call is in progress on this connection, so this ${kind} request cannot be answered`,
      );
    if (request !== undefined) {
      const named = [...this.#calls].find(({ meta }) => meta === request.meta);
      if (named === undefined) throw nobody();
      named.onInputRequest?.();
      return named;
    }
    this.#hasSentInputRequests = true;
    this.#options.onUnnamedInputRequest();
    for (const call of this.#calls) call.onInputRequest?.();
    const found = await this.#attribute(signal);
    if (found === 'nobody') throw nobody();
    if (found === 'unknown')
      throw new ProtocolError(
        refusal,
        `Calls of several runs are in progress on this connection and this ${kind} request does not say which it belongs to`,
      );
    return found;
  }

  #attribute(signal: AbortSignal): Promise<CallInFlight | 'nobody' | 'unknown'> {
    const candidates = new Set(this.#calls);
    const immediate = this.#decide(candidates);
    if (immediate !== undefined) return Promise.resolve(immediate);
    for (const call of candidates) call.onInputRequestHeld?.();
    return new Promise((resolve) => {
      const finish = (found: CallInFlight | 'nobody' | 'unknown'): void => {
        stopTimer();
        this.#held.delete(question);
        signal.removeEventListener('abort', question.refuse);
        resolve(found);
      };
      const question: HeldRequest = {
        candidates,
        settle: () => {
          const found = this.#decide(candidates);
          if (found !== undefined) finish(found);
        },
        refuse: () => finish('unknown'),
      };
      this.#held.add(question);
      signal.addEventListener('abort', question.refuse, { once: true });
      let stopTimer = (): void => undefined;
      const watch = (): void => {
        stopTimer = this.#options.clock.after(HOLD_MS, () => {
          if (!this.#isDeadlocked()) return watch();
          for (const each of this.#held) each.refuse();
        });
      };
      watch();
    });
  }

  /**
   * Returns `undefined` while calls of several runs, none of them abandoned, may have caused the
   * input request.
   */
  #decide(candidates: ReadonlySet<CallInFlight>): CallInFlight | 'nobody' | 'unknown' | undefined {
    const [call] = candidates;
    if (call === undefined) return 'nobody';
    if (this.hasAbandonedCallOfOther(call.runId)) return 'unknown';
    return [...candidates].every(({ runId }) => runId === call.runId) ? call : undefined;
  }

  /**
   * Whether every run with calls has a held input request, so that no call can end before one is
   * answered.
   */
  #isDeadlocked(): boolean {
    return this.#held.size >= new Set([...this.#calls].map(({ runId }) => runId)).size;
  }
}

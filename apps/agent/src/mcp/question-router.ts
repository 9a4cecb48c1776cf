import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ErrorCode, ProtocolError, type JsonObject, type InputHandlers } from '@signalbox/mcp-core';
import type { InputContext } from '@signalbox/mcp-core/client';
import type { Clock } from '../ports/clock.ts';

export interface CallInFlight {
  readonly runId: string;
  /** What its request carries as `_meta`; no other call has this object. */
  readonly meta: JsonObject;
  readonly questions: InputHandlers;
  /** The server asks something, and this call may be the reason. */
  readonly onQuestion?: () => void;
  /** A question is held back because this call or one of another run may be the reason. */
  readonly onQuestionHeld?: () => void;
  /** Hears, perhaps after the call, that what it sent a person to a URL for is done. */
  readonly onElicitationComplete?: ((elicitationId: string) => void) | undefined;
}

export interface QuestionRouterOptions {
  readonly clock: Clock;
  /** Paths of the directories that are the server's roots at present. It hears that there can be some only if there are when the router is made. */
  readonly roots: () => readonly string[];
  /** A question came that names no request, so its connection must carry the calls of one run at a time. */
  readonly onUnnamedQuestion: () => void;
}

/** The given-up runs that are remembered; two make every question ambiguous. */
const MAX_GIVEN_UP_RUNS = 2;

/** The visits to URLs that a server may still say are done; the oldest are forgotten. */
const MAX_VISITS = 256;

/** How long questions of several runs are held when each of these runs may be waiting for one. */
const HOLD_MS = 30_000;

/** A question that names no request, while calls of several runs may be its reason. */
interface HeldQuestion {
  /** Calls that were in flight when it came and have not ended. */
  readonly candidates: Set<CallInFlight>;
  readonly settle: () => void;
  readonly refuse: () => void;
}

/**
 * Finds the call that a server's question belongs to. A question that names no request, as on a legacy stdio connection, is attributed when one run alone
 * can have caused it. While several can, the question is held until the calls of all runs but one have been answered. It is refused when a given-up call of
 * another run may still be at work in the server, or when every one of these runs may be waiting for such a question.
 */
export class QuestionRouter {
  readonly handlers: InputHandlers;
  readonly #calls = new Set<CallInFlight>();
  readonly #givenUpRuns = new Set<string>();
  readonly #held = new Set<HeldQuestion>();
  /** The call of each visit to a URL, by the server's id of the visit. */
  readonly #visits = new Map<string, CallInFlight>();
  readonly #options: QuestionRouterOptions;
  #hasAsked = false;
  #openQuestions = 0;

  constructor(options: QuestionRouterOptions) {
    this.#options = options;
    this.handlers = {
      sample: (params, context) =>
        this.#counted(async () => {
          const { sample } = (await this.#callOf('sampling', ErrorCode.rejectedByUser, context))
            .questions;
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
          const { elicit } = call.questions;
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

  /** Whether the server has ever asked anything on this connection without naming the request. */
  get hasAsked(): boolean {
    return this.#hasAsked;
  }

  /** Questions that wait for an answer. */
  get openQuestions(): number {
    return this.#openQuestions;
  }

  get hasCalls(): boolean {
    return this.#calls.size > 0;
  }

  /** Whether the server may still be at work on a given-up call of another run than this one. */
  hasGivenUpCallOfOther(runId: string): boolean {
    return [...this.#givenUpRuns].some((givenUp) => givenUp !== runId);
  }

  get hasGivenUpCalls(): boolean {
    return this.#givenUpRuns.size > 0;
  }

  /** The call may now cause questions. */
  begin(call: CallInFlight): void {
    this.#calls.add(call);
  }

  /** The call was answered, or was given up: then the server may still be at work on it and ask. */
  end(call: CallInFlight, how: 'answered' | 'given-up'): void {
    this.#calls.delete(call);
    if (how === 'given-up' && this.#givenUpRuns.size < MAX_GIVEN_UP_RUNS)
      this.#givenUpRuns.add(call.runId);
    for (const question of this.#held) {
      question.candidates.delete(call);
      question.settle();
    }
  }

  /** The server says that a visit to a URL is done. */
  completed(elicitationId: string): void {
    this.#visits.get(elicitationId)?.onElicitationComplete?.(elicitationId);
    this.#visits.delete(elicitationId);
  }

  async #counted<T>(answer: () => Promise<T>): Promise<T> {
    this.#openQuestions += 1;
    try {
      return await answer();
    } finally {
      this.#openQuestions -= 1;
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
        `No tool call is in progress on this connection, so nobody can answer this ${kind} request`,
      );
    if (request !== undefined) {
      const named = [...this.#calls].find(({ meta }) => meta === request.meta);
      if (named === undefined) throw nobody();
      named.onQuestion?.();
      return named;
    }
    this.#hasAsked = true;
    this.#options.onUnnamedQuestion();
    for (const call of this.#calls) call.onQuestion?.();
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
    for (const call of candidates) call.onQuestionHeld?.();
    return new Promise((resolve) => {
      const finish = (found: CallInFlight | 'nobody' | 'unknown'): void => {
        stopTimer();
        this.#held.delete(question);
        signal.removeEventListener('abort', question.refuse);
        resolve(found);
      };
      const question: HeldQuestion = {
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

  /** `undefined` while calls of several runs, none of them given up, may have caused the question. */
  #decide(candidates: ReadonlySet<CallInFlight>): CallInFlight | 'nobody' | 'unknown' | undefined {
    const [call] = candidates;
    if (call === undefined) return 'nobody';
    if (this.hasGivenUpCallOfOther(call.runId)) return 'unknown';
    return [...candidates].every(({ runId }) => runId === call.runId) ? call : undefined;
  }

  /** Whether as many questions are held as there are runs with calls: then no call needs to end before its question is answered. */
  #isDeadlocked(): boolean {
    return this.#held.size >= new Set([...this.#calls].map(({ runId }) => runId)).size;
  }
}

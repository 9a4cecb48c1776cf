import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ErrorCode, ProtocolError, type JsonObject, type QuestionHandlers } from '@signalbox/mcp-core';
import type { AskingRequest } from '@signalbox/mcp-core/client';

export interface CallInFlight {
  readonly runId: string;
  /** What its request carries as `_meta`; no other call has this object. */
  readonly meta: JsonObject;
  readonly questions: QuestionHandlers;
  /** The server asks something, and this call may be the reason. */
  readonly onQuestion?: () => void;
  /** Hears, perhaps after the call, that what it sent a person to a URL for is done. */
  readonly onElicitationComplete?: ((elicitationId: string) => void) | undefined;
}

export interface QuestionRouterOptions {
  /** Paths of the directories that are the server's roots at present. It hears that there can be some only if there are when the router is made. */
  readonly roots: () => readonly string[];
  /** A question was refused because several runs may have caused it. */
  readonly onConflict: () => void;
  /** The last call in flight ended. */
  readonly onIdle: () => void;
}

/** So many runs that gave up calls make every question ambiguous; more need not be remembered. */
const AMBIGUOUS = 2;

/** The visits to URLs that a server may still say are done; the oldest are forgotten. */
const MAX_VISITS = 256;

/**
 * Finds the call that a server's question belongs to. Where the question names no request, as on a legacy connection, it is attributed only when one run
 * alone can have caused it: its calls are in flight, and no given-up call of another run may still be at work in the server.
 */
export class QuestionRouter {
  readonly handlers: QuestionHandlers;
  readonly #calls = new Set<CallInFlight>();
  readonly #givenUpRuns = new Set<string>();
  /** The call of each visit to a URL, by the server's id of the visit. */
  readonly #visits = new Map<string, CallInFlight>();
  readonly #options: QuestionRouterOptions;
  #hasAsked = false;

  constructor(options: QuestionRouterOptions) {
    this.#options = options;
    this.handlers = {
      sample: async (params, context) => {
        const { sample } = this.#callOf('sampling', ErrorCode.rejectedByUser, context.request).questions;
        if (sample === undefined) throw new ProtocolError(ErrorCode.rejectedByUser, 'Sampling is not available to this call');
        return sample(params, context);
      },
      elicit: async (params, context) => {
        const call = this.#callOf('elicitation', ErrorCode.internalError, context.request);
        const { elicit } = call.questions;
        if (params.mode === 'url' && params.elicitationId !== undefined) this.#remember(params.elicitationId, call);
        if (elicit === undefined) throw new ProtocolError(ErrorCode.internalError, 'Elicitation is not available to this call');
        return elicit(params, context);
      },
      ...(options.roots().length === 0 ? {} : { listRoots: () => Promise.resolve(options.roots().map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) }))) }),
    };
  }

  /** Whether the server has ever asked anything on this connection without naming the request. */
  get hasAsked(): boolean {
    return this.#hasAsked;
  }

  get hasCalls(): boolean {
    return this.#calls.size > 0;
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
    if (how === 'given-up' && this.#givenUpRuns.size < AMBIGUOUS) this.#givenUpRuns.add(call.runId);
    if (this.#calls.size === 0) this.#options.onIdle();
  }

  /** The server says that a visit to a URL is done. */
  completed(elicitationId: string): void {
    this.#visits.get(elicitationId)?.onElicitationComplete?.(elicitationId);
    this.#visits.delete(elicitationId);
  }

  #remember(elicitationId: string, call: CallInFlight): void {
    this.#visits.delete(elicitationId);
    this.#visits.set(elicitationId, call);
    const [oldest] = this.#visits.keys();
    if (oldest !== undefined && this.#visits.size > MAX_VISITS) this.#visits.delete(oldest);
  }

  #callOf(kind: 'sampling' | 'elicitation', refusal: number, request: AskingRequest | undefined): CallInFlight {
    if (request === undefined) this.#hasAsked = true;
    const [call] = request === undefined ? this.#calls : [...this.#calls].filter(({ meta }) => meta === request.meta);
    if (call === undefined) throw new ProtocolError(refusal, `No tool call is in progress on this connection, so nobody can answer this ${kind} request`);
    call.onQuestion?.();
    if (request !== undefined) return call;
    const runs = new Set([...this.#givenUpRuns, ...[...this.#calls].map(({ runId }) => runId)]);
    if (runs.size === 1) return call;
    this.#options.onConflict();
    throw new ProtocolError(refusal, `Calls of several runs are in progress on this connection and this ${kind} request does not say which it belongs to; later calls will be made one run at a time`);
  }
}

import type { DecodedResult } from '../../era/codec.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Answer, AnswerReceiver } from '../../jsonrpc/peer.ts';
import type { RequestOptions } from '../client-options.ts';

/** How often, and with what, a request was sent before. */
export interface Attempt {
  /** How many rounds of questions came before. */
  readonly round: number;
  /** The answers of the last round, and the state to give back. */
  readonly input?: JsonObject;
  /** Milliseconds of the total limit that earlier rounds took. */
  readonly spentMs: number;
  /** Whether it is the second try after a proven refusal. */
  readonly isSecondTry: boolean;
}

export interface SendingOptions extends RequestOptions {
  /** Header fields of the HTTP request. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Absent: the first. */
  readonly attempt?: Attempt;
  /** Called when the server puts questions before its answer. */
  readonly onAsked?: () => void;
}

/** A request as it can be sent again. */
export interface SentRequest {
  /** Also the progress token. */
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly options: SendingOptions;
  /** When it was sent, in the time of `performance.now()`. */
  readonly sentAt: number;
}

/** What a server wants to know before it answers. */
export type InputRequired = Extract<DecodedResult, { readonly kind: 'input-required' }>;

export interface ActiveRequestOwner {
  answered(request: ActiveRequest, answer: Answer): void;
  aborted(request: ActiveRequest): void;
}

export interface RequestLimits {
  readonly inactivityMs: number;
  readonly totalMs: number;
}

interface Settling {
  readonly resolve: (result: JsonObject | Promise<JsonObject>) => void;
  readonly reject: (error: unknown) => void;
}

/** A request of ours that waits for its answer. All times are those of `performance.now()`. */
export class ActiveRequest implements SentRequest, AnswerReceiver {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly options: SendingOptions;
  readonly sentAt: number;
  readonly resolve: Settling['resolve'];
  readonly reject: Settling['reject'];
  readonly #owner: ActiveRequestOwner;
  readonly #inactivityMs: number;
  #silentUntil: number;
  #endsAt: number;

  constructor(
    owner: ActiveRequestOwner,
    request: Omit<SentRequest, 'sentAt'> & Settling,
    limits: RequestLimits,
  ) {
    const now = performance.now();
    this.id = request.id;
    this.method = request.method;
    this.params = request.params;
    this.options = request.options;
    this.resolve = request.resolve;
    this.reject = request.reject;
    this.sentAt = now;
    this.#owner = owner;
    this.#inactivityMs = limits.inactivityMs;
    this.#silentUntil = now + limits.inactivityMs;
    this.#endsAt = now + limits.totalMs - (request.options.attempt?.spentMs ?? 0);
  }

  /** When the next of its limits passes. */
  get dueAt(): number {
    return Math.min(this.#silentUntil, this.#endsAt);
  }

  /** A sign of life: the inactivity limit counts anew. */
  heard(): void {
    this.#silentUntil = performance.now() + this.#inactivityMs;
  }

  /** Its limits did not count from then until now. */
  resume(pausedAt: number): void {
    this.#endsAt += performance.now() - Math.max(pausedAt, this.sentAt);
    this.heard();
  }

  /** Why its time is over; `undefined` while it is not. */
  overdue(now: number): string | undefined {
    if (now >= this.#endsAt) return `it was not answered within ${this.options.maxTotalMs} ms`;
    return now >= this.#silentUntil
      ? `nothing was heard of it for ${this.#inactivityMs} ms`
      : undefined;
  }

  answered(answer: Answer): void {
    this.#owner.answered(this, answer);
  }

  /** Its signal aborts. */
  handleEvent(): void {
    this.#owner.aborted(this);
  }
}

import type { DecodedResult } from '../../era/codec.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { RequestOutcome, OutcomeReceiver } from '../../jsonrpc/outgoing-request.ts';
import type { SendOptions } from '../../jsonrpc/transport.ts';
import type { RequestOptions } from '../client-options.ts';

/** The earlier attempts of a request that is sent again. */
export interface Attempt {
  /** Number of input rounds so far. */
  readonly round: number;
  /** `inputResponses` and `requestState` of the last round. */
  readonly input?: JsonObject;
  /** Milliseconds of the total limit that earlier attempts used. */
  readonly spentMs: number;
  /** Whether this attempt repeats a request that the server provably did not execute. */
  readonly isRetry: boolean;
}

export interface SendingOptions extends RequestOptions {
  /** Header fields of the HTTP request. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** @see SendOptions.onCredentials */
  readonly onCredentials?: ((credentials: string) => void) | undefined;
  /** Absent for the first attempt. */
  readonly attempt?: Attempt;
  /** Called when the server requires input before it responds. */
  readonly onInputRequired?: () => void;
}

/** Returns the part of the options that is for the transport, if any. */
export function sendOptionsOf({ headers, onCredentials }: SendingOptions): SendOptions | undefined {
  return headers === undefined && onCredentials === undefined
    ? undefined
    : { headers, onCredentials };
}

/** A sent request, with all that is needed to send it again. */
export interface SentRequest {
  /** Also the progress token. */
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly options: SendingOptions;
  /** Time of sending, in the time of `performance.now()`. */
  readonly sentAt: number;
}

/** A decoded `input_required` result. */
export type InputRequired = Extract<DecodedResult, { readonly kind: 'input-required' }>;

export interface ActiveRequestOwner {
  settled(request: ActiveRequest, outcome: RequestOutcome): void;
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

/** A request that waits for its response. All times are those of `performance.now()`. */
export class ActiveRequest implements SentRequest, OutcomeReceiver {
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

  /** The earlier of its two deadlines. */
  get dueAt(): number {
    return Math.min(this.#silentUntil, this.#endsAt);
  }

  /** Restarts the inactivity limit. */
  restartInactivity(): void {
    this.#silentUntil = performance.now() + this.#inactivityMs;
  }

  /** Excludes the time since `pausedAt` from the limits. */
  resume(pausedAt: number): void {
    this.#endsAt += performance.now() - Math.max(pausedAt, this.sentAt);
    this.restartInactivity();
  }

  /** Returns which limit has passed, or `undefined`. */
  overdue(now: number): string | undefined {
    if (now >= this.#endsAt) return `no response arrived within ${this.options.maxTotalMs} ms`;
    return now >= this.#silentUntil
      ? `neither a response nor progress arrived for ${this.#inactivityMs} ms`
      : undefined;
  }

  settled(outcome: RequestOutcome): void {
    this.#owner.settled(this, outcome);
  }

  /** Called when the signal of the request aborts. */
  handleEvent(): void {
    this.#owner.aborted(this);
  }
}

import { LlmError } from '../ports/llm-provider.ts';
import type { Clock } from '../ports/clock.ts';
import { MAX_RETRY_AFTER_MS } from './retry.ts';

/** Maximum concurrent requests without a response yet. */
export const MAX_OPENING = 32;

interface Refusal {
  readonly error: LlmError;
  /** Time until which calls are refused. */
  readonly untilMs: number;
  /** End of the retry delay that the provider requested. */
  readonly askedUntilMs: number;
}

/**
 * Rate gate for all calls to one provider. After an overload response no request is sent for the
 * requested delay, or the retry delay. Then one request is sent, and the limit doubles with each
 * response. Calls pass in FIFO order.
 */
export class ProviderGate {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #opening = 0;
  #width = MAX_OPENING;
  #openAtMs = 0;
  #refusal: Refusal | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when a request may be sent; `leave` must follow. Rejects with the signal's reason.
   * @throws LlmError at once if the provider requested a delay longer than `patienceMs`
   */
  async enter(signal: AbortSignal, patienceMs = MAX_RETRY_AFTER_MS): Promise<void> {
    signal.throwIfAborted();
    this.#assertOpen(patienceMs);
    if (this.#waiting.length === 0 && this.#hasRoom()) {
      this.#opening += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    const onAbort = (): void => {
      const slot = this.#waiting.indexOf(resolve);
      if (slot >= 0) this.#waiting.splice(slot, 1);
      // Has no effect on an admitted call, which leaves like any other.
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#letIn();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Reports that the response to a request has begun, or that the request failed. */
  leave(): void {
    this.#opening -= 1;
    this.#letIn();
  }

  /** Raises the limit after a response. */
  widen(): void {
    this.#refusal = undefined;
    this.#width = Math.min(MAX_OPENING, this.#width * 2);
    this.#letIn();
  }

  /** Sends nothing for `waitMs` after an overload response. */
  coolDown(waitMs: number): void {
    this.#width = 1;
    this.#openAtMs = Math.max(this.#openAtMs, this.#clock.now() + waitMs);
  }

  /**
   * Refuses calls with too little patience for the delay that the provider requested, for at most a
   * minute. Then one call is sent again.
   */
  refuse(error: LlmError): void {
    const { retryAfterMs = 0 } = error;
    const waitMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    const now = this.#clock.now();
    this.#refusal = { error, untilMs: now + waitMs, askedUntilMs: now + retryAfterMs };
    this.coolDown(waitMs);
  }

  #assertOpen(patienceMs: number): void {
    const now = this.#clock.now();
    if (this.#refusal === undefined || now >= this.#refusal.untilMs) return;
    const { error, askedUntilMs } = this.#refusal;
    const retryAfterMs = askedUntilMs - now;
    if (retryAfterMs > patienceMs)
      throw new LlmError(error.kind, error.message, {
        retryAfterMs,
        status: error.status,
        cause: error,
      });
  }

  #hasRoom(): boolean {
    return this.#opening < this.#width && this.#clock.now() >= this.#openAtMs;
  }

  #letIn(): void {
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      this.#opening += 1;
      this.#waiting.shift()?.();
    }
    if (this.#waiting.length === 0 || this.#cancelTimer !== undefined) return;
    const waitMs = this.#openAtMs - this.#clock.now();
    if (waitMs <= 0) return;
    this.#cancelTimer = this.#clock.after(waitMs, () => {
      this.#cancelTimer = undefined;
      this.#letIn();
    });
  }
}

/**
 * A slot for one call at the gate, acquired for each attempt. A failed call keeps its slot until the
 * gate knows the retry delay.
 */
export class GateSlot {
  readonly #gate: ProviderGate;
  readonly #patienceMs: number | undefined;
  #isTaken = false;

  constructor(gate: ProviderGate, patienceMs?: number) {
    this.#gate = gate;
    this.#patienceMs = patienceMs;
  }

  /** Acquires the slot. @throws LlmError as `ProviderGate.enter` */
  async enter(signal: AbortSignal): Promise<void> {
    await this.#gate.enter(signal, this.#patienceMs);
    this.#isTaken = true;
  }

  /** Releases the slot, if it is held. */
  leave(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#gate.leave();
  }
}

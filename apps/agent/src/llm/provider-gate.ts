import { LlmError } from '../ports/llm-provider.ts';
import type { Clock } from '../ports/clock.ts';
import { MAX_RETRY_AFTER_MS } from './retry.ts';

/** The most requests that are on their way at once, each until its answer begins. */
export const MAX_OPENING = 32;

interface Refusal {
  readonly error: LlmError;
  /** End of the refusal, after which a call asks again. */
  readonly untilMs: number;
  /** End of the wait that the provider asked for. */
  readonly askedUntilMs: number;
}

/**
 * What all calls to one provider go through. When the provider says that it has too much to do, none is sent for as long as it asks, or the retries
 * wait; after that one goes first, and twice as many each time that one was answered. Calls pass in the order in which they came.
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
   * @throws LlmError at once while the provider asked for a longer wait than the patience of the call
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
      const place = this.#waiting.indexOf(resolve);
      if (place >= 0) this.#waiting.splice(place, 1);
      // Without effect on one that was let in: it must leave like any other.
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

  /** The answer to a request has begun, or it has failed. */
  leave(): void {
    this.#opening -= 1;
    this.#letIn();
  }

  /** A request was answered: the provider takes more. */
  widen(): void {
    this.#refusal = undefined;
    this.#width = Math.min(MAX_OPENING, this.#width * 2);
    this.#letIn();
  }

  /** The provider has too much to do; nothing is sent for `waitMs`. */
  coolDown(waitMs: number): void {
    this.#width = 1;
    this.#openAtMs = Math.max(this.#openAtMs, this.#clock.now() + waitMs);
  }

  /** The provider asked for a wait that was too long for a call: for a minute at most others with as little patience are refused, too, then one asks again. */
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

/** The place of one call at the gate, taken anew for each attempt. A call that failed keeps it until the gate knows of the wait that follows. */
export class GatePlace {
  readonly #gate: ProviderGate;
  readonly #patienceMs: number | undefined;
  #isTaken = false;

  constructor(gate: ProviderGate, patienceMs?: number) {
    this.#gate = gate;
    this.#patienceMs = patienceMs;
  }

  /** @throws LlmError as `ProviderGate.enter` does */
  async enter(signal: AbortSignal): Promise<void> {
    await this.#gate.enter(signal, this.#patienceMs);
    this.#isTaken = true;
  }

  /** Without effect where none is taken. */
  leave(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#gate.leave();
  }
}

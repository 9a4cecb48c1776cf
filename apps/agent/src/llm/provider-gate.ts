import { LlmError } from '../ports/llm-provider.ts';
import type { Clock } from '../ports/test-hooks.ts';
import { MAX_RETRY_AFTER_MS } from './retry.ts';

/** The most requests that are on their way at once, each until its answer begins. */
export const MAX_OPENING = 32;

interface Refusal {
  readonly error: LlmError;
  readonly untilMs: number;
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
   * @throws LlmError at once while the provider asked for a longer wait than a call can wait
   */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#assertOpen();
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

  /** The provider asked for a wait that is too long for a call: for a minute at most others are refused like the one that was told, then one asks again. */
  refuse(error: LlmError): void {
    const { kind, message, retryAfterMs = 0, status } = error;
    const waitMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    this.#refusal = { error: new LlmError(kind, message, { retryAfterMs, status, cause: error }), untilMs: this.#clock.now() + waitMs };
    this.coolDown(waitMs);
  }

  #assertOpen(): void {
    if (this.#refusal !== undefined && this.#clock.now() < this.#refusal.untilMs) throw this.#refusal.error;
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
  #isTaken = false;

  constructor(gate: ProviderGate) {
    this.#gate = gate;
  }

  /** @throws LlmError as `ProviderGate.enter` does */
  async enter(signal: AbortSignal): Promise<void> {
    await this.#gate.enter(signal);
    this.#isTaken = true;
  }

  /** Without effect where none is taken. */
  leave(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#gate.leave();
  }
}

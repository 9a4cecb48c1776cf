import { LlmError } from '../ports/llm-provider.ts';
import type { Clock } from '../ports/clock.ts';
import type { RateGate, RateGates, RateSlot } from '../ports/rate-gate.ts';
import { MAX_RETRY_AFTER_MS } from './retry.ts';

/** Default maximum of concurrent requests without a response yet. */
export const MAX_OPENING = 32;

interface MemoryRateGateOptions {
  readonly clock: Clock;
  /** Maximum of concurrent requests to a provider without a response yet. Default: 32. */
  readonly width?: number | undefined;
}

/** Creates gates for the requests of one process. */
export function createMemoryRateGates(options: MemoryRateGateOptions): RateGates {
  const gates = new Map<string, RateGate>();
  return {
    of(provider) {
      const gate = gates.get(provider) ?? new MemoryRateGate(options);
      gates.set(provider, gate);
      return gate;
    },
  };
}

interface Refusal {
  readonly error: LlmError;
  /** Time until which calls are refused. */
  readonly untilMs: number;
  /** End of the retry delay that the provider requested. */
  readonly askedUntilMs: number;
}

class MemoryRateGate implements RateGate {
  readonly #clock: Clock;
  readonly #maxWidth: number;
  readonly #waiting: (() => void)[] = [];
  #opening = 0;
  #width: number;
  #openAtMs = 0;
  #refusal: Refusal | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor({ clock, width = MAX_OPENING }: MemoryRateGateOptions) {
    this.#clock = clock;
    this.#maxWidth = width;
    this.#width = width;
  }

  async enter({
    signal,
    patienceMs = MAX_RETRY_AFTER_MS,
  }: Parameters<RateGate['enter']>[0]): Promise<RateSlot> {
    signal.throwIfAborted();
    this.#assertOpen(patienceMs);
    if (this.#waiting.length === 0 && this.#hasRoom()) {
      this.#opening += 1;
      return this.#slot();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    const onAbort = (): void => {
      const place = this.#waiting.indexOf(resolve);
      if (place >= 0) this.#waiting.splice(place, 1);
      // Has no effect on an admitted request, which takes its slot like any other.
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#letIn();
    try {
      await promise;
      return this.#slot();
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async widen(): Promise<void> {
    this.#refusal = undefined;
    this.#width = Math.min(this.#maxWidth, this.#width * 2);
    this.#letIn();
  }

  async coolDown(waitMs: number): Promise<void> {
    this.#width = 1;
    this.#openAtMs = Math.max(this.#openAtMs, this.#clock.now() + waitMs);
  }

  async refuse(error: LlmError): Promise<void> {
    const { retryAfterMs = 0 } = error;
    const waitMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    const now = this.#clock.now();
    this.#refusal = { error, untilMs: now + waitMs, askedUntilMs: now + retryAfterMs };
    await this.coolDown(waitMs);
  }

  #slot(): RateSlot {
    let isTaken = true;
    return {
      release: async () => {
        if (!isTaken) return;
        isTaken = false;
        this.#opening -= 1;
        this.#letIn();
      },
    };
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

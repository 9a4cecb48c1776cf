import { WeatherError } from '../weather-error.ts';
import type { Runtime } from './runtime.ts';

/** A limit of a service: calls in a period of milliseconds. */
export interface RateLimit {
  readonly calls: number;
  readonly periodMs: number;
}

/**
 * Limits of the free tier of Open-Meteo, which has 600 calls a minute, 5000 an hour and 10000 a day.
 * @see https://open-meteo.com/en/terms
 */
export const FREE_LIMITS: readonly RateLimit[] = [
  { calls: 600, periodMs: 60_000 },
  { calls: 5000, periodMs: 3_600_000 },
  { calls: 10_000, periodMs: 86_400_000 },
];

/** Part of a limit that may be spent at once, and the part that is refilled in its period. */
const BURST_SHARE = 0.5;
const REFILL_SHARE = 0.4;
/** Calls that patient requests leave to the others. */
const RESERVED_CALLS = 20;
const LONGEST_WAIT_MS = 2000;

/**
 * Token buckets that keep the calls of this process below the limits of a service: in any period at
 * most nine tenths of its limit.
 */
export class RateBudget {
  readonly #runtime: Runtime;
  readonly #buckets: {
    readonly capacity: number;
    readonly callsPerMs: number;
    level: number;
  }[];
  #filledAt: number;

  constructor(limits: readonly RateLimit[], runtime: Runtime) {
    this.#runtime = runtime;
    this.#filledAt = runtime.now();
    this.#buckets = limits.map(({ calls, periodMs }) => ({
      capacity: calls * BURST_SHARE,
      callsPerMs: (calls * REFILL_SHARE) / periodMs,
      level: calls * BURST_SHARE,
    }));
  }

  /**
   * Spends `weight` calls as soon as the limits allow it.
   * @throws WeatherError `rate-limited` when that takes more than two seconds, unless the request is
   * patient
   */
  async take(
    weight: number,
    { isPatient = false, signal }: { readonly isPatient?: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    if (isPatient) {
      for (let waitMs = this.#waitFor(weight + RESERVED_CALLS); waitMs > 0;) {
        await this.#runtime.pause(waitMs, signal);
        waitMs = this.#waitFor(weight + RESERVED_CALLS);
      }
      this.spend(weight);
      return;
    }
    const waitMs = this.#waitFor(weight);
    if (waitMs > LONGEST_WAIT_MS) {
      const retryAfterSeconds = Math.ceil(waitMs / 1000);
      throw new WeatherError(
        'rate-limited',
        `The free rate limit of Open-Meteo would be exceeded, so nothing was requested. Try again in ${retryAfterSeconds} seconds.`,
        { retryAfterSeconds },
      );
    }
    // Spent before the wait, so that later requests wait longer.
    this.spend(weight);
    if (waitMs > 0) await this.#runtime.pause(waitMs, signal);
  }

  /** Spends calls that cannot wait, such as a retry. */
  spend(weight: number): void {
    this.#refill();
    for (const bucket of this.#buckets) bucket.level -= weight;
  }

  /** Returns the milliseconds until `weight` calls, or a full bucket, are available. */
  #waitFor(weight: number): number {
    this.#refill();
    return Math.max(
      0,
      ...this.#buckets.map(({ capacity, callsPerMs, level }) =>
        Math.ceil((Math.min(weight, capacity) - level) / callsPerMs),
      ),
    );
  }

  #refill(): void {
    const now = this.#runtime.now();
    const elapsedMs = Math.max(0, now - this.#filledAt);
    this.#filledAt = now;
    for (const bucket of this.#buckets)
      bucket.level = Math.min(bucket.capacity, bucket.level + elapsedMs * bucket.callsPerMs);
  }
}

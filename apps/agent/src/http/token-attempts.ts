import type { Clock } from '../ports/clock.ts';
import { Problem } from './problem.ts';

/** Wrong tokens of an address within a minute before further attempts are delayed. */
export const FREE_ATTEMPTS = 20;
const WINDOW_MS = 60_000;
/** Milliseconds between delayed attempts of an address. */
export const SLOW_MS = 100;
/** Maximum waiting attempts of an address; further ones are refused. */
export const MAX_WAITING = 20;
const MAX_ADDRESSES = 1000;

interface Attempts {
  wrong: number;
  since: number;
  waiting: number;
  /** Time at which the last waiting attempt proceeds. */
  lastTurnAt: number;
}

/** Rate limit for wrong tokens by address. */
export class TokenAttempts {
  readonly #clock: Clock;
  /** Entries in order of their first wrong token. */
  readonly #byAddress = new Map<string, Attempts>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when a token of the address may be checked.
   * @throws Problem `too_many_attempts` when too many attempts wait
   */
  async turn(address: string): Promise<void> {
    const attempts = this.#current(address);
    if (attempts === undefined || attempts.wrong < FREE_ATTEMPTS) return;
    if (attempts.waiting >= MAX_WAITING)
      throw new Problem(
        'too_many_attempts',
        'too many requests with wrong tokens came from this address; wait and try again',
      );
    const now = this.#clock.now();
    const at = Math.max(now, attempts.lastTurnAt) + SLOW_MS;
    attempts.lastTurnAt = at;
    attempts.waiting += 1;
    await new Promise<void>((resolve) => void this.#clock.after(at - now, resolve));
    attempts.waiting -= 1;
  }

  wasWrong(address: string): void {
    const attempts = this.#current(address) ?? {
      wrong: 0,
      since: this.#clock.now(),
      waiting: 0,
      lastTurnAt: 0,
    };
    attempts.wrong += 1;
    this.#byAddress.set(address, attempts);
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > MAX_ADDRESSES && oldest !== undefined)
      this.#byAddress.delete(oldest);
  }

  #current(address: string): Attempts | undefined {
    const attempts = this.#byAddress.get(address);
    if (
      attempts === undefined ||
      attempts.waiting > 0 ||
      this.#clock.now() - attempts.since < WINDOW_MS
    )
      return attempts;
    this.#byAddress.delete(address);
    return undefined;
  }
}

import type { Clock } from '../ports/clock.ts';
import { Problem } from './problem.ts';

/** Wrong tokens of an address within a minute before its attempts are slowed down. */
export const FREE_ATTEMPTS = 20;
const WINDOW_MS = 60_000;
/** Time between two attempts of an address that is slowed down. */
export const SLOW_MS = 100;
/** Attempts of an address that may wait for their turn; further ones are refused. */
export const MAX_WAITING = 20;
const MAX_ADDRESSES = 1000;

interface Attempts {
  wrong: number;
  since: number;
  waiting: number;
  /** When the last waiting attempt has its turn. */
  lastTurnAt: number;
}

/** Limits how fast an address can try tokens: after some wrong ones, each further attempt waits for its turn. */
export class TokenAttempts {
  readonly #clock: Clock;
  /** In order of their first wrong token. */
  readonly #byAddress = new Map<string, Attempts>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when a token of the address may be checked. @throws Problem `too_many_attempts` when too many wait */
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

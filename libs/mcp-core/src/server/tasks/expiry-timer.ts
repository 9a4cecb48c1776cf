import { MAX_TIMER_MS } from '../../jsonrpc/within-limit.ts';

/** Tells of each key when its time has come, with one timer, which does not keep the process alive. */
export class ExpiryTimer {
  readonly #now: () => number;
  readonly #onExpired: (key: string) => void;
  readonly #times = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Infinity;

  /** `now` gives milliseconds since 1970. */
  constructor(now: () => number, onExpired: (key: string) => void) {
    this.#now = now;
    this.#onExpired = onExpired;
  }

  /** `Infinity` never comes. */
  add(key: string, time: number): void {
    if (time === Infinity) return;
    this.#times.set(key, time);
    if (time < this.#firesAt) this.#set(time);
  }

  #set(time: number): void {
    clearTimeout(this.#timer);
    this.#firesAt = time;
    this.#timer = setTimeout(() => {
      this.#fire();
    }, Math.min(Math.max(time - this.#now(), 0), MAX_TIMER_MS));
    this.#timer.unref();
  }

  #fire(): void {
    const now = this.#now();
    this.#firesAt = Infinity;
    for (const [key, time] of this.#times) {
      if (time > now) continue;
      this.#times.delete(key);
      this.#onExpired(key);
    }
    const next = Math.min(...this.#times.values());
    if (next !== Infinity) this.#set(next);
  }
}

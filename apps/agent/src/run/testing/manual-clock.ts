import type { Clock } from '../../ports/clock.ts';

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  #now = 1_700_000_000_000;
  #setByMs = 0;
  readonly #timers = new Set<{ readonly dueAt: number; readonly callback: () => void }>();

  now(): number {
    return this.#now + this.#setByMs;
  }

  /** Sets the clock, back where negative; what waits for a time to pass waits as long as before. */
  set(byMs: number): void {
    this.#setByMs += byMs;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { dueAt: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Moves time on and calls what is due, in order. */
  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers]
        .filter((timer) => timer.dueAt <= end)
        .toSorted((left, right) => left.dueAt - right.dueAt);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.dueAt);
      next.callback();
    }
    this.#now = end;
  }
}

import type { Clock } from '../ports/clock.ts';

/** Time that stands still until a test moves it. */
export class ManualClock implements Clock {
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  #now = 1_000_000;

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Milliseconds until each timer that is set, soonest first. */
  get waits(): readonly number[] {
    return [...this.#timers]
      .map((timer) => timer.at - this.#now)
      .toSorted((left, right) => left - right);
  }

  /** Moves time and calls what falls due, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers]
        .filter((timer) => timer.at <= end)
        .toSorted((left, right) => left.at - right.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = end;
  }
}

import type { Clock } from '../ports/clock.ts';

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  readonly #timers = new Set<{ readonly dueAt: number; readonly callback: () => void }>();
  #elapsed = 0;
  #epoch = 1_700_000_000_000;

  now(): number {
    return this.#epoch + this.#elapsed;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { dueAt: this.#elapsed + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Milliseconds until each pending timer is due, soonest first. */
  get waits(): readonly number[] {
    return this.#byDueTime().map((timer) => timer.dueAt - this.#elapsed);
  }

  /** Lets time pass and calls the timers that become due, in order. */
  advance(ms: number): void {
    const end = this.#elapsed + ms;
    for (;;) {
      const [next] = this.#byDueTime();
      if (next === undefined || next.dueAt > end) break;
      this.#timers.delete(next);
      this.#elapsed = Math.max(this.#elapsed, next.dueAt);
      next.callback();
    }
    this.#elapsed = end;
  }

  /** Sets the time of day forward, or back where negative. Pending timers are not affected. */
  adjust(byMs: number): void {
    this.#epoch += byMs;
  }

  #byDueTime(): { readonly dueAt: number; readonly callback: () => void }[] {
    return [...this.#timers].toSorted((left, right) => left.dueAt - right.dueAt);
  }
}

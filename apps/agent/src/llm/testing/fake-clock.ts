import type { Clock } from '../../ports/clock.ts';

/** A clock on which every delay ends at once, in order, and is recorded. */
export class FakeClock implements Clock {
  readonly waits: number[] = [];
  #now = Date.parse('2030-01-01T00:00:00Z');

  now(): number {
    return this.#now;
  }

  /** Delays of 10 minutes and more are deadlines and never end. */
  after(ms: number, callback: () => void): () => void {
    if (ms >= 600_000) return () => undefined;
    this.waits.push(ms);
    const timer = setImmediate(() => {
      this.#now += ms;
      callback();
    });
    return () => clearImmediate(timer);
  }
}

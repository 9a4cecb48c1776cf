import type { Clock } from '../ports/clock.ts';

interface Timer {
  readonly dueAt: number;
  readonly fire: () => void;
}

/** A clock whose time can be advanced; timers that become due fire at once. */
export class ReplayClock implements Clock {
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #skippedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now() + this.#skippedMs;
  }

  after(ms: number, callback: () => void): () => void {
    const timer: Timer = {
      dueAt: this.now() + ms,
      fire: () => {
        cancel();
        callback();
      },
    };
    const cancelWait = this.#clock.after(ms, () => timer.fire());
    const cancel = (): void => {
      this.#timers.delete(timer);
      cancelWait();
    };
    this.#timers.add(timer);
    return cancel;
  }

  skip(ms: number): void {
    this.#skippedMs += Math.max(0, ms);
    const due = [...this.#timers]
      .filter(({ dueAt }) => dueAt <= this.now())
      .toSorted((left, right) => left.dueAt - right.dueAt);
    for (const { fire } of due) fire();
  }
}

import type { Clock } from '../../ports/clock.ts';

/** A time at which the engine has to decide something. */
export type Deadline =
  | { readonly type: 'wall-clock'; readonly runId: string }
  | { readonly type: 'wall-clock-warning'; readonly runId: string }
  | { readonly type: 'inbox-item'; readonly itemId: string };

/** Longer waits overflow the platform's timers, which then fire at once. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * Deadlines of this process. No deadline fires before its time by the clock. Setting the same
 * deadline again moves it.
 */
export class Timers {
  readonly #clock: Clock;
  readonly #onDue: (deadline: Deadline) => void;
  readonly #cancels = new Map<string, () => void>();

  constructor(clock: Clock, onDue: (deadline: Deadline) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  set(deadline: Deadline, dueAt: number): void {
    this.clear(deadline);
    const key = keyOf(deadline);
    const waitMs = Math.max(0, dueAt - this.#clock.now());
    const cancel = this.#clock.after(Math.min(waitMs, LONGEST_WAIT_MS), () => {
      this.#cancels.delete(key);
      // A long wait is split, timers can fire early, and the clock can be set back.
      if (this.#clock.now() < dueAt) this.set(deadline, dueAt);
      else this.#onDue(deadline);
    });
    this.#cancels.set(key, cancel);
  }

  clear(deadline: Deadline): void {
    const key = keyOf(deadline);
    this.#cancels.get(key)?.();
    this.#cancels.delete(key);
  }

  clearAll(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }
}

function keyOf(deadline: Deadline): string {
  return `${deadline.type}:${deadline.type === 'inbox-item' ? deadline.itemId : deadline.runId}`;
}

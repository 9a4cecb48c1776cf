import type { Clock } from '../ports/clock.ts';
import { restartDelayMs } from './restart-delay.ts';

/** Milliseconds of readiness after which the next restart delay is the shortest again. */
const STABLE_MS = 60_000;

export interface RestartScheduleOptions {
  readonly clock: Clock;
  /** Returns 0 to 1. */
  readonly random: () => number;
}

/** Schedules restarts of a failed server with increasing delays. */
export class RestartSchedule {
  readonly #options: RestartScheduleOptions;
  #failures = 0;
  #cancel: () => void = () => undefined;

  constructor(options: RestartScheduleOptions) {
    this.#options = options;
  }

  /** Resets the delay if the server was ready for a minute. */
  noteReadySince(since: number): void {
    if (this.#options.clock.now() - since >= STABLE_MS) this.#failures = 0;
  }

  /** Schedules `start` and returns the delay in milliseconds. */
  schedule(start: () => void): number {
    this.#failures += 1;
    const delayMs = restartDelayMs(this.#failures, this.#options.random);
    this.#cancel = this.#options.clock.after(delayMs, start);
    return delayMs;
  }

  cancel(): void {
    this.#cancel();
  }

  /** Makes the next delay the shortest. */
  reset(): void {
    this.#failures = 0;
  }
}

import { ManualClock } from '../../testing/manual-clock.ts';

/** The clock of a process that a test can stop and continue, beside processes with the same time. */
export class FreezableClock extends ManualClock {
  readonly #shared: ManualClock;
  readonly #withheld: (() => void)[] = [];
  #isFrozen = false;

  constructor(shared: ManualClock) {
    super();
    this.#shared = shared;
  }

  override now(): number {
    return this.#shared.now();
  }

  override after(ms: number, callback: () => void): () => void {
    const withheld = this.#withheld;
    return this.#shared.after(ms, () => {
      if (this.#isFrozen) withheld.push(callback);
      else callback();
    });
  }

  override advance(ms: number): void {
    this.#shared.advance(ms);
  }

  /** Withholds the timers of this process, as a stopped process does. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Continues the process: its overdue timers fire. */
  thaw(): void {
    this.#isFrozen = false;
    for (const callback of this.#withheld.splice(0)) callback();
  }
}

import type { Clock } from '../ports/clock.ts';
import type { Signal, SignalBus, Topic } from '../ports/signal-bus.ts';

/** Milliseconds between two looks of a waiter: the longest delay that a lost signal causes. */
export const LOOK_EVERY_MS = 1000;

export interface Waiter {
  /** Receives each signal of the topic. Must not throw. */
  onSignal(signal: Signal): void;
  /**
   * Reads the state in the store, because a signal can be lost. Called every second; the next look
   * begins when all looks of this one have ended. A failure is ignored, since the next look repeats it.
   */
  onLook(): Promise<void>;
}

/**
 * Subscriptions whose waiters depend on no signal: each waiter also looks at the store every second.
 * All waiters share one timer, which exists only while somebody waits.
 */
export class SignalWatch {
  readonly #bus: SignalBus;
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  #cancel: (() => void) | undefined;
  #isLooking = false;

  constructor(bus: SignalBus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
  }

  /** Subscribes a waiter to a topic, to one at a time. Returns the unsubscribe function. */
  subscribe(topic: Topic, waiter: Waiter): () => void {
    this.#waiters.add(waiter);
    const unsubscribe = this.#bus.subscribe(topic, (signal) => waiter.onSignal(signal));
    this.#arm();
    return () => {
      unsubscribe();
      this.#waiters.delete(waiter);
      if (this.#waiters.size > 0) return;
      this.#cancel?.();
      this.#cancel = undefined;
    };
  }

  #arm(): void {
    if (this.#isLooking) return;
    this.#cancel ??= this.#clock.after(LOOK_EVERY_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    this.#cancel = undefined;
    this.#isLooking = true;
    await Promise.allSettled([...this.#waiters].map((waiter) => waiter.onLook()));
    this.#isLooking = false;
    if (this.#waiters.size > 0) this.#arm();
  }
}

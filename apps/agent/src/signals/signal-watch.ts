import type { Clock } from '../ports/clock.ts';
import type { Signal, SignalBus, Topic } from '../ports/signal-bus.ts';

/** Milliseconds between two polls of a waiter: the longest delay that a lost signal causes. */
export const POLL_EVERY_MS = 1000;

export interface Waiter {
  /** Receives each signal of the topic. Must not throw. */
  onSignal(signal: Signal): void;
  /**
   * Reads the state from the store, because a signal can be lost. Called every second, and again
   * only when every waiter has finished the last poll. A failure is ignored: the next poll repeats it.
   */
  onPoll(): Promise<void>;
}

/**
 * Subscriptions that tolerate lost signals: each waiter also polls the store every second.
 * All waiters share one timer, which exists only while somebody waits.
 */
export class SignalWatch {
  readonly #bus: SignalBus;
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  #cancel: (() => void) | undefined;
  #isPolling = false;

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
    if (this.#isPolling) return;
    this.#cancel ??= this.#clock.after(POLL_EVERY_MS, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    this.#cancel = undefined;
    this.#isPolling = true;
    await Promise.allSettled([...this.#waiters].map((waiter) => waiter.onPoll()));
    this.#isPolling = false;
    if (this.#waiters.size > 0) this.#arm();
  }
}

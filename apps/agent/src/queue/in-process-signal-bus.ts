import type { Signal, SignalBus } from '../ports/signal-bus.ts';

/**
 * Creates the bus of a single process. A signal published by a listener is delivered after the
 * current one.
 */
export function createInProcessSignalBus(): SignalBus {
  return new InProcessSignalBus();
}

class InProcessSignalBus implements SignalBus {
  readonly #listeners = new Set<(signal: Signal) => void>();
  readonly #waiting: Signal[] = [];
  #delivering = false;

  publish(signal: Signal): void {
    this.#waiting.push(signal);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        for (const listener of Array.from(this.#listeners)) listener(next);
      }
    } finally {
      this.#delivering = false;
    }
  }

  subscribe(listener: (signal: Signal) => void): () => void {
    // A wrapper, so that a function that is subscribed twice is called twice and unsubscribed separately.
    const entry = (signal: Signal): void => listener(signal);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }
}

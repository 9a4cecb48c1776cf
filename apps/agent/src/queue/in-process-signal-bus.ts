import { topicOf, type Signal, type SignalBus, type Topic } from '../ports/signal-bus.ts';

/**
 * Creates the bus of a single process. It delivers every signal, synchronously and in publish order.
 * A signal published by a listener is delivered after the current one.
 */
export function createInProcessSignalBus(): SignalBus {
  return new InProcessSignalBus();
}

type Listener = (signal: Signal) => void;

class InProcessSignalBus implements SignalBus {
  readonly #listeners = new Map<Topic, Set<Listener>>();
  readonly #waiting: Signal[] = [];
  #delivering = false;

  publish(signal: Signal): void {
    this.#waiting.push(signal);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
        this.#deliver(next);
    } finally {
      this.#delivering = false;
    }
  }

  subscribe(topic: Topic, listener: Listener): () => void {
    // A wrapper, so that a function that is subscribed twice is called twice and unsubscribed separately.
    const entry = (signal: Signal): void => listener(signal);
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(entry));
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners)
        this.#listeners.delete(topic);
    };
  }

  #deliver(signal: Signal): void {
    const listeners = this.#listeners.get(topicOf(signal));
    if (listeners === undefined) return;
    for (const listener of Array.from(listeners)) listener(signal);
  }
}

import { randomUUID } from 'node:crypto';
import { topicOf, type Signal, type SignalBus, type Topic } from '../ports/signal-bus.ts';
import { createInProcessSignalBus } from '../queue/in-process-signal-bus.ts';
import type { RedisChannels } from './redis-channels.ts';

/** Length of the longest message, in characters. A longer one loses its events, and then itself. */
export const MAX_MESSAGE_CHARACTERS = 64 * 1024;

/**
 * Creates the bus of one of several processes. A signal reaches the listeners of this process at
 * once, and those of the others by pub/sub.
 */
export function createRedisSignalBus(channels: RedisChannels): SignalBus {
  return new RedisSignalBus(channels);
}

class RedisSignalBus implements SignalBus {
  readonly #channels: RedisChannels;
  readonly #local = createInProcessSignalBus();
  /** Begins the messages of this process, which it ignores. */
  readonly #sender = `${randomUUID()} `;
  readonly #topics = new Map<Topic, { count: number; readonly leave: () => void }>();

  constructor(channels: RedisChannels) {
    this.#channels = channels;
  }

  publish(signal: Signal): void {
    this.#local.publish(signal);
    const text = encode(signal);
    if (text !== undefined) this.#channels.publish(topicOf(signal), `${this.#sender}${text}`);
  }

  subscribe(topic: Topic, listener: (signal: Signal) => void): () => void {
    const unsubscribe = this.#local.subscribe(topic, listener);
    const entry = this.#topics.get(topic) ?? {
      count: 0,
      leave: this.#channels.subscribe(topic, (message) => this.#receive(topic, message)),
    };
    this.#topics.set(topic, entry);
    entry.count += 1;
    let isSubscribed = true;
    return () => {
      if (!isSubscribed) return;
      isSubscribed = false;
      unsubscribe();
      entry.count -= 1;
      if (entry.count > 0) return;
      this.#topics.delete(topic);
      entry.leave();
    };
  }

  #receive(topic: Topic, message: string): void {
    if (message.startsWith(this.#sender)) return;
    const signal = decode(message.slice(this.#sender.length));
    if (signal !== undefined && topicOf(signal) === topic) this.#local.publish(signal);
  }
}

function encode(signal: Signal): string | undefined {
  const text = JSON.stringify(signal);
  if (text.length <= MAX_MESSAGE_CHARACTERS) return text;
  if (signal.type !== 'events' || signal.events === undefined) return undefined;
  const { events: _, ...rest } = signal;
  return JSON.stringify(rest);
}

function decode(text: string): Signal | undefined {
  try {
    return JSON.parse(text) as Signal;
  } catch {
    return undefined;
  }
}

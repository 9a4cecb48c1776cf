import type { Redis } from 'ioredis';
import type { RedisLink } from './redis-link.ts';

/** Milliseconds between two checks whether the connection for messages still works. */
const CHECK_EVERY_MS = 5000;

type Listener = (message: string) => void;

/**
 * Messages between processes by pub/sub. A message is lost while Redis does not answer, and while a
 * subscription is being made.
 */
export class RedisChannels {
  readonly #link: RedisLink;
  readonly #subscriber: Redis;
  readonly #prefix: string;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #check: NodeJS.Timeout;

  /** Channels do not belong to a database of Redis, so `prefix` must contain its number. */
  constructor(link: RedisLink, prefix: string) {
    this.#link = link;
    this.#prefix = prefix;
    this.#subscriber = link.waitingConnection({ commandTimeout: CHECK_EVERY_MS });
    this.#subscriber.on('message', (channel: string, message: string) => {
      for (const listener of Array.from(this.#listeners.get(channel) ?? [])) listener(message);
    });
    // A connection that was cut without notice looks like one without messages.
    this.#check = setInterval(() => {
      if (this.#subscriber.status !== 'ready') return;
      this.#subscriber.ping().catch(() => {
        if (this.#subscriber.status === 'ready') this.#subscriber.disconnect(true);
      });
    }, CHECK_EVERY_MS);
    this.#check.unref();
  }

  async open(): Promise<void> {
    await this.#subscriber.connect();
  }

  close(): void {
    clearInterval(this.#check);
  }

  /** Name of the channel in Redis, for scripts that publish. */
  nameOf(channel: string): string {
    return `${this.#prefix}:${channel}`;
  }

  publish(channel: string, message: string): void {
    if (!this.#link.isUp()) return;
    this.#link.run((redis) => redis.publish(this.nameOf(channel), message)).catch(() => undefined);
  }

  /** Calls `listener` with messages from now on. Returns the unsubscribe function. */
  subscribe(channel: string, listener: Listener): () => void {
    const name = this.nameOf(channel);
    const listeners = this.#listeners.get(name) ?? new Set();
    if (listeners.size === 0) this.#subscriber.subscribe(name).catch(() => undefined);
    const entry: Listener = (message) => listener(message);
    this.#listeners.set(name, listeners.add(entry));
    return () => {
      if (!listeners.delete(entry) || listeners.size > 0) return;
      this.#listeners.delete(name);
      this.#subscriber.unsubscribe(name).catch(() => undefined);
    };
  }
}

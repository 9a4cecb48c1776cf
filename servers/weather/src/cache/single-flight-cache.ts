import type { CachedValue } from '../provider.ts';
import type { CacheEntry, StoredEntries } from './disk-store.ts';

export interface CachePolicy<Value> {
  /** Returns the time (ms since the epoch) until which a value stored at `storedAt` is fresh. */
  readonly freshUntil: (storedAt: number, value: Value) => number;
  /** Milliseconds after storing for which a stale value may be served when loading fails. */
  readonly staleForMs: number;
  /** Whether a stale value may be served after this error. */
  readonly servesStale: (error: unknown) => boolean;
  /** Maximum number of entries; the least recently read entries are evicted. */
  readonly maxEntries: number;
  /** Storage that outlives the process; default: none. */
  readonly stored?: StoredEntries<Value> | undefined;
  readonly now: () => number;
}

/**
 * Caches values by key. Concurrent readers of a missing value share one load, which is aborted when
 * its last reader aborts.
 */
export class SingleFlightCache<Value> {
  readonly #policy: CachePolicy<Value>;
  readonly #entries = new Map<string, CacheEntry<Value>>();
  readonly #flights = new Map<string, Flight<Value>>();

  constructor(policy: CachePolicy<Value>) {
    this.#policy = policy;
  }

  /** Returns the fresh value of a key, at most `maxAgeMs` old, or loads it. */
  async read(
    key: string,
    load: (signal: AbortSignal) => Promise<Value>,
    {
      signal,
      maxAgeMs = Infinity,
    }: { readonly signal: AbortSignal; readonly maxAgeMs?: number | undefined },
  ): Promise<CachedValue<Value>> {
    const { stored } = this.#policy;
    const kept =
      this.#entries.get(key) ?? (stored === undefined ? undefined : await stored.read(key));
    signal.throwIfAborted();
    if (kept !== undefined) {
      this.#touch(key, kept);
      if (this.#freshForMs(kept) > 0 && this.#policy.now() - kept.storedAt < maxAgeMs)
        return this.#reading(kept, false);
    }
    try {
      const value = await this.#join(key, load, signal);
      const freshForMs = this.#freshForMs({ value, storedAt: this.#policy.now() });
      return { value, cache: { hit: false, ageSeconds: 0, stale: false }, freshForMs };
    } catch (error) {
      const usable =
        kept !== undefined && this.#policy.now() < kept.storedAt + this.#policy.staleForMs;
      if (usable && !signal.aborted && this.#policy.servesStale(error))
        return this.#reading(kept, true);
      throw error;
    }
  }

  store(key: string, value: Value): void {
    const entry = { value, storedAt: this.#policy.now() };
    this.#touch(key, entry);
    this.#policy.stored?.write(key, entry);
  }

  #freshForMs({ value, storedAt }: CacheEntry<Value>): number {
    return Math.max(0, this.#policy.freshUntil(storedAt, value) - this.#policy.now());
  }

  #touch(key: string, entry: CacheEntry<Value>): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size > this.#policy.maxEntries)
      this.#entries.delete(oldest);
  }

  #reading(entry: CacheEntry<Value>, stale: boolean): CachedValue<Value> {
    const ageSeconds = Math.max(0, Math.floor((this.#policy.now() - entry.storedAt) / 1000));
    return {
      value: entry.value,
      cache: { hit: true, ageSeconds, stale },
      freshForMs: stale ? 0 : this.#freshForMs(entry),
    };
  }

  async #join(
    key: string,
    load: (signal: AbortSignal) => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    const flight = this.#flights.get(key) ?? this.#depart(key, load);
    const left = Promise.withResolvers<never>();
    const onAbort = () => {
      flight.passengers -= 1;
      if (flight.passengers === 0) {
        this.#land(key, flight);
        flight.controller.abort(signal.reason);
      }
      left.reject(signal.reason as Error);
    };
    flight.passengers += 1;
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([flight.value, left.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #depart(key: string, load: (signal: AbortSignal) => Promise<Value>): Flight<Value> {
    const controller = new AbortController();
    const value = load(controller.signal);
    const flight: Flight<Value> = { value, controller, passengers: 0 };
    this.#flights.set(key, flight);
    void this.#keep(key, flight);
    return flight;
  }

  async #keep(key: string, flight: Flight<Value>): Promise<void> {
    try {
      this.store(key, await flight.value);
    } catch {
      // Every reader gets the error.
    } finally {
      this.#land(key, flight);
    }
  }

  #land(key: string, flight: Flight<Value>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}

interface Flight<Value> {
  readonly value: Promise<Value>;
  readonly controller: AbortController;
  /** Number of waiting readers. */
  passengers: number;
}

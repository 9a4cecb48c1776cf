/** A map of limited size whose entries expire. Evicts the oldest entry when it is full. */
export class ExpiringMap<Value> {
  readonly #maxEntries: number;
  readonly #entries = new Map<string, { readonly value: Value; readonly untilMs: number }>();

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (Date.now() < entry.untilMs) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Stores a value until a time in milliseconds since 1970. Returns the value that was evicted. */
  set(key: string, value: Value, untilMs: number): Value | undefined {
    this.#entries.delete(key);
    const [oldest] = this.#entries;
    this.#entries.set(key, { value, untilMs });
    if (oldest === undefined) return undefined;
    const [oldestKey, entry] = oldest;
    const hasExpired = Date.now() >= entry.untilMs;
    if (!hasExpired && this.#entries.size <= this.#maxEntries) return undefined;
    this.#entries.delete(oldestKey);
    return hasExpired ? undefined : entry.value;
  }
}

import { MAX_TIMER_MS } from '../jsonrpc/bounded-waits.ts';

interface Entry {
  readonly key: string;
  readonly time: number;
  /** Position in the heap. */
  index: number;
}

/**
 * Calls back for each key at its time. One timer serves all keys and does not keep the process alive. Adding and deleting take
 * logarithmic time.
 */
export class ExpiryTimer {
  readonly #now: () => number;
  readonly #onExpired: (key: string) => void;
  readonly #entries = new Map<string, Entry>();
  /** A binary heap: no entry is due before its parent, whose index is half as large. */
  readonly #heap: Entry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Infinity;

  /** `now` returns milliseconds since 1970. */
  constructor(now: () => number, onExpired: (key: string) => void) {
    this.#now = now;
    this.#onExpired = onExpired;
  }

  /** Number of pending keys. */
  get size(): number {
    return this.#entries.size;
  }

  /** Sets the time of a key. `Infinity` never expires. */
  add(key: string, time: number): void {
    this.delete(key);
    if (time === Infinity) return;
    const entry = { key, time, index: this.#heap.length };
    this.#entries.set(key, entry);
    this.#heap.push(entry);
    this.#moveUp(entry);
    if (time < this.#firesAt) this.#set(time);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    const last = this.#heap.pop();
    if (last !== undefined && last !== entry) {
      this.#put(last, entry.index);
      this.#moveUp(last);
      this.#moveDown(last);
    }
    if (this.#entries.size === 0) this.#clear();
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#firesAt = Infinity;
  }

  #set(time: number): void {
    clearTimeout(this.#timer);
    this.#firesAt = time;
    const delay = Math.min(Math.max(time - this.#now(), 0), MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#fire();
    }, delay);
    this.#timer.unref();
  }

  #fire(): void {
    const now = this.#now();
    this.#firesAt = Infinity;
    let [first] = this.#heap;
    while (first !== undefined && first.time <= now) {
      this.delete(first.key);
      this.#onExpired(first.key);
      [first] = this.#heap;
    }
    if (first !== undefined) this.#set(first.time);
  }

  #put(entry: Entry, index: number): void {
    this.#heap[index] = entry;
    entry.index = index;
  }

  #moveUp(entry: Entry): void {
    const parent = this.#heap[(entry.index - 1) >> 1];
    if (entry.index === 0 || parent === undefined || parent.time <= entry.time) return;
    const { index } = parent;
    this.#put(parent, entry.index);
    this.#put(entry, index);
    this.#moveUp(entry);
  }

  #moveDown(entry: Entry): void {
    const left = this.#heap[entry.index * 2 + 1];
    const right = this.#heap[entry.index * 2 + 2];
    const child =
      right !== undefined && left !== undefined && right.time < left.time ? right : left;
    if (child === undefined || child.time >= entry.time) return;
    const { index } = child;
    this.#put(child, entry.index);
    this.#put(entry, index);
    this.#moveDown(entry);
  }
}

/** Keeps the `capacity` smallest of any number of items, in memory for at most twice as many. */
export class SmallestItems<Item> {
  readonly #capacity: number;
  readonly #compare: (left: Item, right: Item) => number;
  #items: Item[] = [];
  /** Whether an item is larger than `capacity` known items. */
  #isOut: (item: Item) => boolean = () => false;

  constructor(capacity: number, compare: (left: Item, right: Item) => number) {
    this.#capacity = capacity;
    this.#compare = compare;
  }

  add(item: Item): void {
    if (this.#capacity === 0 || this.#isOut(item)) return;
    this.#items.push(item);
    if (this.#items.length >= this.#capacity * 2 + 64) this.#shrink();
  }

  /** Returns at most `capacity` items, smallest first. */
  sorted(): Item[] {
    return this.#items.toSorted(this.#compare).slice(0, this.#capacity);
  }

  #shrink(): void {
    this.#items = this.sorted();
    const largest = this.#items.at(-1);
    if (largest !== undefined) this.#isOut = (item) => this.#compare(item, largest) >= 0;
  }
}

/** Compares strings by code point, the order of their UTF-8 bytes, which is that of Node's `readdir`. */
export function byCodePoint(left: string, right: string): number {
  if (left === right) return 0;
  // Code units have another order only for halves of characters and what comes after them.
  return highUnits.test(left) && highUnits.test(right)
    ? Buffer.compare(Buffer.from(left), Buffer.from(right))
    : left < right
      ? -1
      : 1;
}

const highUnits = /[\ud800-\uffff]/;

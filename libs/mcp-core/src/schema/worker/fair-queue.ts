/** A party that has jobs, such as a client. Objects are compared by identity. */
export type JobOwner = string | object;

/** A queue of several owners, who take turns: an owner with many items does not keep the others waiting. */
export class FairQueue<T> {
  /** In the order of their turns. */
  readonly #items = new Map<JobOwner, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of items of one owner. */
  sizeOf(owner: JobOwner): number {
    return this.#items.get(owner)?.length ?? 0;
  }

  push(owner: JobOwner, item: T): void {
    const items = this.#items.get(owner);
    if (items === undefined) this.#items.set(owner, [item]);
    else items.push(item);
    this.#size += 1;
  }

  /** Takes the oldest item of the owner whose turn it is. */
  shift(): T | undefined {
    const [next] = this.#items;
    if (next === undefined) return undefined;
    const [owner, items] = next;
    this.#items.delete(owner);
    const item = items.shift();
    this.#size -= 1;
    if (items.length > 0) this.#items.set(owner, items);
    return item;
  }

  /** Takes everything. */
  drain(): readonly T[] {
    const all = [...this.#items.values()].flat();
    this.#items.clear();
    this.#size = 0;
    return all;
  }
}

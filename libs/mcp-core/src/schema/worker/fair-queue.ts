/** An owner of jobs, such as a client. Objects are compared by identity. */
export type JobOwner = string | object;

/** A queue whose owners take turns, so that an owner with many items does not delay the others. */
export class FairQueue<T> {
  /** Items by owner, in the order of the owners' turns. */
  readonly #items = new Map<JobOwner, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the number of items of an owner. */
  sizeOf(owner: JobOwner): number {
    return this.#items.get(owner)?.length ?? 0;
  }

  push(owner: JobOwner, item: T): void {
    const items = this.#items.get(owner);
    if (items === undefined) this.#items.set(owner, [item]);
    else items.push(item);
    this.#size += 1;
  }

  /** Removes and returns the oldest item of the next owner. */
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

  /** Removes and returns all items. */
  drain(): readonly T[] {
    const all = [...this.#items.values()].flat();
    this.#items.clear();
    this.#size = 0;
    return all;
  }
}

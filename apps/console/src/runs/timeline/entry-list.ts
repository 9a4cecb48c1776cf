import type { Entry } from './entries.ts';

/** The rows of a timeline. Rows are replaced and never changed, so that unchanged rows need no new rendering. */
export class EntryList {
  readonly #entries: Entry[] = [];
  readonly #places = new Map<string, number>();
  /** Keys of the rows by event, sparse before the first event. */
  readonly #keys: string[] = [];

  /** A copy of the rows. */
  all(): readonly Entry[] {
    return [...this.#entries];
  }

  append(entry: Entry): void {
    this.#places.set(entry.key, this.#entries.push(entry) - 1);
    this.#keys[entry.seq] = entry.key;
  }

  /** Replaces a row after an event. Returns false without a row of this key. */
  change(key: string, seq: number, change: (entry: Entry) => Entry): boolean {
    const place = this.#places.get(key);
    const entry = place === undefined ? undefined : this.#entries[place];
    if (place === undefined || entry === undefined) return false;
    this.#entries[place] = { ...change(entry), lastSeq: Math.max(entry.lastSeq, seq) };
    this.#keys[seq] ??= key;
    return true;
  }

  /** Key of the row that shows an event, or the last row before it. */
  keyOf(seq: number): string | undefined {
    for (let place = Math.min(seq, this.#keys.length - 1); place >= 0; place -= 1) {
      const key = this.#keys[place];
      if (key !== undefined) return key;
    }
    return undefined;
  }
}

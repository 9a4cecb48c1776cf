import { byCodeUnit, SmallestItems } from './smallest-items.ts';

export interface MatchGroup {
  /** Relative to the searched directory; `.` is that directory itself. */
  readonly directory: string;
  readonly count: number;
}

/** Counts matches by the first `depth` directories of their paths; a match that lies less deep counts for the directory it is in. */
export class MatchGroups {
  readonly #depth: number;
  readonly #counts = new Map<string, number>();

  constructor(depth: number) {
    this.#depth = depth;
  }

  add(relativePath: string): void {
    const directory = relativePath.split('/').slice(0, -1).slice(0, this.#depth).join('/') || '.';
    this.#counts.set(directory, (this.#counts.get(directory) ?? 0) + 1);
  }

  /** How many directories have matches. */
  get size(): number {
    return this.#counts.size;
  }

  /** Largest first, then by name; at most `limit`. */
  largest(limit: number): MatchGroup[] {
    const largest = new SmallestItems<MatchGroup>(
      limit,
      (left, right) => right.count - left.count || byCodeUnit(left.directory, right.directory),
    );
    for (const [directory, count] of this.#counts) largest.add({ directory, count });
    return largest.sorted();
  }
}

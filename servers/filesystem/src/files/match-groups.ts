import { byCodePoint, SmallestItems } from './smallest-items.ts';

export interface MatchGroup {
  /** Path relative to the searched directory; `.` is that directory itself. */
  readonly directory: string;
  readonly count: number;
}

/**
 * Counts matches by the first `depth` directories of their paths; a match at a smaller depth counts
 * for its own directory.
 */
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

  /** Number of directories with matches. */
  get size(): number {
    return this.#counts.size;
  }

  /** Returns at most `limit` groups, largest first, then by name. */
  largest(limit: number): MatchGroup[] {
    const largest = new SmallestItems<MatchGroup>(
      limit,
      (left, right) => right.count - left.count || byCodePoint(left.directory, right.directory),
    );
    for (const [directory, count] of this.#counts) largest.add({ directory, count });
    return largest.sorted();
  }
}

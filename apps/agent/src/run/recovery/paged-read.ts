import { setImmediate as nextTurn } from 'node:timers/promises';

/** Entries of a page. */
const PAGE = 200;

/** Reads the entries after one of an earlier page. */
type ReadPage<T> = (options: {
  readonly after: T | undefined;
  readonly limit: number;
}) => Promise<readonly T[]>;

/**
 * Reads a list that can be too long for one sweep. Each sweep continues after the last page of the
 * sweep before it, so that entries that stay in the list keep no other entry waiting, and begins
 * again after the end of the list.
 */
export class PagedRead<T> {
  readonly #maxPages: number;
  #after: T | undefined;

  /** `maxPages` is the maximum number of pages of one sweep. */
  constructor(maxPages: number) {
    this.#maxPages = maxPages;
  }

  /** Returns the next pages. The event loop runs between two of them. */
  async *pages(read: ReadPage<T>): AsyncGenerator<readonly T[]> {
    for (let pages = 1; ; pages += 1) {
      const page = await read({ after: this.#after, limit: PAGE });
      this.#after = page.length < PAGE ? undefined : page.at(-1);
      yield page;
      if (this.#after === undefined || pages === this.#maxPages) return;
      await nextTurn();
    }
  }

  /** Makes the next sweep begin with the first page. */
  restart(): void {
    this.#after = undefined;
  }
}

import type { Metadata } from './metadata.ts';
import type { Page, PageOptions } from './page.ts';

/** A conversation of several runs. Times are milliseconds since the Unix epoch. */
export interface Thread {
  readonly id: string;
  readonly title: string | undefined;
  readonly metadata: Metadata;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Parts of a thread that a client sets. */
export type ThreadDetails = Pick<Thread, 'title' | 'metadata'>;

export interface ThreadReader {
  thread(id: string): Promise<Thread | undefined>;
  /** Returns threads newest first. */
  threads(
    options: PageOptions & {
      /** Entries that the thread's metadata must contain. */ readonly metadata?: Metadata;
    },
  ): Promise<Page<Thread>>;
}

export interface ThreadWriter {
  insertThread(thread: Thread): Promise<void>;
  /** Updates a thread. Returns whether it existed. */
  updateThread(
    id: string,
    patch: Partial<Pick<Thread, 'title' | 'metadata' | 'updatedAt'>>,
  ): Promise<boolean>;
  /** Deletes a thread and hides its runs, as `eraseDueRuns` does. Returns whether it existed. */
  deleteThread(id: string): Promise<boolean>;
}

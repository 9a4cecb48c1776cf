import type { Page, RunLimits } from './run-store.ts';

/** Words of the client about one of its things, by name. */
export type Metadata = { readonly [name: string]: string };

/** A conversation of runs. Times are milliseconds since the Unix epoch. */
export interface Thread {
  readonly id: string;
  readonly title: string | undefined;
  readonly metadata: Metadata;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A stored definition that runs begin with; each run keeps what it began with. */
export interface Agent {
  readonly id: string;
  readonly name: string;
  /** Added to the instructions of every run. */
  readonly instructions: string | undefined;
  readonly model: string | undefined;
  readonly servers: readonly string[] | undefined;
  readonly limits: Partial<RunLimits>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface PageOptions {
  readonly limit: number;
  /** Opaque; a bad one throws `InvalidCursorError`. */
  readonly cursor?: string;
}

export interface ThreadReader {
  thread(id: string): Promise<Thread | undefined>;
  /** Newest first. */
  threads(
    options: PageOptions & {
      /** Entries that the metadata of the thread must have, among others. */ readonly metadata?: Metadata;
    },
  ): Promise<Page<Thread>>;
  agent(id: string): Promise<Agent | undefined>;
  /** Newest first. */
  agents(options: PageOptions): Promise<Page<Agent>>;
}

export interface ThreadWriter {
  insertThread(thread: Thread): Promise<void>;
  /** Returns whether it was there. */
  updateThread(
    id: string,
    patch: Partial<Pick<Thread, 'title' | 'metadata' | 'updatedAt'>>,
  ): Promise<boolean>;
  /** Its runs go with it. Returns whether it was there. */
  deleteThread(id: string): Promise<boolean>;
  insertAgent(agent: Agent): Promise<void>;
  /** Returns whether it was there. */
  updateAgent(id: string, patch: Omit<Agent, 'id' | 'createdAt'>): Promise<boolean>;
  /** Returns whether it was there. */
  deleteAgent(id: string): Promise<boolean>;
}

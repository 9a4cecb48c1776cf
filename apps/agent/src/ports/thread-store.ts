import type { Metadata } from './metadata.ts';
import type { Page } from './store/page.ts';
import type { RunLimits } from './store/run.ts';

export type { Metadata } from './metadata.ts';

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

/** A stored agent definition. A run copies it when it is created. */
export interface Agent {
  readonly id: string;
  readonly name: string;
  /** Instructions in addition to the service's own. */
  readonly instructions: string | undefined;
  readonly model: string | undefined;
  readonly servers: readonly string[] | undefined;
  readonly limits: Partial<RunLimits>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Parts of an agent that a client sets. */
export type AgentDefinition = Omit<Agent, 'id' | 'createdAt' | 'updatedAt'>;

export interface PageOptions {
  readonly limit: number;
  /** Opaque cursor of an earlier page. An invalid cursor throws `InvalidCursorError`. */
  readonly cursor?: string;
}

export interface ThreadReader {
  thread(id: string): Promise<Thread | undefined>;
  /** Returns threads newest first. */
  threads(
    options: PageOptions & {
      /** Entries that the thread's metadata must contain. */ readonly metadata?: Metadata;
    },
  ): Promise<Page<Thread>>;
  agent(id: string): Promise<Agent | undefined>;
  /** Returns agents newest first. */
  agents(options: PageOptions): Promise<Page<Agent>>;
}

export interface ThreadWriter {
  insertThread(thread: Thread): Promise<void>;
  /** Updates a thread. Returns whether it existed. */
  updateThread(
    id: string,
    patch: Partial<Pick<Thread, 'title' | 'metadata' | 'updatedAt'>>,
  ): Promise<boolean>;
  /** Deletes a thread and its runs. Returns whether it existed. */
  deleteThread(id: string): Promise<boolean>;
  insertAgent(agent: Agent): Promise<void>;
  /** Updates an agent. Returns whether it existed. */
  updateAgent(id: string, patch: Omit<Agent, 'id' | 'createdAt'>): Promise<boolean>;
  /** Deletes an agent. Returns whether it existed. */
  deleteAgent(id: string): Promise<boolean>;
}

import type { DetailedTask, TaskStatus } from '../../protocol/tasks.ts';

/** A stored task: plain JSON, in the neutral model. */
export interface TaskRecord extends DetailedTask {
  /** The principal that may see it; absent when any client without a principal that knows its id may. */
  readonly principal?: string;
  /** Name of the called tool. */
  readonly toolName: string;
}

/** A page of the tasks of a principal. */
export interface TaskPage {
  readonly records: readonly TaskRecord[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * Stores tasks. The methods may be called concurrently; a write is visible to every later call once it has resolved. One server at a time writes to a
 * store. Records are stored and returned as a whole and never modified. `taskStoreContract` in `@signalbox/mcp-core/testing` tests this contract.
 */
export interface TaskStore {
  /** Stores a new record. Resolves when `get` finds it. @throws when the id exists */
  create(record: TaskRecord): Promise<void>;
  /** Returns a task, or `undefined` when there is none with this id. */
  get(taskId: string): Promise<TaskRecord | undefined>;
  /** Replaces the record atomically if it exists with the expected status. Resolves with whether it did. */
  update(record: TaskRecord, expected: TaskStatus): Promise<boolean>;
  /** Deletes a record if it exists. */
  delete(taskId: string): Promise<void>;
  /** Lists the tasks of one principal, oldest first. Resolves with `undefined` for an unknown cursor. */
  list(principal: string, cursor?: string): Promise<TaskPage | undefined>;
  /** Registers the listener for the ids of tasks that the store evicts. Called once. */
  onDropped?(listener: (taskId: string) => void): void;
  /** Iterates over all tasks in any order. Called once, before the first task of a server. */
  all(): AsyncIterable<TaskRecord>;
}

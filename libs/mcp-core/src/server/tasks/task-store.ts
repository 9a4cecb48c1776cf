import type { DetailedTask, TaskStatus } from '../../protocol/tasks.ts';

/** A task as it is stored: plain JSON, in the neutral model. */
export interface TaskRecord extends DetailedTask {
  /** Who may see it; without one, whoever knows its id and is not authenticated. */
  readonly principal?: string;
  /** The tool that was called. */
  readonly toolName: string;
}

export interface TaskPage {
  readonly records: readonly TaskRecord[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * Where tasks are kept. The methods may be called concurrently; what a method resolved for is seen by every later call. One server at a time writes to a
 * store. Records are stored and given back whole; what was given is never changed. `taskStoreContract` in `@signalbox/mcp-core/testing` says it as tests.
 */
export interface TaskStore {
  /** Resolves when `get` would find it. @throws when the id is taken. */
  create(record: TaskRecord): Promise<void>;
  get(taskId: string): Promise<TaskRecord | undefined>;
  /** Replaces the record if it exists with this status, atomically; else resolves with false and changes nothing. */
  update(record: TaskRecord, expected: TaskStatus): Promise<boolean>;
  /** Nothing when it does not exist. */
  delete(taskId: string): Promise<void>;
  /** The tasks of one principal, oldest first. `undefined` for a cursor that is none of this store's. */
  list(principal: string, cursor?: string): Promise<TaskPage | undefined>;
  /** Registers the listener that the store calls with the id of each task that it drops by itself, to make room. Called once. */
  onDropped?(listener: (taskId: string) => void): void;
  /** Every task of everybody, in any order; read once, before the first task of a server. */
  all(): AsyncIterable<TaskRecord>;
}

import { isEnded, type TaskStatus } from '../../protocol/tasks.ts';
import type { TaskPage, TaskRecord, TaskStore } from './task-store.ts';

/** Limits of an `InMemoryTaskStore`. */
export interface InMemoryTaskStoreOptions {
  /** Maximum number of tasks; default 10,000. Beyond it the oldest ended task is evicted. */
  readonly maxTasks?: number | undefined;
  /** Page size of `list`; default 100. */
  readonly pageSize?: number | undefined;
}

/** A task store in memory, which is lost when the process ends. */
export class InMemoryTaskStore implements TaskStore {
  readonly #records = new Map<string, TaskRecord>();
  readonly #maxTasks: number;
  readonly #pageSize: number;
  #onEvicted: ((taskId: string) => void) | undefined;

  constructor({ maxTasks = 10_000, pageSize = 100 }: InMemoryTaskStoreOptions = {}) {
    this.#maxTasks = maxTasks;
    this.#pageSize = pageSize;
  }

  create(record: TaskRecord): Promise<void> {
    if (this.#records.has(record.taskId))
      return Promise.reject(new Error(`Task ${record.taskId} exists`));
    if (this.#records.size >= this.#maxTasks) this.#evict();
    this.#records.set(record.taskId, record);
    return Promise.resolve();
  }

  get(taskId: string): Promise<TaskRecord | undefined> {
    return Promise.resolve(this.#records.get(taskId));
  }

  update(record: TaskRecord, expected: TaskStatus): Promise<boolean> {
    const isExpected = this.#records.get(record.taskId)?.status === expected;
    if (isExpected) this.#records.set(record.taskId, record);
    return Promise.resolve(isExpected);
  }

  delete(taskId: string): Promise<void> {
    this.#records.delete(taskId);
    return Promise.resolve();
  }

  /** Lists tasks; a cursor is the id of the last task before the page. */
  list(principal: string, cursor?: string): Promise<TaskPage | undefined> {
    const owned = [...this.#records.values()].filter((record) => record.principal === principal);
    const from = cursor === undefined ? 0 : owned.findIndex(({ taskId }) => taskId === cursor) + 1;
    if (cursor !== undefined && from === 0) return Promise.resolve(undefined);
    const records = owned.slice(from, from + this.#pageSize);
    const last = from + records.length < owned.length ? records.at(-1) : undefined;
    return Promise.resolve({ records, ...(last === undefined ? {} : { nextCursor: last.taskId }) });
  }

  onDropped(listener: (taskId: string) => void): void {
    this.#onEvicted = listener;
  }

  // oxlint-disable-next-line require-await -- the interface is for stores that wait
  async *all(): AsyncIterable<TaskRecord> {
    yield* this.#records.values();
  }

  #evict(): void {
    for (const { taskId, status } of this.#records.values()) {
      if (!isEnded(status)) continue;
      this.#records.delete(taskId);
      this.#onEvicted?.(taskId);
      return;
    }
  }
}

import { withinLimit } from '../../jsonrpc/bounded-waits.ts';
import { nodeCrypto } from '../../jsonrpc/node-crypto.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import { isEnded } from '../../protocol/tasks.ts';
import { ExpiryTimer } from '../expiry-timer.ts';
import { InMemoryTaskStore } from './in-memory-task-store.ts';
import { INTERRUPTED, RunningTask } from './running-task.ts';
import type { ServerTaskOptions } from './task-options.ts';
import type { TaskPage, TaskRecord, TaskStore } from './task-store.ts';

export interface NewTask {
  readonly principal: string | undefined;
  readonly toolName: string;
  readonly ttlMs: number | undefined;
}

const ID_BYTES = 24;
const HOUR_MS = 3_600_000;
/**
 * Milliseconds for storing the ends of tasks when the server stops. With the limits of a closing
 * connection this stays below the second in which a process must end.
 */
const STOP_LIMIT_MS = 500;

type TaskLimits = {
  readonly [K in Exclude<keyof ServerTaskOptions, 'store'>]-?: NonNullable<ServerTaskOptions[K]>;
};

/** The tasks of a server, of every revision. */
export class TaskEngine {
  readonly #store: TaskStore;
  readonly #options: TaskLimits;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<string, RunningTask>();
  readonly #listeners = new Set<(record: TaskRecord) => void>();
  readonly #expiry: ExpiryTimer;
  #recovery: Promise<void> | undefined;

  constructor(
    {
      store = new InMemoryTaskStore(),
      defaultTtlMs = HOUR_MS,
      maxTtlMs = 24 * HOUR_MS,
      pollIntervalMs = 1000,
      maxRunning = 1000,
      maxRunningPerPrincipal = 100,
      clock = Date.now,
    }: ServerTaskOptions,
    onError: (error: unknown) => void,
  ) {
    this.#store = store;
    this.#options = {
      defaultTtlMs,
      maxTtlMs,
      pollIntervalMs,
      maxRunning,
      maxRunningPerPrincipal,
      clock,
    };
    this.#onError = onError;
    this.#expiry = new ExpiryTimer(this.#options.clock, (taskId) => {
      void this.#expire(taskId);
    });
    store.onDropped?.((taskId) => {
      this.#expiry.delete(taskId);
    });
  }

  /** Creates a task. Resolves when clients can find it. @throws ProtocolError -32603 when too many run. */
  async start({ principal, toolName, ttlMs }: NewTask): Promise<RunningTask> {
    await this.#recovered();
    this.#checkLimits(principal);
    const now = this.#options.clock();
    const createdAt = new Date(now).toISOString();
    const record: TaskRecord = {
      taskId: nodeCrypto().randomBytes(ID_BYTES).toString('base64url'),
      status: 'working',
      createdAt,
      lastUpdatedAt: createdAt,
      ttlMs: this.#ttl(ttlMs),
      pollIntervalMs: this.#options.pollIntervalMs,
      ...(principal === undefined ? {} : { principal }),
      toolName,
    };
    const task = this.#run(record);
    try {
      await this.#store.create(record);
    } catch (error) {
      this.#running.delete(record.taskId);
      throw error;
    }
    this.#expiry.add(record.taskId, expiresAt(record));
    return task;
  }

  /** Finds a task. @throws ProtocolError -32602 for a task that this principal cannot see. */
  async find(taskId: string, principal: string | undefined): Promise<TaskRecord> {
    await this.#recovered();
    const running = this.#running.get(taskId);
    const record = running === undefined ? await this.#store.get(taskId) : await settled(running);
    if (record === undefined || record.principal !== principal)
      throw new ProtocolError(ErrorCode.invalidParams, 'Unknown task');
    if (expiresAt(record) <= this.#options.clock())
      throw new ProtocolError(ErrorCode.invalidParams, 'The task has expired');
    return record;
  }

  /** Finds a task that runs in this process; `undefined` when it has ended. @throws ProtocolError -32602 */
  async findRunning(
    taskId: string,
    principal: string | undefined,
  ): Promise<RunningTask | undefined> {
    const { status } = await this.find(taskId, principal);
    return isEnded(status) ? undefined : this.#running.get(taskId);
  }

  /** @throws ProtocolError -32602 for an unknown cursor. */
  async list(principal: string, cursor: string | undefined): Promise<TaskPage> {
    await this.#recovered();
    const page = await this.#store.list(principal, cursor);
    if (page === undefined)
      throw new ProtocolError(ErrorCode.invalidParams, 'Invalid params: unknown cursor');
    const now = this.#options.clock();
    const records = page.records.map(
      (record) => this.#running.get(record.taskId)?.record ?? record,
    );
    return { ...page, records: records.filter((record) => expiresAt(record) > now) };
  }

  /**
   * Aborts every handler and ends its task as failed. Resolves when that is stored, or after 500 ms; a task whose end is not stored by then is reported,
   * and is marked as failed when the store is opened again.
   */
  async stop(): Promise<void> {
    const running = [...this.#running.values()];
    for (const task of running) task.interrupt();
    const stored = await withinLimit(Promise.all(running.map(({ ended }) => ended)), STOP_LIMIT_MS);
    if (stored !== undefined) return;
    this.#onError(
      new Error(
        `The task store did not store the end of ${running.length} running tasks within ${STOP_LIMIT_MS} ms`,
      ),
    );
  }

  /** Adds a listener for changes of a status or of the open input requests. Returns the function that removes it. */
  listen(listener: (record: TaskRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #run(record: TaskRecord): RunningTask {
    const task = new RunningTask(record, {
      store: this.#store,
      now: this.#options.clock,
      onChanged: (changed) => {
        for (const listener of this.#listeners) listener(changed);
      },
      onEnded: (isStored) => {
        // A task whose end could not be stored stays in memory until it expires.
        if (isStored) this.#running.delete(record.taskId);
      },
      onError: this.#onError,
    });
    this.#running.set(record.taskId, task);
    return task;
  }

  #checkLimits(principal: string | undefined): void {
    const running = [...this.#running.values()].filter(({ record }) => !isEnded(record.status));
    if (running.length >= this.#options.maxRunning)
      throw new ProtocolError(
        ErrorCode.internalError,
        'Too many tasks are running; try again later',
      );
    const own = running.filter(({ record }) => record.principal === principal).length;
    if (own < this.#options.maxRunningPerPrincipal) return;
    throw new ProtocolError(
      ErrorCode.internalError,
      `You have ${own} running tasks; wait for a task to end or cancel one`,
    );
  }

  #ttl(wanted = this.#options.defaultTtlMs): number | null {
    const ttlMs = Math.ceil(Math.min(Math.max(wanted, 0), this.#options.maxTtlMs));
    return Number.isFinite(ttlMs) ? ttlMs : null;
  }

  /** Marks the tasks that ran when the last process ended as failed, once. */
  #recovered(): Promise<void> {
    this.#recovery ??= this.#recover().catch((error: unknown) => {
      this.#recovery = undefined;
      throw error;
    });
    return this.#recovery;
  }

  async #recover(): Promise<void> {
    for await (const record of this.#store.all()) {
      this.#expiry.add(record.taskId, expiresAt(record));
      if (!isEnded(record.status))
        await this.#store.update(this.#interrupted(record), record.status);
    }
  }

  #interrupted({ inputRequests: _open, ...record }: TaskRecord): TaskRecord {
    return {
      ...record,
      status: 'failed',
      ...INTERRUPTED,
      lastUpdatedAt: new Date(this.#options.clock()).toISOString(),
    };
  }

  async #expire(taskId: string): Promise<void> {
    const running = this.#running.get(taskId);
    running?.expire();
    await running?.ended;
    this.#running.delete(taskId);
    await this.#store.delete(taskId).catch(this.#onError);
  }
}

/** Returns the state of a task; an end only when it is stored. */
function settled(task: RunningTask): TaskRecord | Promise<TaskRecord> {
  return isEnded(task.record.status) ? task.ended : task.record;
}

function expiresAt({ createdAt, ttlMs }: TaskRecord): number {
  return ttlMs === null ? Infinity : Date.parse(createdAt) + ttlMs;
}

import { ToolError } from '@signalbox/mcp-core';
import { ExecutorProcess, type ExecutorEnd } from './executor-process.ts';
import type {
  ExecutorReply,
  ExecutorRequest,
  OperationName,
  Operations,
} from './executor/protocol.ts';
import type { SqliteLimits } from './limits.ts';

export interface ExecutorPoolOptions {
  /** Path of the database file. */
  readonly path: string;
  readonly limits: SqliteLimits;
  /** Called with a line for each query process that ended by itself. */
  readonly onCrash?: (message: string) => void;
}

interface Task {
  readonly request: ExecutorRequest;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Removes the listener from the caller's signal. */
  readonly release: () => void;
}

interface Slot {
  readonly process: ExecutorProcess;
  isReady: boolean;
  task: Task | undefined;
  timer: NodeJS.Timeout | undefined;
}

const MAX_PROCESSES = 2;
const MAX_WAITING = 100;
const START_TIMEOUT_MS = 10_000;
const SPARE_AFTER_MS = 100;

/**
 * Runs operations in query processes. Keeps one process warm, and starts a second while a query
 * keeps the first busy. Kills the process of a query that exceeds its deadline or memory limit or
 * is cancelled; waiting queries are not affected.
 */
export class ExecutorPool {
  readonly #options: ExecutorPoolOptions;
  readonly #slots = new Set<Slot>();
  readonly #waiting: Task[] = [];
  #spareTimer: NodeJS.Timeout | undefined;
  #nextId = 1;
  #isClosed = false;

  constructor(options: ExecutorPoolOptions) {
    this.#options = options;
  }

  /** Starts the warm process before the first operation. */
  warm(): void {
    if (this.#slots.size === 0 && !this.#isClosed) this.#start();
  }

  /** Ids of the query processes. */
  get pids(): number[] {
    return [...this.#slots].map((slot) => slot.process.pid).filter((pid) => pid !== undefined);
  }

  /** @throws ToolError with a message for the model, for each way in which the operation can fail. */
  run<Name extends OperationName>(
    operation: Name,
    input: Operations[Name]['input'],
    signal: AbortSignal,
  ): Promise<Operations[Name]['output']> {
    if (this.#isClosed) return Promise.reject(new ToolError('The server is shutting down.'));
    if (signal.aborted) return Promise.reject(cancelled(signal));
    if (this.#waiting.length >= MAX_WAITING)
      return Promise.reject(
        new ToolError(`Too many queries wait already (${MAX_WAITING}); try again later.`),
      );
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#cancel(task, cancelled(signal));
      };
      const task: Task = {
        // Name and input come from the same entry of Operations, as in each member of the union.
        request: { id: this.#nextId, operation, input } as ExecutorRequest,
        resolve: resolve as (output: unknown) => void, // The query process answers an operation with its output.
        reject,
        release: () => {
          signal.removeEventListener('abort', onAbort);
        },
      };
      this.#nextId = (this.#nextId % 0x7fff_ffff) + 1;
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(task);
      this.#dispatch();
    });
  }

  /** Rejects all running and waiting operations; resolves when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#spareTimer);
    const closing = new ToolError('The server is shutting down.');
    for (const task of this.#waiting.splice(0)) fail(task, closing);
    await Promise.all([...this.#slots].map((slot) => this.#stop(slot, closing)));
  }

  #dispatch(): void {
    for (const slot of this.#slots) {
      if (slot.isReady && slot.task === undefined) this.#assign(slot);
    }
    if (this.#waiting.length === 0) {
      this.#retireSpare();
    } else if (this.#slots.size === 0) {
      this.#start();
    } else if (this.#slots.size < MAX_PROCESSES) {
      this.#spareTimer ??= setTimeout(() => {
        this.#spareTimer = undefined;
        if (this.#waiting.length > 0 && this.#slots.size < MAX_PROCESSES) this.#start();
      }, SPARE_AFTER_MS);
    }
  }

  #assign(slot: Slot): void {
    const task = this.#waiting.shift();
    if (task === undefined) return;
    const { timeoutMs } = this.#options.limits;
    slot.task = task;
    slot.timer = setTimeout(() => {
      const advice =
        'Add a LIMIT or a WHERE on an indexed column, or ask for less at once; EXPLAIN QUERY PLAN shows full scans.';
      this.#replace(
        slot,
        new ToolError(`The query was stopped after ${timeoutMs} ms, its time limit. ${advice}`),
      );
    }, timeoutMs);
    slot.process.send(task.request);
  }

  #start(): void {
    const { path, limits } = this.#options;
    const busyTimeoutMs = Math.min(limits.busyTimeoutMs, Math.floor(limits.timeoutMs * 0.8));
    const configuration = { ...limits, path, busyTimeoutMs, parentPid: process.pid };
    const slot: Slot = {
      isReady: false,
      task: undefined,
      timer: undefined,
      process: new ExecutorProcess(configuration, {
        ready: () => {
          clearTimeout(slot.timer);
          slot.isReady = true;
          this.#dispatch();
        },
        reply: (reply) => {
          this.#settle(slot, reply);
        },
        ended: (end) => {
          this.#forget(slot, end);
        },
      }),
    };
    slot.timer = setTimeout(() => void slot.process.kill('ended'), START_TIMEOUT_MS);
    this.#slots.add(slot);
  }

  #settle(slot: Slot, reply: Exclude<ExecutorReply, { kind: 'ready' }>): void {
    const { task } = slot;
    if (task === undefined || task.request.id !== reply.id) {
      void slot.process.kill('bad-reply');
      return;
    }
    clearTimeout(slot.timer);
    slot.task = undefined;
    task.release();
    if (reply.kind === 'result') task.resolve(reply.output);
    else task.reject(new ToolError(reply.message));
    this.#dispatch();
  }

  #cancel(task: Task, reason: Error): void {
    const index = this.#waiting.indexOf(task);
    if (index !== -1) {
      this.#waiting.splice(index, 1);
      fail(task, reason);
      return;
    }
    const slot = [...this.#slots].find((candidate) => candidate.task === task);
    if (slot !== undefined) this.#replace(slot, reason);
  }

  /** Kills the process of a query, and starts another one. */
  #replace(slot: Slot, reason: Error): void {
    void this.#stop(slot, reason);
    if (this.#slots.size === 0) this.#start();
    this.#dispatch();
  }

  async #stop(slot: Slot, reason: Error): Promise<void> {
    const { task } = slot;
    slot.task = undefined;
    clearTimeout(slot.timer);
    this.#slots.delete(slot);
    const gone = slot.process.kill();
    if (task !== undefined) fail(task, reason);
    await gone;
  }

  #retireSpare(): void {
    const idle = [...this.#slots].filter((slot) => slot.isReady && slot.task === undefined);
    for (const slot of idle.slice(1)) void this.#stop(slot, new Error('idle'));
  }

  /**
   * Handles a process that ended by itself: its query fails. When no process can be started, the
   * oldest waiting query fails.
   */
  #forget(slot: Slot, end: ExecutorEnd): void {
    clearTimeout(slot.timer);
    if (!this.#slots.delete(slot)) return;
    const isHopeless = !slot.isReady && this.#slots.size === 0;
    const task = slot.task ?? (isHopeless ? this.#waiting.shift() : undefined);
    if (task !== undefined) fail(task, this.#describeEnd(slot, end));
    this.#options.onCrash?.(
      `query process ${slot.process.pid ?? ''} ended: ${end.reason}; ${end.detail}`,
    );
    if (!this.#isClosed) this.#dispatch();
  }

  #describeEnd(slot: Slot, end: ExecutorEnd): ToolError {
    const cause = new Error(end.detail);
    const { maxMemoryMb } = this.#options.limits;
    if (end.reason === 'memory-limit') {
      return new ToolError(
        `The query was stopped because it needed more than ${maxMemoryMb} MB, its memory limit. Sort, group or join fewer rows.`,
        { cause },
      );
    }
    if (!slot.isReady)
      return new ToolError('The query process could not be started; the server log says why.', {
        cause,
      });
    return new ToolError(
      'The query process ended unexpectedly. The database is unharmed; the query can be tried again.',
      { cause },
    );
  }
}

function fail(task: Task, error: Error): void {
  task.release();
  task.reject(error);
}

function cancelled(signal: AbortSignal): ToolError {
  return new ToolError('The query was cancelled.', { cause: signal.reason });
}

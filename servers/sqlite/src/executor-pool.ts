import { ToolError } from '@signalbox/mcp-core';
import { ChunkExchange, type ChunkStreams } from './chunk-exchange.ts';
import {
  cancelled,
  ended,
  shuttingDown,
  timedOut,
  type OperationPhase,
} from './executor-failures.ts';
import { ExecutorProcess, type ExecutorEnd } from './executor-process.ts';
import type { ExecutorMessage, ExecutorReply, ExecutorRequest } from './executor/messages.ts';
import type { ReadOperations, WriteOperations } from './executor/protocol.ts';
import type { SqliteLimits } from './limits.ts';

export interface ExecutorPoolOptions {
  /** Path of the database file. */
  readonly path: string;
  readonly limits: SqliteLimits;
  /** Whether the process of this pool writes, one operation at a time; default false. */
  readonly isWriter?: boolean;
  /**
   * Completes the rollback of a killed write, which a read-only connection cannot do. A read that
   * finds one is repeated once after it.
   */
  readonly recover?: () => Promise<unknown>;
  /** Milliseconds without queries after which the second reading process ends; default 60000. */
  readonly spareIdleMs?: number;
  /** Called with a line for each query process that ended by itself. */
  readonly onCrash?: (message: string) => void;
  /** Path of the program of the query processes; default the executor with all operations. */
  readonly program?: string;
}

/** The pools of the two kinds of operations. */
export type ReaderPool = ExecutorPool;
export type WriterPool = ExecutorPool<WriteOperations>;

interface Task {
  readonly request: ExecutorRequest;
  readonly exchange: ChunkExchange;
  readonly totalTimeoutMs: number | undefined;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Removes the listener from the caller's signal. */
  readonly release: () => void;
  phase: OperationPhase;
  isRepeated: boolean;
  isSettled: boolean;
}

interface Slot {
  readonly process: ExecutorProcess;
  isReady: boolean;
  isStopping: boolean;
  task: Task | undefined;
  timer: NodeJS.Timeout | undefined;
  totalTimer: NodeJS.Timeout | undefined;
}

const MAX_READERS = 2;
const MAX_WAITING = 100;
const START_TIMEOUT_MS = 10_000;
const SPARE_AFTER_MS = 100;
const SPARE_IDLE_MS = 60_000;
/** Time that a commit gets beyond the deadline; less than the watchdog allows. */
const COMMIT_GRACE_MS = 1500;
/** Time in which an idle writer may close its connection. */
const CLOSE_GRACE_MS = 500;
const NEEDS_RECOVERY = /^SQLITE_READONLY_(?:ROLLBACK|RECOVERY)$/;

/**
 * Runs operations in query processes, in the order of their arrival. Readers: keeps one process warm,
 * and while there are queries a second one, so that a long query delays no other. Writer: one process, started by the first
 * write. Kills the process of an operation that exceeds its deadline or memory limit or is cancelled;
 * waiting operations are not affected.
 */
export class ExecutorPool<
  Operations extends {
    readonly [Name in keyof Operations]: { readonly input: unknown; readonly output: unknown };
  } = ReadOperations,
> {
  readonly #options: ExecutorPoolOptions;
  readonly #isWriter: boolean;
  readonly #slots = new Set<Slot>();
  readonly #waiting: Task[] = [];
  #spareTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #nextId = 1;
  #isClosed = false;

  constructor(options: ExecutorPoolOptions) {
    this.#options = options;
    this.#isWriter = options.isWriter ?? false;
  }

  /** Starts the warm process before the first operation. */
  warm(): void {
    if (this.#slots.size === 0 && !this.#isClosed) this.#start();
  }

  /** Ids of the query processes. */
  get pids(): number[] {
    return [...this.#slots].map((slot) => slot.process.pid).filter((pid) => pid !== undefined);
  }

  /**
   * Runs an operation. Its chunks, if it has any, are exchanged through `streams`.
   * @throws ToolError with a message for the model, for each way in which the operation can fail, and the error of a source or sink.
   */
  run<Name extends keyof Operations & string>(
    operation: Name,
    input: Operations[Name]['input'],
    signal: AbortSignal,
    streams: ChunkStreams = {},
  ): Promise<Operations[Name]['output']> {
    const phase = this.#isWriter ? 'writing' : 'reading';
    if (this.#isClosed) return Promise.reject(shuttingDown(phase));
    if (signal.aborted) return Promise.reject(cancelled(phase, signal.reason));
    if (this.#waiting.length >= MAX_WAITING)
      return Promise.reject(
        new ToolError(
          `Too many ${this.#isWriter ? 'writes' : 'queries'} wait already (${MAX_WAITING}); try again later.`,
        ),
      );
    return new Promise((resolve, reject) => {
      const id = this.#nextId;
      const onAbort = (): void => {
        this.#cancel(task, signal.reason);
      };
      const exchange = new ChunkExchange(id, streams);
      const task: Task = {
        request: { kind: 'request', id, operation, input },
        exchange,
        totalTimeoutMs: streams.totalTimeoutMs,
        resolve,
        reject,
        release: () => {
          signal.removeEventListener('abort', onAbort);
          exchange.close();
        },
        phase,
        isRepeated: false,
        isSettled: false,
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
    clearTimeout(this.#idleTimer);
    for (const task of this.#waiting.splice(0)) fail(task, shuttingDown(task.phase));
    await Promise.all([...this.#slots].map((slot) => this.#stop(slot, shuttingDown)));
  }

  #dispatch(): void {
    for (const slot of this.#slots) {
      if (slot.isReady && !slot.isStopping && slot.task === undefined) this.#assign(slot);
    }
    if (this.#waiting.length > 0 && this.#slots.size === 0) this.#start();
  }

  #assign(slot: Slot): void {
    const task = this.#waiting.shift();
    if (task === undefined) return;
    slot.task = task;
    this.#keepSpare();
    this.#limitStep(slot);
    const { totalTimeoutMs } = task;
    if (totalTimeoutMs !== undefined)
      slot.totalTimer = setTimeout(() => {
        this.#expire(slot, totalTimeoutMs);
      }, totalTimeoutMs);
    slot.process.send(task.request);
  }

  /** Starts the time limit of the next step of the slot's operation. */
  #limitStep(slot: Slot): void {
    const { timeoutMs } = this.#options.limits;
    clearTimeout(slot.timer);
    slot.timer = setTimeout(() => {
      this.#expire(slot, timeoutMs);
    }, timeoutMs);
  }

  /** Stops an operation at its deadline; a commit gets a little longer. */
  #expire(slot: Slot, timeoutMs: number): void {
    const stop = () => void this.#replace(slot, (phase) => timedOut(phase, timeoutMs));
    if (slot.task?.phase !== 'committing') return stop();
    clearTimeout(slot.timer);
    slot.timer = setTimeout(stop, COMMIT_GRACE_MS);
  }

  #start(): void {
    const { path, limits } = this.#options;
    const busyTimeoutMs = Math.min(limits.busyTimeoutMs, Math.floor(limits.timeoutMs * 0.8));
    const isWriter = this.#isWriter;
    const configuration = { ...limits, path, busyTimeoutMs, parentPid: process.pid, isWriter };
    const listener = {
      ready: () => {
        clearTimeout(slot.timer);
        slot.isReady = true;
        this.#dispatch();
      },
      message: (message: Exclude<ExecutorMessage, { kind: 'ready' }>) => {
        this.#receive(slot, message);
      },
      ended: (end: ExecutorEnd) => {
        this.#forget(slot, end);
      },
    };
    const slot: Slot = {
      isReady: false,
      isStopping: false,
      task: undefined,
      timer: undefined,
      totalTimer: undefined,
      process: new ExecutorProcess(configuration, listener, this.#options.program),
    };
    slot.timer = setTimeout(() => void slot.process.kill('ended'), START_TIMEOUT_MS);
    this.#slots.add(slot);
  }

  #receive(slot: Slot, message: Exclude<ExecutorMessage, { kind: 'ready' }>): void {
    const { task } = slot;
    if (task === undefined || task.request.id !== message.id) {
      if (!slot.isStopping) void slot.process.kill('bad-reply');
      return;
    }
    switch (message.kind) {
      case 'committing':
        task.phase = 'committing';
        return;
      case 'pull':
      case 'chunk':
        clearTimeout(slot.timer);
        void this.#exchange(slot, task, message);
        return;
      default:
        this.#settle(slot, task, message);
    }
  }

  async #exchange(
    slot: Slot,
    task: Task,
    message: Extract<ExecutorMessage, { kind: 'pull' | 'chunk' }>,
  ): Promise<void> {
    const answer = await task.exchange.answer(message);
    if (slot.task !== task || slot.isStopping) return;
    this.#limitStep(slot);
    slot.process.send(answer);
  }

  #settle(slot: Slot, task: Task, reply: ExecutorReply): void {
    release(slot);
    if (reply.kind === 'failure' && this.#repeats(task, reply)) return;
    if (reply.kind === 'failure')
      fail(task, task.exchange.failure?.error ?? new ToolError(reply.message));
    else {
      task.isSettled = true;
      task.release();
      task.resolve(reply.output);
    }
    this.#dispatch();
  }

  /** Repeats a read after the rollback of a killed write. Returns whether it does. */
  #repeats(task: Task, { code = '' }: { readonly code?: string }): boolean {
    const { recover } = this.#options;
    if (recover === undefined || task.isRepeated || !NEEDS_RECOVERY.test(code)) return false;
    task.isRepeated = true;
    const repeat = () => {
      if (task.isSettled) return;
      if (this.#isClosed) return fail(task, shuttingDown(task.phase));
      this.#waiting.unshift(task);
      this.#dispatch();
    };
    recover().then(repeat, repeat);
    return true;
  }

  #cancel(task: Task, reason: unknown): void {
    const index = this.#waiting.indexOf(task);
    if (index !== -1) this.#waiting.splice(index, 1);
    const slot = [...this.#slots].find((candidate) => candidate.task === task);
    if (slot === undefined || task.phase === 'committing')
      fail(task, cancelled(task.phase, reason));
    else void this.#replace(slot, (phase) => cancelled(phase, reason));
  }

  /** Kills the process of an operation, and starts another one. */
  async #replace(slot: Slot, reason: (phase: OperationPhase) => Error): Promise<void> {
    const stopped = this.#stop(slot, reason);
    if (this.#isWriter) await stopped;
    if (this.#isClosed) return;
    if (this.#slots.size === 0) this.#start();
    this.#dispatch();
  }

  /**
   * Kills a process. A read fails at once. A write fails when the process has ended, because the
   * messages that it sent before tell whether the commit had begun.
   */
  async #stop(slot: Slot, reason: (phase: OperationPhase) => Error): Promise<void> {
    slot.isStopping = true;
    const failTask = () => {
      const { task } = slot;
      release(slot);
      this.#slots.delete(slot);
      if (task !== undefined) fail(task, reason(task.phase));
    };
    clearTimeout(slot.timer);
    const isIdleWriter = this.#isWriter && slot.isReady && slot.task === undefined;
    const gone = isIdleWriter ? slot.process.end(CLOSE_GRACE_MS) : slot.process.kill();
    if (!this.#isWriter) failTask();
    await gone;
    failTask();
  }

  /** Starts a second process soon after the first query, and ends it when there are no queries for a while. */
  #keepSpare(): void {
    if (this.#isWriter) return;
    this.#idleTimer ??= setTimeout(() => {
      this.#retireSpare();
    }, this.#options.spareIdleMs ?? SPARE_IDLE_MS);
    this.#idleTimer.refresh();
    if (this.#slots.size >= MAX_READERS) return;
    this.#spareTimer ??= setTimeout(() => {
      this.#spareTimer = undefined;
      if (this.#slots.size < MAX_READERS) this.#start();
    }, SPARE_AFTER_MS);
  }

  #retireSpare(): void {
    const idle = [...this.#slots].filter((slot) => slot.isReady && slot.task === undefined);
    for (const slot of idle.slice(1)) void this.#stop(slot, shuttingDown);
  }

  /**
   * Handles a process that ended by itself: its operation fails. When no process can be started, the
   * oldest waiting operation fails.
   */
  #forget(slot: Slot, end: ExecutorEnd): void {
    if (slot.isStopping || !this.#slots.delete(slot)) return;
    const running = slot.task;
    release(slot);
    const isHopeless = !slot.isReady && this.#slots.size === 0;
    const task = running ?? (isHopeless ? this.#waiting.shift() : undefined);
    const { maxMemoryMb } = this.#options.limits;
    if (task !== undefined)
      fail(task, ended(task.phase, end, { isReady: slot.isReady, maxMemoryMb }));
    this.#options.onCrash?.(
      `query process ${slot.process.pid ?? ''} ended: ${end.reason}; ${end.detail}`,
    );
    if (!this.#isClosed) this.#dispatch();
  }
}

/** Frees the slot of its task. */
function release(slot: Slot): void {
  clearTimeout(slot.timer);
  clearTimeout(slot.totalTimer);
  slot.task = undefined;
}

function fail(task: Task, error: unknown): void {
  task.isSettled = true;
  task.release();
  task.reject(error);
}

import type { ExecutorProcess } from './executor-process.ts';
import type { ExecutorTask } from './executor-task.ts';

/** Most requests that a process has received and not answered. */
const MAX_SENT = 8;
/** Time after which an operation no longer holds up the requests that were sent after it. */
const STALL_MS = 20;
/** Time after which an operation is stopped for whose result nobody waits. */
const ABANDONED_MS = 200;

export interface SlotListener {
  /** Called when the step of an operation exceeds its time. */
  readonly expired: (timeoutMs: number) => void;
  /**
   * Called every 20 ms while an operation runs longer, and other requests wait behind it or nobody
   * waits for its result.
   */
  readonly stalled: () => void;
}

/**
 * A query process with the requests that were sent to it. It answers them in order, so that the first
 * is the operation that runs.
 */
export class ExecutorSlot {
  readonly process: ExecutorProcess;
  isReady = false;
  isStopping = false;
  readonly #listener: SlotListener;
  readonly #timeoutMs: number;
  #sent: ExecutorTask[] = [];
  #begunMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #totalTimer: NodeJS.Timeout | undefined;
  #stallTimer: NodeJS.Timeout | undefined;

  constructor(process: ExecutorProcess, timeoutMs: number, listener: SlotListener) {
    this.process = process;
    this.#timeoutMs = timeoutMs;
    this.#listener = listener;
  }

  /** The operation that runs. */
  get task(): ExecutorTask | undefined {
    return this.#sent[0];
  }

  /** The requests that wait in the process, without settled ones. */
  get queued(): readonly ExecutorTask[] {
    return this.#sent.slice(1).filter((task) => !task.isSettled);
  }

  get load(): number {
    return this.#sent.length;
  }

  get isStalled(): boolean {
    return this.#hasRun(STALL_MS);
  }

  /** Whether nobody waits any longer for the operation, which has run for 200 ms. */
  get isAbandoned(): boolean {
    return this.task?.isSettled === true && this.#hasRun(ABANDONED_MS);
  }

  /** Milliseconds that the operation has left before its time limit. */
  get leftMs(): number {
    return Math.max(0, this.#timeoutMs - (performance.now() - this.#begunMs));
  }

  /** Whether a request can be sent now. */
  accepts(task: ExecutorTask): boolean {
    if (!this.isReady || this.isStopping) return false;
    const { length } = this.#sent;
    if (length === 0) return true;
    const isShared = task.isShared && this.#sent[0]?.isShared === true;
    return isShared && length < MAX_SENT && !this.isStalled;
  }

  has(task: ExecutorTask): boolean {
    return this.#sent.includes(task);
  }

  send(task: ExecutorTask): void {
    this.#sent.push(task);
    if (this.#sent.length === 1) this.#begin(task);
    else this.watch();
    this.process.send(task.request);
  }

  /** Removes the operation that runs, after its end. */
  finish(): void {
    this.#sent.shift();
    this.#stopTimers();
    const [next] = this.#sent;
    if (next !== undefined) this.#begin(next);
  }

  /** Removes and returns all requests, the running operation first. */
  clear(): readonly ExecutorTask[] {
    const tasks = this.#sent;
    this.#sent = [];
    this.#stopTimers();
    clearTimeout(this.#stallTimer);
    return tasks;
  }

  /** Sets the time limit of the next step of the operation, or of a start. */
  limitStep(timeoutMs = this.#timeoutMs): void {
    this.suspendLimit();
    this.#timer = setTimeout(() => {
      this.#listener.expired(this.#timeoutMs);
    }, timeoutMs);
  }

  /** Calls `expired` later, unless the operation ends before. */
  extendStep(ms: number, expired: () => void): void {
    this.suspendLimit();
    this.#timer = setTimeout(expired, ms);
  }

  /** Removes the time limit of the step until the next one. */
  suspendLimit(): void {
    clearTimeout(this.#timer);
  }

  #begin(task: ExecutorTask): void {
    this.#begunMs = performance.now();
    this.limitStep(task.leftMs);
    const { totalTimeoutMs } = task;
    if (totalTimeoutMs !== undefined)
      this.#totalTimer = setTimeout(() => {
        this.#listener.expired(totalTimeoutMs);
      }, totalTimeoutMs);
    if (this.#sent.length > 1 || task.isSettled) this.watch();
  }

  /** Calls `stalled` while that is needed. */
  watch(): void {
    this.#stallTimer ??= setTimeout(() => {
      this.#stallTimer = undefined;
      const isLate = this.isStalled;
      if (isLate) this.#listener.stalled();
      const { length } = this.#sent;
      if (length > 1 || this.task?.isSettled === true || (length > 0 && !isLate)) this.watch();
    }, STALL_MS);
  }

  #hasRun(ms: number): boolean {
    return this.#sent.length > 0 && performance.now() - this.#begunMs >= ms;
  }

  #stopTimers(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#totalTimer);
    this.#totalTimer = undefined;
  }
}

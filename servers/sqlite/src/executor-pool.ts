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
import { ExecutorSlot } from './executor-slot.ts';
import { fail, saveMemory, succeed, type ExecutorTask } from './executor-task.ts';
import type { ExecutorMessage, ExecutorReply } from './executor/messages.ts';
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
  /** Milliseconds between the first query and the start of the second reading process; default 0. */
  readonly spareAfterMs?: number;
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

/** Number of reading processes while there are queries. */
const WARM_READERS = 2;
/** Maximum number of reading processes; the third and the fourth start while long queries keep the others busy. */
const MAX_READERS = 4;
const MAX_WAITING = 100;
const START_TIMEOUT_MS = 10_000;
const SPARE_IDLE_MS = 60_000;
/** Time that a commit gets beyond the deadline; less than the watchdog allows. */
const COMMIT_GRACE_MS = 1500;
/** Time in which an idle writer may close its connection. */
const CLOSE_GRACE_MS = 500;
const NO_STREAMS: ChunkStreams = {};
const NEEDS_RECOVERY = /^SQLITE_READONLY_(?:ROLLBACK|RECOVERY)$/;

/**
 * Runs operations in query processes, in the order of their arrival. Readers: keeps one process warm,
 * and from the first query on a second one, so that a long query delays no other. A process receives
 * several requests at once; those behind an operation of more than 20 ms move to another process, of
 * which up to two more are started when all are busy that long.
 * Writer: one process, started by the first write, with one operation at a time. Kills the process of
 * an operation that exceeds its deadline or memory limit or is cancelled; the operations behind it are
 * sent to another process.
 */
export class ExecutorPool<
  Operations extends {
    readonly [Name in keyof Operations]: { readonly input: unknown; readonly output: unknown };
  } = ReadOperations,
> {
  readonly #options: ExecutorPoolOptions;
  readonly #isWriter: boolean;
  readonly #slots = new Set<ExecutorSlot>();
  readonly #waiting: ExecutorTask[] = [];
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
    streams: ChunkStreams = NO_STREAMS,
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
      const task: ExecutorTask = {
        request: { kind: 'request', id, operation, input },
        exchange,
        isShared: !this.#isWriter && streams === NO_STREAMS,
        totalTimeoutMs: streams.totalTimeoutMs,
        leftMs: undefined,
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
    for (let task = this.#waiting[0]; task !== undefined; task = this.#waiting[0]) {
      const slot = this.#slotFor(task);
      if (slot === undefined) break;
      this.#waiting.shift();
      slot.send(task);
      this.#keepSpare();
    }
    if (this.#waiting.length > 0) this.#startAnother();
    for (const slot of this.#slots) if (slot.isStalled) this.#relieve(slot);
  }

  /** Starts a process for the waiting requests if each process has been busy with one operation for 20 ms; otherwise looks again then. */
  #startAnother(): void {
    const slots = [...this.#slots];
    if (slots.length >= (this.#isWriter ? 1 : MAX_READERS)) return;
    if (slots.every((slot) => slot.isStalled)) this.#start(slots.length > 0);
    else for (const slot of slots) slot.watch();
  }

  /** Returns the process with the fewest requests that can take another. */
  #slotFor(task: ExecutorTask): ExecutorSlot | undefined {
    let best: ExecutorSlot | undefined;
    for (const slot of this.#slots)
      if (slot.accepts(task) && (best === undefined || slot.load < best.load)) best = slot;
    return best;
  }

  /**
   * Sends the requests behind a long operation to another process too; the first answer counts. Kills
   * the process when nobody waits for the operation.
   */
  #relieve(slot: ExecutorSlot): void {
    if (slot.isAbandoned) return void this.#replace(slot, shuttingDown);
    if (slot.task?.isSettled === true) slot.watch();
    for (const task of slot.queued) {
      if (this.#isServedElsewhere(task, slot)) continue;
      const other = this.#slotFor(task);
      if (other === undefined) {
        this.#startAnother();
        return;
      }
      other.send(task);
    }
  }

  /** Whether another process runs the task, or has it behind a short operation. */
  #isServedElsewhere(task: ExecutorTask, slot: ExecutorSlot): boolean {
    return [...this.#slots].some(
      (each) =>
        each !== slot &&
        !each.isStopping &&
        (each.task === task || (each.has(task) && !each.isStalled)),
    );
  }

  /** Stops an operation at its deadline; a commit gets a little longer. */
  #expire(slot: ExecutorSlot, timeoutMs: number): void {
    const stop = () => void this.#replace(slot, (phase) => timedOut(phase, timeoutMs));
    if (!slot.isReady) void slot.process.kill('ended');
    else if (slot.task?.phase === 'committing') slot.extendStep(COMMIT_GRACE_MS, stop);
    else stop();
  }

  #start(isSpare = false): void {
    const { path, limits } = this.#options;
    const busyTimeoutMs = Math.min(limits.busyTimeoutMs, Math.floor(limits.timeoutMs * 0.8));
    const isWriter = this.#isWriter;
    const parentPid = process.pid;
    const configuration = { ...limits, path, busyTimeoutMs, parentPid, isWriter, isSpare };
    const listener = {
      ready: () => {
        slot.suspendLimit();
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
    const slot = new ExecutorSlot(
      new ExecutorProcess(configuration, listener, this.#options.program),
      limits.timeoutMs,
      {
        expired: (timeoutMs) => this.#expire(slot, timeoutMs),
        stalled: () => {
          this.#relieve(slot);
          if (this.#waiting.length > 0) this.#startAnother();
        },
      },
    );
    slot.limitStep(START_TIMEOUT_MS);
    this.#slots.add(slot);
  }

  #receive(slot: ExecutorSlot, message: Exclude<ExecutorMessage, { kind: 'ready' }>): void {
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
        slot.suspendLimit();
        void this.#exchange(slot, task, message);
        return;
      default:
        slot.finish();
        this.#settle(task, message);
        this.#dispatch();
    }
  }

  async #exchange(
    slot: ExecutorSlot,
    task: ExecutorTask,
    message: Extract<ExecutorMessage, { kind: 'pull' | 'chunk' }>,
  ): Promise<void> {
    const answer = await task.exchange.answer(message);
    if (slot.task !== task || slot.isStopping) return;
    slot.limitStep();
    slot.process.send(answer);
  }

  #settle(task: ExecutorTask, reply: ExecutorReply): void {
    // Another process was faster, or nobody waits any longer.
    if (task.isSettled) return;
    if (reply.kind === 'result') succeed(task, reply.output);
    else if (!this.#repeats(task, reply))
      fail(task, task.exchange.failure?.error ?? new ToolError(reply.message));
  }

  /** Repeats a read after the rollback of a killed write. Returns whether it does. */
  #repeats(task: ExecutorTask, { code = '' }: { readonly code?: string }): boolean {
    const { recover } = this.#options;
    if (recover === undefined || task.isRepeated || !NEEDS_RECOVERY.test(code)) return false;
    task.isRepeated = true;
    const repeat = () => {
      this.#sendAgain([task]);
      this.#dispatch();
    };
    recover().then(repeat, repeat);
    return true;
  }

  #cancel(task: ExecutorTask, reason: unknown): void {
    const index = this.#waiting.indexOf(task);
    if (index !== -1) this.#waiting.splice(index, 1);
    const running = [...this.#slots].filter((slot) => slot.task === task);
    if (running.length === 0 || task.phase === 'committing')
      fail(task, cancelled(task.phase, reason));
    else for (const slot of running) void this.#replace(slot, (phase) => cancelled(phase, reason));
  }

  /** Kills the process of an operation, and starts another one. */
  async #replace(slot: ExecutorSlot, reason: (phase: OperationPhase) => Error): Promise<void> {
    const stopped = this.#stop(slot, reason);
    if (this.#isWriter) await stopped;
    if (this.#isClosed) return;
    if (this.#slots.size === 0) this.#start();
    this.#keepSpare();
    this.#dispatch();
  }

  /**
   * Kills a process. A read fails at once. A write fails when the process has ended, because the
   * messages that it sent before tell whether the commit had begun.
   */
  async #stop(slot: ExecutorSlot, reason: (phase: OperationPhase) => Error): Promise<void> {
    slot.isStopping = true;
    const release = () => {
      this.#slots.delete(slot);
      const [running, ...others] = slot.clear();
      if (running !== undefined) fail(running, reason(running.phase));
      this.#sendAgain(others);
    };
    slot.suspendLimit();
    const isIdleWriter = this.#isWriter && slot.isReady && slot.task === undefined;
    const gone = isIdleWriter ? slot.process.end(CLOSE_GRACE_MS) : slot.process.kill();
    if (!this.#isWriter) release();
    await gone;
    release();
  }

  /** Lets tasks without an answer, which no process has any longer, wait before all others. */
  #sendAgain(tasks: readonly ExecutorTask[]): void {
    const slots = [...this.#slots];
    const lost = tasks.filter((task) => !task.isSettled && !slots.some((slot) => slot.has(task)));
    if (!this.#isClosed) this.#waiting.unshift(...lost);
    else for (const task of lost) fail(task, shuttingDown(task.phase));
  }

  /** Starts a second process with the first query, and ends it when there are no queries for a while. */
  #keepSpare(): void {
    if (this.#isWriter) return;
    const { spareAfterMs = 0, spareIdleMs = SPARE_IDLE_MS } = this.#options;
    this.#idleTimer ??= setTimeout(() => {
      this.#retireSpare();
    }, spareIdleMs);
    this.#idleTimer.refresh();
    if (this.#slots.size >= WARM_READERS) return;
    this.#spareTimer ??= setTimeout(() => {
      this.#spareTimer = undefined;
      if (this.#slots.size < WARM_READERS) this.#start(true);
    }, spareAfterMs);
  }

  #retireSpare(): void {
    const idle = [...this.#slots].filter((slot) => slot.isReady && slot.task === undefined);
    for (const slot of idle.slice(1)) void this.#stop(slot, shuttingDown);
  }

  /**
   * Handles a process that ended by itself: its operation fails, or is repeated row by row when the rows
   * of its result needed too much memory. When no process can be started, the
   * oldest waiting operation fails.
   */
  #forget(slot: ExecutorSlot, end: ExecutorEnd): void {
    if (slot.isStopping || !this.#slots.delete(slot)) return;
    const { leftMs } = slot;
    const [running, ...others] = slot.clear();
    const isRepeated = running !== undefined && end.reason === 'whole-result';
    if (isRepeated) saveMemory(running, leftMs);
    this.#sendAgain(isRepeated ? [running, ...others] : others);
    const isHopeless = !slot.isReady && this.#slots.size === 0;
    const task = running ?? (isHopeless ? this.#waiting.shift() : undefined);
    const { maxMemoryMb } = this.#options.limits;
    if (task !== undefined && !isRepeated)
      fail(task, ended(task.phase, end, { isReady: slot.isReady, maxMemoryMb }));
    this.#options.onCrash?.(
      `query process ${slot.process.pid ?? ''} ended: ${end.reason}; ${end.detail}`,
    );
    if (!this.#isClosed) this.#dispatch();
  }
}

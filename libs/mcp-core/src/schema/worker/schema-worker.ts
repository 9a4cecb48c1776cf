import type { Worker } from 'node:worker_threads';
import { FairQueue, type JobOwner } from './fair-queue.ts';

/**
 * A failed job: it took too long or too much memory, the queue is full, or the thread cannot be
 * started.
 */
export class SchemaJobError extends Error {
  /**
   * Whether the job may succeed later: it did not begin, because queue space, memory or descriptors
   * were exhausted.
   */
  readonly isTemporary: boolean;

  constructor(
    message: string,
    {
      isTemporary = false,
      ...options
    }: { readonly cause?: unknown; readonly isTemporary?: boolean } = {},
  ) {
    super(message, options);
    this.name = 'SchemaJobError';
    this.isTemporary = isTemporary;
  }
}

/** The result of a job, and the time that it took. */
export interface FinishedJob<Result> {
  readonly result: Result;
  /** Milliseconds between sending the job to the thread and its result. */
  readonly ms: number;
}

/** Options of a `SchemaWorker`. */
export interface SchemaWorkerOptions<Job> {
  /**
   * Main module of the thread. It posts `ready` once, and then one result for each message, which
   * is a job.
   */
  readonly main: string;
  /** Returns the number of characters of a job. */
  readonly lengthOf: (job: Job) => number;
  /**
   * Milliseconds without a job after which the thread ends; the next job restarts it. Default:
   * never.
   */
  readonly idleMs?: number | undefined;
}

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 };
/**
 * Maximum number of waiting jobs of one owner; and maximum number of waiting characters of all
 * owners.
 */
const MAX_JOBS = 1000;
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** Wall-clock limit of a job as a multiple of its processor time limit, for a busy machine. */
const MAX_WALL_FACTOR = 20;
/** Milliseconds within which the worker must report its processor time, for which it needs some. */
const USAGE_WAIT_MS = 2000;
/** Attempts to start a worker when descriptors or memory are exhausted. */
const MAX_STARTS = 5;
const RESTART_MS = 1000;
/** Error codes of a start that will not succeed later. */
const LASTING_CODES: ReadonlySet<unknown> = new Set([
  'ERR_MODULE_NOT_FOUND',
  'MODULE_NOT_FOUND',
  'ERR_ACCESS_DENIED',
  'ERR_WORKER_PATH',
]);

interface Task<Job, Result> {
  readonly job: Job;
  readonly limitMs: number;
  readonly resolve: (answered: FinishedJob<Result>) => void;
  readonly reject: (error: SchemaJobError) => void;
}

interface RunningTask<Job, Result> extends Task<Job, Result> {
  readonly startedAt: number;
  /** Processor time of the thread when the job began, in milliseconds. */
  readonly usedBefore: Promise<number | undefined>;
  timer: NodeJS.Timeout;
}

/**
 * Runs jobs in one worker thread, one at a time, owners in turn. A job that exceeds its time or
 * memory limit is rejected, and the thread is replaced. The thread never blocks the main event loop
 * or crashes the process. It keeps the process alive only while a job waits, which each job's limit
 * bounds.
 */
export class SchemaWorker<Job, Result> {
  readonly #options: SchemaWorkerOptions<Job>;
  readonly #queue = new FairQueue<Task<Job, Result>>();
  #characters = 0;
  #worker: Worker | undefined;
  #isReady = false;
  #running: RunningTask<Job, Result> | undefined;
  #failedStarts = 0;
  #restart: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed: SchemaJobError | undefined;

  constructor(options: SchemaWorkerOptions<Job>) {
    this.#options = options;
  }

  /** Starts the thread ahead of the first job, while descriptors are available. Optional. */
  start(): void {
    if (this.#worker !== undefined || this.#restart !== undefined || this.#closed !== undefined)
      return;
    this.#isReady = false;
    try {
      // Loading it costs each program that imports the library 2 ms.
      const { Worker } = process.getBuiltinModule('node:worker_threads');
      const worker = new Worker(this.#options.main, {
        resourceLimits: RESOURCE_LIMITS,
        stdin: false,
        name: 'schemas',
      });
      this.#worker = worker;
      worker.on('message', (message: 'ready' | Result) => this.#onMessage(worker, message));
      worker.on('error', (error) => this.#onEnd(worker, error));
      worker.on('exit', () => this.#onEnd(worker, undefined));
      this.#holdProcess();
    } catch (error) {
      this.#onFailedStart(error);
    }
  }

  /** Runs a job. Rejects with SchemaJobError. `limitMs` is processor time. */
  run(owner: JobOwner, job: Job, limitMs: number): Promise<FinishedJob<Result>> {
    const { promise, resolve, reject } = Promise.withResolvers<FinishedJob<Result>>();
    const task = { job, limitMs, resolve, reject };
    const length = this.#options.lengthOf(job);
    if (this.#closed !== undefined) reject(this.#closed);
    else if (this.#queue.sizeOf(owner) >= MAX_JOBS || this.#characters + length > MAX_CHARACTERS) {
      reject(
        new SchemaJobError('too many checks are waiting; try again later', {
          isTemporary: true,
        }),
      );
    } else {
      this.#characters += length;
      clearTimeout(this.#idle);
      this.#queue.push(owner, task);
      this.start();
      this.#next();
      this.#holdProcess();
    }
    return promise;
  }

  /** Ends the thread, and rejects its jobs and later jobs with `reason`. */
  async close(reason: string): Promise<void> {
    this.#closed = new SchemaJobError(reason);
    clearTimeout(this.#restart);
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#abandon(this.#closed);
    this.#rejectAll(this.#closed);
    await worker?.terminate();
  }

  #next(): void {
    const worker = this.#worker;
    if (worker === undefined || !this.#isReady || this.#running !== undefined) return;
    const task = this.#queue.shift();
    if (task === undefined) return this.#rest(worker);
    this.#characters -= this.#options.lengthOf(task.job);
    const running: RunningTask<Job, Result> = {
      ...task,
      startedAt: performance.now(),
      usedBefore: processorMs(worker),
      timer: setTimeout(() => void this.#judge(worker, running), task.limitMs),
    };
    this.#running = running;
    worker.postMessage(task.job);
  }

  /** Handles an empty queue: starts the idle timer and releases the process. */
  #rest(worker: Worker): void {
    this.#holdProcess();
    const { idleMs } = this.#options;
    if (idleMs === undefined) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      if (worker === this.#worker) this.#worker = undefined;
      void worker.terminate();
    }, idleMs).unref();
  }

  #onMessage(worker: Worker, message: 'ready' | Result): void {
    if (worker !== this.#worker) return;
    if (message === 'ready') {
      this.#isReady = true;
      this.#failedStarts = 0;
    } else {
      const running = this.#running;
      this.#running = undefined;
      clearTimeout(running?.timer);
      running?.resolve({ result: message, ms: performance.now() - running.startedAt });
    }
    this.#next();
  }

  /**
   * Handles an expired wall-clock limit: ends the job unless its thread waited for the processor.
   */
  async #judge(worker: Worker, running: RunningTask<Job, Result>): Promise<void> {
    const [before, now] = await Promise.all([running.usedBefore, processorMs(worker)]);
    if (this.#running !== running) return;
    const usedMs = before === undefined || now === undefined ? Infinity : now - before;
    const wallMs = performance.now() - running.startedAt;
    if (usedMs < running.limitMs && wallMs < MAX_WALL_FACTOR * running.limitMs) {
      running.timer = setTimeout(
        () => void this.#judge(worker, running),
        Math.max(20, running.limitMs - usedMs),
      );
      return;
    }
    this.#abandon(new SchemaJobError(`took longer than ${String(running.limitMs)} ms`));
    void worker.terminate();
    this.start();
  }

  #onEnd(worker: Worker, error: unknown): void {
    if (worker !== this.#worker) return;
    const wasReady = this.#isReady;
    this.#abandon(
      new SchemaJobError(
        isOutOfMemory(error)
          ? `took more than ${String(RESOURCE_LIMITS.maxOldGenerationSizeMb)} MiB of memory`
          : 'the evaluation ended',
        { cause: error },
      ),
    );
    if (wasReady) this.start();
    else this.#onFailedStart(error);
  }

  #onFailedStart(cause: unknown): void {
    this.#failedStarts += 1;
    const isLasting = LASTING_CODES.has(codeOf(cause));
    if (this.#failedStarts >= MAX_STARTS || isLasting) {
      this.#failedStarts = 0;
      this.#rejectAll(
        new SchemaJobError(`the evaluation cannot be started${isLasting ? '' : ' at present'}`, {
          cause,
          isTemporary: !isLasting,
        }),
      );
      return;
    }
    this.#restart = setTimeout(() => {
      this.#restart = undefined;
      this.start();
    }, RESTART_MS);
    this.#holdProcess();
  }

  /** Keeps the process alive only while jobs wait. */
  #holdProcess(): void {
    const isBusy = this.#running !== undefined || this.#queue.size > 0;
    for (const handle of [this.#worker, this.#restart]) {
      if (isBusy) handle?.ref();
      else handle?.unref();
    }
  }

  /** Rejects the running job and replaces the thread. */
  #abandon(error: SchemaJobError): void {
    const running = this.#running;
    this.#worker = undefined;
    this.#running = undefined;
    clearTimeout(running?.timer);
    running?.reject(error);
  }

  #rejectAll(error: SchemaJobError): void {
    this.#characters = 0;
    for (const task of this.#queue.drain()) task.reject(error);
  }
}

/** Returns the thread's processor time so far; `undefined` when Node cannot report it. */
async function processorMs(worker: Worker): Promise<number | undefined> {
  const usage = (worker as { readonly cpuUsage?: () => Promise<NodeJS.CpuUsage> }).cpuUsage?.bind(
    worker,
  );
  if (usage === undefined) return undefined;
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, USAGE_WAIT_MS, undefined);
  try {
    const used = await Promise.race([usage(), late.promise]);
    return used === undefined ? undefined : (used.user + used.system) / 1000;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function isOutOfMemory(error: unknown): boolean {
  return codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

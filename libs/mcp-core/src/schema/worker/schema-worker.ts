import { Worker } from 'node:worker_threads';
import { FairQueue, type JobOwner } from './fair-queue.ts';

/** A job was not answered: it took too long or too much memory, there is no room for it, or the thread cannot be started. */
export class SchemaJobError extends Error {
  /** Whether the same job may be answered later: it was never begun, for want of room, memory or descriptors. */
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

export interface AnsweredJob<Reply> {
  readonly reply: Reply;
  /** Milliseconds between sending the job to the thread and its reply. */
  readonly ms: number;
}

export interface SchemaWorkerOptions<Job> {
  /** File that the thread runs. It posts `ready` once, and then one reply to each message, which is a job. */
  readonly main: string;
  /** Characters of a job. */
  readonly lengthOf: (job: Job) => number;
  /** Ends the thread after this time without a job; the next job starts it again. Default: never. */
  readonly idleMs?: number;
}

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 };
/** Jobs of one owner, and characters of all, that may wait. */
const MAX_JOBS = 1000;
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** A job may take so many times its limit where other work keeps the thread from the processor. */
const MAX_WALL_FACTOR = 20;
/** How long the worker may take to say how long it was at work. */
const USAGE_WAIT_MS = 250;
/** A worker that cannot be started, for want of descriptors or memory, is tried again so often. */
const MAX_STARTS = 5;
const RESTART_MS = 1000;
/** Errors of a start that a second attempt does not cure. */
const LASTING_CODES: ReadonlySet<unknown> = new Set([
  'ERR_MODULE_NOT_FOUND',
  'MODULE_NOT_FOUND',
  'ERR_ACCESS_DENIED',
  'ERR_WORKER_PATH',
]);

interface Task<Job, Reply> {
  readonly job: Job;
  readonly limitMs: number;
  readonly resolve: (answered: AnsweredJob<Reply>) => void;
  readonly reject: (error: SchemaJobError) => void;
}

interface RunningTask<Job, Reply> extends Task<Job, Reply> {
  readonly startedAt: number;
  /** Processor time of the thread when the job began, in milliseconds. */
  readonly usedBefore: Promise<number | undefined>;
  timer: NodeJS.Timeout;
}

/**
 * One thread that evaluates schemas, one job at a time, owners in turn. A job that takes too much time or memory is rejected, and the thread is replaced. The
 * thread never blocks the main loop or ends the process, and keeps the process alive only while a job waits, which each job's limit bounds.
 */
export class SchemaWorker<Job, Reply> {
  readonly #options: SchemaWorkerOptions<Job>;
  readonly #queue = new FairQueue<Task<Job, Reply>>();
  #characters = 0;
  #worker: Worker | undefined;
  #isReady = false;
  #running: RunningTask<Job, Reply> | undefined;
  #failedStarts = 0;
  #restart: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed: SchemaJobError | undefined;

  constructor(options: SchemaWorkerOptions<Job>) {
    this.#options = options;
  }

  /** Starts the thread; call it early, while there are descriptors. Jobs start it, too. */
  start(): void {
    if (this.#worker !== undefined || this.#restart !== undefined || this.#closed !== undefined)
      return;
    this.#isReady = false;
    try {
      const worker = new Worker(this.#options.main, {
        resourceLimits: RESOURCE_LIMITS,
        stdin: false,
        name: 'schemas',
      });
      this.#worker = worker;
      worker.on('message', (message: 'ready' | Reply) => this.#onMessage(worker, message));
      worker.on('error', (error) => this.#onEnd(worker, error));
      worker.on('exit', () => this.#onEnd(worker, undefined));
      this.#holdProcess();
    } catch (error) {
      this.#onFailedStart(error);
    }
  }

  /** Rejects with SchemaJobError. `limitMs` is processor time. */
  run(owner: JobOwner, job: Job, limitMs: number): Promise<AnsweredJob<Reply>> {
    const { promise, resolve, reject } = Promise.withResolvers<AnsweredJob<Reply>>();
    const task = { job, limitMs, resolve, reject };
    const length = this.#options.lengthOf(job);
    if (this.#closed !== undefined) reject(this.#closed);
    else if (this.#queue.sizeOf(owner) >= MAX_JOBS || this.#characters + length > MAX_CHARACTERS) {
      reject(
        new SchemaJobError('too many checks wait for each other; try again later', {
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

  /** Ends the thread, and rejects its jobs and later ones with `reason`. */
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
    const running: RunningTask<Job, Reply> = {
      ...task,
      startedAt: performance.now(),
      usedBefore: processorMs(worker),
      timer: setTimeout(() => void this.#judge(worker, running), task.limitMs),
    };
    this.#running = running;
    worker.postMessage(task.job);
  }

  /** There is no job at present. */
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

  #onMessage(worker: Worker, message: 'ready' | Reply): void {
    if (worker !== this.#worker) return;
    if (message === 'ready') {
      this.#isReady = true;
      this.#failedStarts = 0;
    } else {
      const running = this.#running;
      this.#running = undefined;
      clearTimeout(running?.timer);
      running?.resolve({ reply: message, ms: performance.now() - running.startedAt });
    }
    this.#next();
  }

  /** The limit has passed by the clock: is it also over for a thread that other work kept from the processor? */
  async #judge(worker: Worker, running: RunningTask<Job, Reply>): Promise<void> {
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

  /** Keeps the process alive while jobs wait, and only then. */
  #holdProcess(): void {
    const isBusy = this.#running !== undefined || this.#queue.size > 0;
    for (const handle of [this.#worker, this.#restart]) {
      if (isBusy) handle?.ref();
      else handle?.unref();
    }
  }

  /** The thread is not used any more. */
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

/** Processor time of the thread so far; `undefined` where Node cannot tell. */
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

import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FairQueue } from './fair-queue.ts';
import type { SchemaJob, SchemaReply } from './schema-job.ts';

/** A job was not answered: it took too long, too much memory, or there is no room for it. */
export class SchemaJobError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'SchemaJobError';
  }
}

export interface AnsweredJob {
  readonly reply: SchemaReply;
  /** How long the worker was at it. */
  readonly ms: number;
}

// Beside this file as it was built, or as it was written.
const MAIN = join(import.meta.dirname, `schema-worker-main${extname(import.meta.filename)}`);

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

interface Task {
  readonly job: SchemaJob;
  readonly limitMs: number;
  readonly resolve: (answered: AnsweredJob) => void;
  readonly reject: (error: SchemaJobError) => void;
}

interface RunningTask extends Task {
  readonly startedAt: number;
  /** Processor time of the thread when the job began, in milliseconds. */
  readonly usedBefore: Promise<number | undefined>;
  timer: NodeJS.Timeout;
}

/**
 * One thread that evaluates schemas, one job at a time, owners in turn. A job that takes too much time or memory is rejected, and the thread replaced; nothing
 * it does blocks the main loop, ends the process, or keeps it alive.
 */
export class SchemaWorker {
  readonly #queue = new FairQueue<Task>();
  #characters = 0;
  #worker: Worker | undefined;
  #isReady = false;
  #running: RunningTask | undefined;
  #failedStarts = 0;
  #restart: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Starts the thread; call it early, while there are descriptors. Jobs start it, too. */
  start(): void {
    if (this.#worker !== undefined || this.#restart !== undefined || this.#isClosed) return;
    this.#isReady = false;
    try {
      const worker = new Worker(MAIN, { resourceLimits: RESOURCE_LIMITS, stdin: false, name: 'schemas' });
      this.#worker = worker;
      worker.on('message', (message: 'ready' | SchemaReply) => this.#onMessage(worker, message));
      worker.on('error', (error) => this.#onEnd(worker, error));
      worker.on('exit', () => this.#onEnd(worker, undefined));
      this.#holdProcess();
    } catch (error) {
      this.#onFailedStart(error);
    }
  }

  /** Rejects with SchemaJobError. `limitMs` is processor time. */
  run(owner: string, job: SchemaJob, limitMs: number): Promise<AnsweredJob> {
    const { promise, resolve, reject } = Promise.withResolvers<AnsweredJob>();
    const task = { job, limitMs, resolve, reject };
    if (this.#isClosed) reject(new SchemaJobError('the service is shutting down'));
    else if (this.#queue.sizeOf(owner) >= MAX_JOBS || this.#characters + lengthOf(job) > MAX_CHARACTERS) reject(new SchemaJobError('too many checks wait for each other; try again later'));
    else {
      this.#characters += lengthOf(job);
      this.#queue.push(owner, task);
      this.start();
      this.#next();
      this.#holdProcess();
    }
    return promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    const worker = this.#worker;
    this.#abandon(new SchemaJobError('the service is shutting down'));
    this.#rejectAll(new SchemaJobError('the service is shutting down'));
    await worker?.terminate();
  }

  #next(): void {
    const worker = this.#worker;
    if (worker === undefined || !this.#isReady || this.#running !== undefined) return;
    const task = this.#queue.shift();
    if (task === undefined) return this.#holdProcess();
    this.#characters -= lengthOf(task.job);
    const running: RunningTask = {
      ...task,
      startedAt: performance.now(),
      usedBefore: processorMs(worker),
      timer: setTimeout(() => void this.#judge(worker, running), task.limitMs),
    };
    this.#running = running;
    worker.postMessage(task.job);
  }

  #onMessage(worker: Worker, message: 'ready' | SchemaReply): void {
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
  async #judge(worker: Worker, running: RunningTask): Promise<void> {
    const [before, now] = await Promise.all([running.usedBefore, processorMs(worker)]);
    if (this.#running !== running) return;
    const usedMs = before === undefined || now === undefined ? Infinity : now - before;
    const wallMs = performance.now() - running.startedAt;
    if (usedMs < running.limitMs && wallMs < MAX_WALL_FACTOR * running.limitMs) {
      running.timer = setTimeout(() => void this.#judge(worker, running), Math.max(20, running.limitMs - usedMs));
      return;
    }
    this.#abandon(new SchemaJobError(`took longer than ${String(running.limitMs)} ms`));
    void worker.terminate();
    this.start();
  }

  #onEnd(worker: Worker, error: unknown): void {
    if (worker !== this.#worker) return;
    const wasReady = this.#isReady;
    this.#abandon(new SchemaJobError(isOutOfMemory(error) ? `took more than ${String(RESOURCE_LIMITS.maxOldGenerationSizeMb)} MiB of memory` : 'the evaluation ended', { cause: error }));
    if (wasReady) this.start();
    else this.#onFailedStart(error);
  }

  #onFailedStart(cause: unknown): void {
    this.#failedStarts += 1;
    if (this.#failedStarts >= MAX_STARTS) {
      this.#failedStarts = 0;
      this.#rejectAll(new SchemaJobError('the evaluation cannot be started at present', { cause }));
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

function lengthOf(job: SchemaJob): number {
  return job.schema.length + ('value' in job ? job.value.length : 0);
}

/** Processor time of the thread so far; `undefined` where Node cannot tell. */
async function processorMs(worker: Worker): Promise<number | undefined> {
  const usage = (worker as { readonly cpuUsage?: () => Promise<NodeJS.CpuUsage> }).cpuUsage?.bind(worker);
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
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

import { redeliveryMs, type Job, type JobHandler, type JobQueue } from '../ports/job-queue.ts';
import type { Clock } from '../ports/clock.ts';

export interface MemoryJobQueueOptions {
  readonly clock: Clock;
  /** Called for every job whose handler threw. */
  readonly onError: (job: Job, error: unknown) => void;
}

interface Delayed {
  readonly job: Job;
  readonly dueAt: number;
  readonly cancel: () => void;
}

/** Creates a FIFO queue for a single process, in memory only. */
export function createMemoryJobQueue(options: MemoryJobQueueOptions): JobQueue {
  return new MemoryJobQueue(options);
}

class MemoryJobQueue implements JobQueue {
  readonly #options: MemoryJobQueueOptions;
  readonly #ready: { readonly [T in Job['type']]: Map<string, Job> } = {
    'advance-run': new Map(),
    'call-tool': new Map(),
  };
  readonly #delayed = new Map<string, Delayed>();
  readonly #running = new Map<string, Promise<void>>();
  /** Failures in a row by job. */
  readonly #failures = new Map<string, number>();
  readonly #closing = new AbortController();
  readonly #released: Job[] = [];
  readonly #slots: { [T in Job['type']]: number } = { 'advance-run': 0, 'call-tool': 0 };
  #handler: JobHandler | undefined;

  constructor(options: MemoryJobQueueOptions) {
    this.#options = options;
  }

  start(
    handler: JobHandler,
    options: { readonly concurrency: { readonly [T in Job['type']]: number } },
  ): void {
    this.#handler = handler;
    Object.assign(this.#slots, options.concurrency);
    this.#pump('advance-run');
    this.#pump('call-tool');
  }

  enqueue(job: Job, { delayMs = 0 }: { readonly delayMs?: number } = {}): Promise<void> {
    const key = keyOf(job);
    if (this.#isClosed || this.#ready[job.type].has(key)) return Promise.resolve();
    const dueAt = this.#options.clock.now() + delayMs;
    const delayed = this.#delayed.get(key);
    if (delayed !== undefined && delayed.dueAt <= dueAt) return Promise.resolve();
    delayed?.cancel();
    this.#delayed.delete(key);
    if (delayMs <= 0) this.#makeReady(key, job);
    else
      this.#delayed.set(key, {
        job,
        dueAt,
        cancel: this.#options.clock.after(delayMs, () => this.#makeReady(key, job)),
      });
    return Promise.resolve();
  }

  depth(): Promise<{ readonly [T in Job['type']]: number }> {
    const delayed = (type: Job['type']): number =>
      [...this.#delayed.keys()].filter((key) => key.startsWith(`${type}:`)).length;
    return Promise.resolve({
      'advance-run': this.#ready['advance-run'].size + delayed('advance-run'),
      'call-tool': this.#ready['call-tool'].size + delayed('call-tool'),
    });
  }

  async close(): Promise<readonly Job[]> {
    this.#closing.abort();
    const delayed = [...this.#delayed.values()];
    for (const { cancel } of delayed) cancel();
    this.#delayed.clear();
    await Promise.all(this.#running.values());
    const ready = Object.values(this.#ready).flatMap((jobs) => [...jobs.values()]);
    const lost = [...ready, ...delayed.map(({ job }) => job), ...this.#released];
    return [...new Map(lost.map((job) => [keyOf(job), job])).values()];
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #makeReady(key: string, job: Job): void {
    this.#delayed.delete(key);
    this.#ready[job.type].set(key, job);
    this.#pump(job.type);
  }

  #pump(type: Job['type']): void {
    const handler = this.#handler;
    if (handler === undefined || this.#isClosed) return;
    for (const [key, job] of this.#ready[type]) {
      if (this.#slots[type] <= 0) return;
      if (this.#running.has(key)) continue;
      this.#ready[type].delete(key);
      this.#slots[type] -= 1;
      this.#running.set(key, this.#run(handler, job));
    }
  }

  async #run(handler: JobHandler, job: Job): Promise<void> {
    const key = keyOf(job);
    try {
      // The handler never starts within the caller's enqueue.
      await Promise.resolve();
      const outcome = await handler(job, this.#closing.signal);
      this.#failures.delete(key);
      if (outcome === 'release') this.#redeliver(job, redeliveryMs(1));
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      this.#redeliver(job, redeliveryMs(failures));
      this.#options.onError(job, error);
    } finally {
      this.#running.delete(key);
      this.#slots[job.type] += 1;
      this.#pump(job.type);
    }
  }

  #redeliver(job: Job, delayMs: number): void {
    if (this.#isClosed) this.#released.push(job);
    else void this.enqueue(job, { delayMs });
  }
}

function keyOf(job: Job): string {
  return job.type === 'advance-run' ? `advance-run:${job.runId}` : `call-tool:${job.callId}`;
}

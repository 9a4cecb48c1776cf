import type { Clock } from '../ports/clock.ts';
import {
  laneOf,
  placeOf,
  redeliveryMs,
  subjectOf,
  type EnqueueOptions,
  type Job,
  type JobHandler,
  type JobLane,
  type JobQueue,
} from '../ports/job-queue.ts';
import type { Priority } from '../ports/priority.ts';

export interface MemoryJobQueueOptions {
  readonly clock: Clock;
  /** Called for every job whose handler threw. */
  readonly onError: (job: Job, error: unknown) => void;
}

interface Waiting {
  readonly job: Job;
  readonly priority: Priority | undefined;
}

interface Delayed extends Waiting {
  readonly dueAt: number;
  readonly cancel: () => void;
}

/** Creates a queue for a single process, in memory only. */
export function createMemoryJobQueue(options: MemoryJobQueueOptions): JobQueue {
  return new MemoryJobQueue(options);
}

class MemoryJobQueue implements JobQueue {
  readonly #options: MemoryJobQueueOptions;
  readonly #ready: { readonly [L in JobLane]: ReadyJobs } = {
    'advance-run': new ReadyJobs(),
    'call-tool': new ReadyJobs(),
  };
  readonly #delayed = new Map<string, Delayed>();
  readonly #running = new Map<string, Promise<void>>();
  /** Failures in a row by job. */
  readonly #failures = new Map<string, number>();
  readonly #closing = new AbortController();
  readonly #released: Job[] = [];
  readonly #slots: { [L in JobLane]: number } = { 'advance-run': 0, 'call-tool': 0 };
  #handler: JobHandler | undefined;

  constructor(options: MemoryJobQueueOptions) {
    this.#options = options;
  }

  start(
    handler: JobHandler,
    options: { readonly concurrency: { readonly [L in JobLane]: number } },
  ): void {
    this.#handler = handler;
    Object.assign(this.#slots, options.concurrency);
    this.#pump('advance-run');
    this.#pump('call-tool');
  }

  enqueue(job: Job, { delayMs = 0, priority }: EnqueueOptions = {}): Promise<void> {
    const key = keyOf(job);
    if (this.#isClosed || this.#ready[laneOf(job)].has(key)) return Promise.resolve();
    const dueAt = this.#options.clock.now() + delayMs;
    const delayed = this.#delayed.get(key);
    if (delayed !== undefined && delayed.dueAt <= dueAt) return Promise.resolve();
    delayed?.cancel();
    this.#delayed.delete(key);
    const waiting = { job, priority };
    if (delayMs <= 0) this.#makeReady(key, waiting);
    else
      this.#delayed.set(key, {
        ...waiting,
        dueAt,
        cancel: this.#options.clock.after(delayMs, () => this.#makeReady(key, waiting)),
      });
    return Promise.resolve();
  }

  depth(): Promise<{ readonly [L in JobLane]: number }> {
    const delayed = (lane: JobLane): number =>
      [...this.#delayed.values()].filter(({ job }) => laneOf(job) === lane).length;
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
    const ready = Object.values(this.#ready).flatMap((jobs) => jobs.all());
    const lost = [...ready, ...delayed.map(({ job }) => job), ...this.#released];
    return [...new Map(lost.map((job) => [keyOf(job), job])).values()];
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #makeReady(key: string, waiting: Waiting): void {
    const lane = laneOf(waiting.job);
    this.#delayed.delete(key);
    this.#ready[lane].add(key, waiting);
    this.#pump(lane);
  }

  #pump(lane: JobLane): void {
    const handler = this.#handler;
    if (handler === undefined || this.#isClosed) return;
    for (const [key, waiting] of this.#ready[lane].inOrder()) {
      if (this.#slots[lane] <= 0) return;
      if (this.#running.has(key)) continue;
      this.#ready[lane].delete(key);
      this.#slots[lane] -= 1;
      this.#running.set(key, this.#run(handler, waiting));
    }
  }

  async #run(handler: JobHandler, { job, priority }: Waiting): Promise<void> {
    const key = keyOf(job);
    try {
      // The handler never starts within the caller's enqueue.
      await Promise.resolve();
      const outcome = await handler(job, this.#closing.signal);
      this.#failures.delete(key);
      if (outcome === 'release') this.#redeliver(job, { delayMs: redeliveryMs(1), priority });
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      this.#redeliver(job, { delayMs: redeliveryMs(failures), priority });
      this.#options.onError(job, error);
    } finally {
      this.#running.delete(key);
      this.#slots[laneOf(job)] += 1;
      this.#pump(laneOf(job));
    }
  }

  #redeliver(job: Job, options: EnqueueOptions): void {
    if (this.#isClosed) this.#released.push(job);
    else void this.enqueue(job, options);
  }
}

/** The jobs of a lane that can be delivered. */
class ReadyJobs {
  /** Jobs by key for each place, in order of arrival. */
  readonly #places: Map<string, Waiting>[] = [];

  get size(): number {
    return this.#places.reduce((sum, jobs) => sum + jobs.size, 0);
  }

  has(key: string): boolean {
    return this.#places.some((jobs) => jobs.has(key));
  }

  add(key: string, waiting: Waiting): void {
    const place = placeOf(waiting.job, waiting.priority);
    while (this.#places.length <= place) this.#places.push(new Map());
    this.#places[place]?.set(key, waiting);
  }

  delete(key: string): void {
    for (const jobs of this.#places) jobs.delete(key);
  }

  /** Iterates over the jobs in the order of their delivery. Jobs may be deleted meanwhile. */
  *inOrder(): Generator<[string, Waiting]> {
    for (const jobs of this.#places) yield* jobs;
  }

  all(): readonly Job[] {
    return this.#places.flatMap((jobs) => [...jobs.values()].map(({ job }) => job));
  }
}

function keyOf(job: Job): string {
  return `${job.type}:${subjectOf(job)}`;
}

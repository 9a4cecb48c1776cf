import { ProcessLocks } from './process-lock.ts';

/**
 * Serializes callers with the same key, in order within this process, and excludes callers of other
 * processes with the same key.
 */
export class FileLocks {
  readonly #tails = new Map<string, Promise<void>>();
  readonly #processLocks: ProcessLocks;

  constructor(processLocks: ProcessLocks = new ProcessLocks()) {
    this.#processLocks = processLocks;
  }

  /**
   * Runs `body` while this caller holds every key. All callers acquire keys in the same order, so
   * that they never deadlock.
   * @throws PathError when another process keeps a key for too long, and the signal's reason when it aborts while waiting; `body` is not run then
   */
  async run<T>(keys: readonly string[], signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    const [first, ...others] = [...new Set(keys)].toSorted();
    if (first === undefined) return body();
    return this.#runOne(first, signal, () => this.run(others, signal, body));
  }

  /** Number of keys that callers of this process hold or wait for. */
  get size(): number {
    return this.#tails.size;
  }

  async #runOne<T>(key: string, signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    // A caller that stops waiting must not release the next caller early.
    const tail = before === undefined ? done : before.then(() => done);
    this.#tails.set(key, tail);
    try {
      if (before !== undefined) await untilAborted(before, signal);
      signal.throwIfAborted();
      const release = await this.#processLocks.acquire(key, signal);
      try {
        return await body();
      } finally {
        await release();
      }
    } finally {
      finish();
      void this.#forget(key, tail);
    }
  }

  async #forget(key: string, tail: Promise<void>): Promise<void> {
    await tail;
    if (this.#tails.get(key) === tail) this.#tails.delete(key);
  }
}

async function untilAborted(waiting: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => {
    reject(signal.reason);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) onAbort();
    await Promise.race([waiting, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

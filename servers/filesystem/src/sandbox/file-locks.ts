/** Lets one caller at a time change what has the same key; others wait in order. */
export class FileLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /**
   * Runs `body` when everybody who asked for `key` before is done.
   * @throws the signal's reason when it aborts while waiting; `body` is not run then
   */
  async run<T>(key: string, signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const { promise: done, resolve: release } = Promise.withResolvers<void>();
    // Who gives up waiting must not let the next one in before its turn.
    const tail = before === undefined ? done : before.then(() => done);
    this.#tails.set(key, tail);
    try {
      if (before !== undefined) await untilAborted(before, signal);
      signal.throwIfAborted();
      return await body();
    } finally {
      release();
      void this.#forget(key, tail);
    }
  }

  /** Keys somebody holds or waits for. */
  get size(): number {
    return this.#tails.size;
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

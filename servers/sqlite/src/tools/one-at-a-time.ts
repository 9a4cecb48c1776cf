/** Runs works one after another, in the order of their arrival. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after the earlier ones have ended. @throws the signal's reason while it waits, and what `work` throws */
  async run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const previous = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = Promise.all([previous, promise]);
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => {
      aborted.reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      signal.throwIfAborted();
      await Promise.race([previous, aborted.promise]);
      return await work();
    } finally {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }
  }
}

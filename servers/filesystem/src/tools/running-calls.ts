/** The tool calls of a whole server, so that they can be ended with it and clean up. */
export class RunningCalls {
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  /** Runs one call, with a signal that aborts with each of these, and when the server ends. */
  async run<T>(signals: readonly AbortSignal[], body: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#running.add(ended);
    try {
      return await body(AbortSignal.any([...signals, this.#stopping.signal]));
    } finally {
      this.#running.delete(ended);
      end();
    }
  }

  /** Aborts every call, also those that come; resolves when they have ended and removed what they had begun to write. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The server ends'));
    await Promise.all(this.#running);
  }
}

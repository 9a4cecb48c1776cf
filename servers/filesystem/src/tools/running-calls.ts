import type { Writable } from 'node:stream';

export interface RunningCallsOptions {
  /** Calls that run at once; more wait for their turn. Default 32. */
  readonly maxRunning?: number;
  /** Where answers go over stdio; no call begins while more than 4 MiB wait there for a host that does not read. Default: stdout of this process. */
  readonly output?: Pick<Writable, 'writableLength' | 'writable' | 'on' | 'off'>;
}

/** The calls of a whole server: bounded in number, and ended with it so that they clean up. */
export class RunningCalls {
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #waiting = new Set<() => void>();
  readonly #output: NonNullable<RunningCallsOptions['output']>;
  #free: number;

  constructor({ maxRunning = 32, output = process.stdout }: RunningCallsOptions = {}) {
    this.#free = maxRunning;
    this.#output = output;
  }

  /**
   * Runs one call when it is its turn, with a signal that aborts with each of these, and when the server ends.
   * @throws the signal's reason when it aborts before the turn, and what `body` throws
   */
  async run<T>(
    signals: readonly AbortSignal[],
    body: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#running.add(ended);
    const signal = AbortSignal.any([...signals, this.#stopping.signal]);
    try {
      await this.#takeTurn(signal);
      try {
        await this.#outputRead(signal);
        return await body(signal);
      } finally {
        this.#endTurn();
      }
    } finally {
      this.#running.delete(ended);
      end();
    }
  }

  /** Lets others run while a call waits for a person or a model. */
  async pausing<T>(waitForAnswer: () => Promise<T>): Promise<T> {
    this.#endTurn();
    try {
      return await waitForAnswer();
    } finally {
      // The turn is owed to the call whatever became of its question.
      await this.#takeTurn(new AbortController().signal);
    }
  }

  /** Aborts every call, also those that come; resolves when they have ended and removed what they had begun to write. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The server ends'));
    await Promise.all(this.#running);
  }

  async #takeTurn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const { promise: turn, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const abort = () => {
      if (this.#waiting.delete(resolve)) reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      await turn;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #endTurn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }

  /** Resolves when the host has read what waits for it, or never will. */
  async #outputRead(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const output = this.#output;
    if (output.writableLength <= maxUnreadBytes || !output.writable) return;
    const { promise: read, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => reject(signal.reason);
    for (const event of drainEvents) output.on(event, resolve);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await read;
    } finally {
      for (const event of drainEvents) output.off(event, resolve);
      signal.removeEventListener('abort', abort);
    }
  }
}

const maxUnreadBytes = 4 * 1024 * 1024;
const drainEvents = ['drain', 'close', 'error'] as const;

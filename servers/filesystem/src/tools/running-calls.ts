import type { Writable } from 'node:stream';

export interface RunningCallsOptions {
  /** Maximum number of calls that run at once; further calls wait. Default 32. */
  readonly maxRunning?: number;
  /**
   * Output of the responses over stdio; no call starts while more than 4 MiB wait there for the
   * host. Default: stdout of this process.
   */
  readonly output?: Pick<Writable, 'writableLength' | 'writable' | 'on' | 'off'>;
}

/**
 * Runs the calls of a whole server, limits their number, and aborts them at shutdown so that they
 * clean up.
 */
export class RunningCalls {
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #waiting = new Set<() => void>();
  readonly #output: NonNullable<RunningCallsOptions['output']>;
  #free: number;
  #drained: Promise<void> | undefined;

  constructor({ maxRunning = 32, output = process.stdout }: RunningCallsOptions = {}) {
    this.#free = maxRunning;
    this.#output = output;
  }

  /**
   * Runs one call in its turn, with a signal that aborts with each given signal and at shutdown.
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

  /** Releases the turn of a call while it waits for the user or a model. */
  async pausing<T>(waitForAnswer: () => Promise<T>): Promise<T> {
    this.#endTurn();
    try {
      return await waitForAnswer();
    } finally {
      // The call needs a turn again, whatever the outcome of the wait.
      await this.#takeTurn(new AbortController().signal);
    }
  }

  /**
   * Aborts all running and future calls; resolves when they have ended and removed their unfinished
   * files.
   */
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

  /** Resolves when the host has read the waiting output, or never will. */
  async #outputRead(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const output = this.#output;
    if (output.writableLength <= maxUnreadBytes || !output.writable) return;
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await Promise.race([this.#whenDrained(), aborted]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Waits for the output once for all calls: Node warns of more than ten listeners. */
  #whenDrained(): Promise<void> {
    this.#drained ??= new Promise((resolve) => {
      const end = () => {
        for (const event of drainEvents) this.#output.off(event, end);
        this.#drained = undefined;
        resolve();
      };
      for (const event of drainEvents) this.#output.on(event, end);
    });
    return this.#drained;
  }
}

const maxUnreadBytes = 4 * 1024 * 1024;
const drainEvents = ['drain', 'close', 'error'] as const;

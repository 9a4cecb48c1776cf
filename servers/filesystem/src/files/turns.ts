import { setImmediate as nextTurn } from 'node:timers/promises';

export interface TurnsOptions {
  readonly signal: AbortSignal;
  /** Time limit of the whole work in milliseconds; default none. */
  readonly maxMs?: number;
  /** Creates the error for work over its time limit. */
  readonly tooLong?: () => Error;
}

/**
 * Milliseconds after which a computation yields to the event loop, so that the server handles
 * cancellations, the end of its input and other calls.
 */
const turnMs = 20;

/** Divides a long computation into turns of the event loop: `if (turns.isOver) await turns.pause();` */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #deadline: number;
  #beganAt = performance.now();

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#deadline = this.#beganAt + (options.maxMs ?? Infinity);
  }

  /** Whether this turn has taken 20 ms. */
  get isOver(): boolean {
    return performance.now() - this.#beganAt > turnMs;
  }

  /**
   * Yields to the event loop.
   * @throws the signal's reason, and the error of `tooLong`
   */
  async pause(): Promise<void> {
    await nextTurn();
    const { signal, tooLong = () => new Error('The work takes too long') } = this.#options;
    signal.throwIfAborted();
    this.#beganAt = performance.now();
    if (this.#beganAt > this.#deadline) throw tooLong();
  }
}

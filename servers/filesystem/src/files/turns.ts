import { setImmediate as nextTurn } from 'node:timers/promises';

export interface TurnsOptions {
  readonly signal: AbortSignal;
  /** Milliseconds the work may take in all; default no limit. */
  readonly maxMs?: number;
  /** Makes the error that is thrown when the work takes longer. */
  readonly tooLong?: () => Error;
}

/** Milliseconds after which a computation gives way, so that cancellations, the end of the input and other calls are seen. */
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
   * Lets the event loop do everything else first.
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

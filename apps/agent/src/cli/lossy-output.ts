import type { Writable } from 'node:stream';

export interface Losses {
  /** Number of texts lost since the process started. */
  readonly count: number;
  /** Cause of the latest loss. */
  readonly reason: string;
}

/** Limit of unread bytes, beyond which texts are dropped. */
export const MAX_WAITING_BYTES = 256 * 1024;

/** Writes texts to a stream without waiting for its reader. Drops and counts texts that cannot be written or that exceed the buffer. */
export class LossyOutput {
  readonly #stream: Writable;
  #losses: Losses | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    // The callback of each write receives the error as well.
    stream.on('error', () => undefined);
  }

  get losses(): Losses | undefined {
    return this.#losses;
  }

  write(text: string): void {
    if (this.#stream.writableLength > MAX_WAITING_BYTES) this.#lose('the reader is too slow');
    else
      this.#stream.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
        if (error) this.#lose(error.code ?? error.message);
      });
  }

  #lose(reason: string): void {
    this.#losses = { count: (this.#losses?.count ?? 0) + 1, reason };
  }
}

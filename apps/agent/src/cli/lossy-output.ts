import type { Writable } from 'node:stream';

export interface Losses {
  /** Texts that were lost since the process began. */
  readonly count: number;
  /** Why the last one was lost. */
  readonly reason: string;
}

/** The bytes that wait for a reader before further texts are dropped. */
export const MAX_WAITING_BYTES = 256 * 1024;

/** Writes texts to a stream for as long as it takes them. A text that cannot be written, or that a slow reader has no room for, is lost and counted. */
export class LossyOutput {
  readonly #stream: Writable;
  #losses: Losses | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    // The callback of each write has the error as well.
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

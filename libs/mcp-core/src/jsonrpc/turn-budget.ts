import { setImmediate as nextTurn } from 'node:timers/promises';

const BYTES_PER_TURN = 256 * 1024;

/**
 * Limits how much of one peer is read in one turn of the event loop. A stream delivers up to 2 MiB
 * in one turn, whose messages would delay the timers and the other connections.
 */
export class TurnBudget {
  #bytes = 0;
  #end: Promise<void> | undefined;

  /** Counts bytes that were read. Returns a promise of the next turn once this turn has read 256 KiB. */
  read(byteCount: number): Promise<void> | undefined {
    this.#end ??= nextTurn().then(() => this.#reset());
    this.#bytes += byteCount;
    return this.#bytes < BYTES_PER_TURN ? undefined : this.#end;
  }

  #reset(): void {
    this.#bytes = 0;
    this.#end = undefined;
  }
}

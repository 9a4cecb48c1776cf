const BYTES_PER_TURN = 256 * 1024;

/**
 * Limits how much of one peer is read in one turn of the event loop. A stream delivers up to 2 MiB
 * in one turn, whose messages would delay the timers and the other connections.
 */
export class TurnBudget {
  #bytes = 0;
  #end: Promise<void> | undefined;

  /**
   * Counts bytes that were read. Returns a promise of the next turn after each 256 KiB. Turns with
   * fewer bytes are distinguished only by `isLast`, which says that this turn reads no more: a timer
   * for each turn would cost more than reading a message.
   */
  read(byteCount: number, isLast = false): Promise<void> | undefined {
    this.#bytes += byteCount;
    if (this.#bytes < BYTES_PER_TURN) {
      if (isLast) this.#bytes = 0;
      return undefined;
    }
    this.#end ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#bytes = 0;
        this.#end = undefined;
        resolve();
      });
    });
    return this.#end;
  }
}

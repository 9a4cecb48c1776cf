/** Smaller pieces are copied into a shared block, because each piece has a memory overhead. */
const SMALL_BYTES = 4 * 1024;
const BLOCK_BYTES = 64 * 1024;

/**
 * The bytes of a line that arrives in pieces. Memory is proportional to the bytes held, whatever
 * the size of the pieces.
 */
export class LinePieces {
  #whole: Buffer[] = [];
  #length = 0;
  /**
   * Holds small pieces in its first `#blockLength` bytes. A line returned by `take` may alias it
   * until the next `add`.
   */
  #block: Buffer | undefined;
  #blockLength = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    this.#length += piece.length;
    if (piece.length >= SMALL_BYTES) {
      this.#closeBlock();
      this.#whole.push(piece);
      return;
    }
    this.#block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
    if (this.#blockLength + piece.length > BLOCK_BYTES) {
      this.#closeBlock();
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    }
    piece.copy(this.#block, this.#blockLength);
    this.#blockLength += piece.length;
  }

  /** Returns all bytes and clears the pieces. The result is valid until the next `add`. */
  take(): Buffer {
    const line = this.#whole.length === 0 ? this.#smallLine() : this.#longLine();
    this.clear();
    return line;
  }

  clear(): void {
    this.#whole = [];
    this.#length = 0;
    this.#blockLength = 0;
  }

  #smallLine(): Buffer {
    return this.#block === undefined ? Buffer.alloc(0) : this.#block.subarray(0, this.#blockLength);
  }

  #longLine(): Buffer {
    this.#closeBlock();
    const [first = Buffer.alloc(0)] = this.#whole;
    return this.#whole.length === 1 ? first : Buffer.concat(this.#whole, this.#length);
  }

  #closeBlock(): void {
    if (this.#block === undefined || this.#blockLength === 0) return;
    this.#whole.push(this.#block.subarray(0, this.#blockLength));
    this.#block = undefined;
    this.#blockLength = 0;
  }
}

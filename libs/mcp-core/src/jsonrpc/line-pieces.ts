/** Pieces smaller than this are copied together: each piece costs memory of its own. */
const SMALL_BYTES = 4 * 1024;
const BLOCK_BYTES = 64 * 1024;

/** The bytes of a line that arrives in pieces; few of many bytes or many of few, what they cost grows with their bytes only. */
export class LinePieces {
  #whole: Buffer[] = [];
  #length = 0;
  /** Small pieces, in the first `#blockLength` bytes. Those of the last line may still be read when the next line begins, never longer. */
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

  /** All bytes, to be read before the next `add`; there are none afterwards. */
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

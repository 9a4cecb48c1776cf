const lineFeed = 0x0a;

/**
 * Consecutive lines of a text as UTF-8 (or one byte for each character), with their position. Lines
 * are 1-based and keep their terminators.
 */
export interface Slice {
  readonly bytes: Buffer;
  /** Number of the first line; absent for a tail, because counting would read the whole file. */
  readonly startLine?: number;
  /** Last line returned; `startLine - 1` when there is none. */
  readonly endLine?: number;
  /** Number of lines; present when the read counted lines up to the end of the file. */
  readonly totalLines?: number;
  /** Whether the file has more lines in the requested direction than fit, or a line was cut. */
  readonly truncated: boolean;
  /** Line at which the next read continues; absent at the end of the file. */
  readonly nextOffset?: number;
  /** Column at which the next read continues in a line that was cut. */
  readonly nextColumn?: number;
}

/** Lines from `offset` on, 1-based. */
export interface LineRangeFrom {
  readonly offset: number;
  readonly limit: number;
  /**
   * Start in the first line, from 1, in bytes of its UTF-8 form (or in characters of one byte);
   * default 1.
   */
  readonly column?: number;
}

/** Collects the lines of a range from consecutive chunks, and counts all other lines. */
export class LineWindow {
  readonly #first: number;
  readonly #limit: number;
  readonly #maxBytes: number;
  readonly #column: number;
  /** Bytes of the first line that remain to be skipped. */
  #toSkip: number;
  readonly #pieces: Buffer[] = [];
  #collected = 0;
  /** Line of the next byte. */
  #line = 1;
  #isAtLineStart = true;
  #isFull = false;
  #isAfterRange = false;

  constructor(range: LineRangeFrom, maxBytes: number) {
    this.#first = range.offset;
    this.#limit = range.limit;
    this.#column = range.column ?? 1;
    this.#toSkip = this.#column - 1;
    this.#maxBytes = maxBytes;
  }

  /** Whether further bytes cannot change the result. */
  get isComplete(): boolean {
    return this.#isFull || this.#isAfterRange;
  }

  /** Whether the window holds parts of a chunk. */
  get hasKept(): boolean {
    return this.#pieces.length > 0;
  }

  /** Processes a chunk. The caller must not write to the chunk again when `hasKept`. */
  take(chunk: Buffer): void {
    let from = this.#line >= this.#first ? 0 : chunk.length;
    for (let start = 0; start < chunk.length;) {
      if (this.#line === this.#first && this.#toSkip > 0) {
        from = start = this.#skip(chunk, start);
        continue;
      }
      if (this.#line - this.#first >= this.#limit) {
        this.#isAfterRange = true;
        this.#collect(chunk.subarray(from, start));
        return;
      }
      if (this.#line >= this.#first && from > start) from = start;
      // One byte over the limit shows that more follows.
      if (this.#collected + start - from > this.#maxBytes) break;
      const feed = chunk.indexOf(lineFeed, start);
      this.#isAtLineStart = feed !== -1;
      if (feed !== -1) this.#line++;
      start = feed === -1 ? chunk.length : feed + 1;
    }
    this.#collect(chunk.subarray(from));
  }

  finish(isEndOfFile: boolean): Slice {
    const lines = this.#isAtLineStart ? this.#line - 1 : this.#line;
    const bytes =
      this.#pieces.length === 1
        ? (this.#pieces[0] ?? Buffer.alloc(0))
        : Buffer.concat(this.#pieces, this.#collected);
    if (this.#isFull)
      return cutToBudget(bytes, {
        firstLine: this.#first,
        column: this.#column,
        maxBytes: this.#maxBytes,
      });
    return {
      bytes,
      startLine: this.#first,
      endLine: Math.max(this.#first - 1, lines),
      truncated: false,
      ...(isEndOfFile ? { totalLines: lines } : { nextOffset: lines + 1 }),
    };
  }

  /**
   * Returns the index in the chunk at which the requested part of the first line begins; never
   * skips its line end.
   */
  #skip(chunk: Buffer, start: number): number {
    const feed = chunk.indexOf(lineFeed, start);
    const end = Math.min(start + this.#toSkip, feed === -1 ? chunk.length : feed);
    this.#toSkip = end === feed ? 0 : this.#toSkip - (end - start);
    this.#isAtLineStart = false;
    return end;
  }

  #collect(piece: Buffer): void {
    const kept = piece.subarray(0, this.#maxBytes + 1 - this.#collected);
    if (kept.length > 0) this.#pieces.push(kept);
    this.#collected += kept.length;
    if (this.#collected > this.#maxBytes) this.#isFull = true;
  }
}

/** Returns the last `wanted` lines of `bytes`. */
export function lastLines(bytes: Buffer, wanted: number): Buffer {
  let start = bytes.length;
  if (bytes.at(-1) === lineFeed) start--;
  for (let line = 0; line < wanted; line++) {
    const feed = start === 0 ? -1 : bytes.lastIndexOf(lineFeed, start - 1);
    if (feed === -1) return bytes;
    start = feed;
  }
  return bytes.subarray(start + 1);
}

/** Returns the end of `lines` within the limit: whole lines if at least one fits. */
export function cutTail(lines: Buffer, maxBytes: number): Buffer {
  const from = lines.length - maxBytes;
  const feed = lines.indexOf(lineFeed, from - 1);
  return lines.subarray(
    feed === -1 || feed === lines.length - 1 ? nextCharacter(lines, from) : feed + 1,
  );
}

export function countFeeds(bytes: Buffer): number {
  let feeds = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) feeds++;
  return feeds;
}

export function countLines(bytes: Buffer): number {
  if (bytes.length === 0) return 0;
  return countFeeds(bytes) + (bytes.at(-1) === lineFeed ? 0 : 1);
}

/**
 * Cuts a slice to the limit at the end of a line, or inside its first line when that alone is too
 * long.
 */
function cutToBudget(
  bytes: Buffer,
  {
    firstLine,
    column,
    maxBytes,
  }: { readonly firstLine: number; readonly column: number; readonly maxBytes: number },
): Slice {
  const lastFeed = bytes.lastIndexOf(lineFeed, maxBytes - 1);
  const isCutInLine = lastFeed === -1;
  const kept = isCutInLine
    ? bytes.subarray(0, characterBoundary(bytes, maxBytes))
    : bytes.subarray(0, lastFeed + 1);
  const endLine = isCutInLine ? firstLine : firstLine + countLines(kept) - 1;
  const next = isCutInLine
    ? { nextOffset: firstLine, nextColumn: column + kept.length }
    : { nextOffset: endLine + 1 };
  return { bytes: kept, startLine: firstLine, endLine, truncated: true, ...next };
}

/** Returns the last position at or before `at` that does not split a UTF-8 character. */
function characterBoundary(bytes: Buffer, at: number): number {
  for (let position = at; position > at - 4 && position > 0; position--) {
    if (!isContinuation(bytes[position])) return position;
  }
  return at;
}

function nextCharacter(bytes: Buffer, at: number): number {
  for (let position = at; position < at + 4; position++) {
    if (!isContinuation(bytes[position])) return position;
  }
  return at;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

const lineFeed = 0x0a;

/** Lines of a text as UTF-8 (or one byte for each character), with where they are. Lines are 1-based and keep their terminators. */
export interface Slice {
  readonly bytes: Buffer;
  /** Absent when counting would mean reading what comes before a tail. */
  readonly startLine?: number;
  /** Last line returned; `startLine - 1` when there is none. */
  readonly endLine?: number;
  /** Present when the end of the file was reached while lines were counted. */
  readonly totalLines?: number;
  /** Whether the file has more in the asked direction than fits, or a line had to be cut. */
  readonly truncated: boolean;
  /** The line at which the next read continues, when text follows. */
  readonly nextOffset?: number;
  /** The column of that line, when it was cut. */
  readonly nextColumn?: number;
}

/** Lines from 1. */
export interface LineRangeFrom {
  readonly offset: number;
  readonly limit: number;
  /** Where in the first line to begin, from 1, in bytes of its UTF-8 form (or in characters of one byte); default 1. */
  readonly column?: number;
}

/** Collects the lines of a range out of consecutive chunks, and only counts the others. */
export class LineWindow {
  readonly #first: number;
  readonly #limit: number;
  readonly #maxBytes: number;
  readonly #column: number;
  /** Bytes of the first line that are still to be left out. */
  #toSkip: number;
  readonly #pieces: Buffer[] = [];
  #collected = 0;
  /** Line the next byte belongs to. */
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

  /** Whether parts of a chunk are kept. */
  get hasKept(): boolean {
    return this.#pieces.length > 0;
  }

  /** Keeps parts of the chunk, which the caller must not write to again when `hasKept`. */
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
      // One byte more than the limit shows that there is more.
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

  /** Returns where in the chunk the wanted part of the first line begins; its line end is not left out. */
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

/** The last lines of `bytes`, as many as wanted. */
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

/** The end of `lines` within the limit: whole lines where one fits. */
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

/** Ends a slice that is over the limit at a line's end, or inside its first line when that alone is too long. */
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

/** The last position at or before `at` that does not split a UTF-8 character. */
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

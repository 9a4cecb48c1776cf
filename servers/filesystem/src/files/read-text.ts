import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { PathError } from '../sandbox/path-error.ts';
import type { PinnedPath } from '../sandbox/pinned-path.ts';
import { jsonBytes, resultBudgetBytes } from './limits.ts';

/** Which lines to return; lines are 1-based and keep their terminators. */
export type LineRange = { readonly kind: 'from'; readonly offset: number; readonly limit: number } | { readonly kind: 'tail'; readonly count: number };

export interface TextWindow {
  readonly content: string;
  /** Absent when counting would mean reading what comes before a tail. */
  readonly startLine?: number;
  /** Last line returned; `startLine - 1` when there is none. */
  readonly endLine?: number;
  /** Present when the end of the file was reached while lines were counted. */
  readonly totalLines?: number;
  /** Whether the file has more in the asked direction than was returned because of a size limit, or a line had to be cut. */
  readonly truncated: boolean;
  /** Where the next read continues, when lines follow. */
  readonly nextOffset?: number;
  readonly eol: 'lf' | 'crlf' | 'mixed' | 'none';
  readonly bom: boolean;
  /** `latin1` when the bytes are not UTF-8: each byte is shown as one character, and nothing is lost. */
  readonly encoding: 'utf-8' | 'latin1';
  /** Bytes of the whole file. */
  readonly size: number;
}

export interface ReadTextOptions {
  readonly range: LineRange;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Called with the number of bytes scanned so far. */
  readonly onScanned: (bytes: number) => void;
}

/**
 * Reads lines of a verified text file with memory bounded by `maxBytes`, whatever the file's size.
 * @throws PathError for a directory, special file or binary file
 */
export async function readText(file: PinnedPath, options: ReadTextOptions): Promise<TextWindow> {
  requireRegularFile(file);
  await using handle = await file.open(constants.O_RDONLY);
  const { size } = await handle.stat();
  const bom = await inspectStart(handle, file.realPath);
  const slice = options.range.kind === 'tail' ? await readTail(handle, size, options) : await readFrom(handle, options);
  return describeSlice(slice, { size, bom, keep: options.range.kind === 'tail' ? 'end' : 'start' });
}

/** @throws PathError when the path is anything but a regular file */
export function requireRegularFile(file: PinnedPath): void {
  if (file.stats.isFile()) return;
  if (file.stats.isDirectory()) throw new PathError('wrong-type', `${file.realPath} is a directory; use list_directory.`);
  throw new PathError('special-file', `${file.realPath} is a FIFO, socket or device; only regular files are read and written.`);
}

const chunkBytes = 256 * 1024;
const lineFeed = 0x0a;

interface Slice {
  readonly bytes: Buffer;
  readonly startLine?: number;
  readonly endLine?: number;
  readonly totalLines?: number;
  readonly truncated: boolean;
  readonly nextOffset?: number;
}

/** Refuses what is not text, judged by the first 8 KiB, and tells whether a UTF-8 byte order mark leads. */
async function inspectStart(handle: FileHandle, path: string): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(8192), 0, 8192, 0);
  const start = buffer.subarray(0, bytesRead);
  const mark = start.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') {
    throw new PathError('binary', `${path} is UTF-16${mark === 'fffe' ? 'LE' : 'BE'} text; only UTF-8 is read. Read it as a resource to get its bytes.`);
  }
  if (start.includes(0)) throw new PathError('binary', `${path} is a binary file; read_text_file reads text only. Read it as a resource to get its bytes.`);
  return start.subarray(0, 3).toString('hex') === 'efbbbf';
}

async function readFrom(handle: FileHandle, options: ReadTextOptions & { readonly range: LineRange }): Promise<Slice> {
  const range = options.range.kind === 'from' ? options.range : { offset: 1, limit: Infinity };
  const window = new LineWindow(range, options.maxBytes);
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (let position = 0; !window.isComplete; ) {
    options.signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) return window.finish(true);
    window.take(buffer.subarray(0, bytesRead));
    position += bytesRead;
    options.onScanned(position);
  }
  return window.finish(false);
}

/** Collects the lines of a range out of consecutive chunks, and only counts the others. */
class LineWindow {
  readonly #first: number;
  readonly #limit: number;
  readonly #maxBytes: number;
  /** One byte more than the limit shows that there is more. */
  readonly #bytes: Buffer;
  #collected = 0;
  /** Line the next byte belongs to. */
  #line = 1;
  #isAtLineStart = true;
  #isFull = false;
  #isAfterRange = false;

  constructor(range: { readonly offset: number; readonly limit: number }, maxBytes: number) {
    this.#first = range.offset;
    this.#limit = range.limit;
    this.#maxBytes = maxBytes;
    this.#bytes = Buffer.allocUnsafe(maxBytes + 1);
  }

  /** Whether further bytes cannot change the result. */
  get isComplete(): boolean {
    return this.#isFull || this.#isAfterRange;
  }

  take(chunk: Buffer): void {
    for (let start = 0; start < chunk.length && !this.isComplete; ) {
      if (this.#line - this.#first >= this.#limit) {
        this.#isAfterRange = true;
        return;
      }
      const feed = chunk.indexOf(lineFeed, start);
      const end = feed === -1 ? chunk.length : feed + 1;
      if (this.#line >= this.#first) this.#collect(chunk.subarray(start, end));
      this.#isAtLineStart = feed !== -1;
      if (feed !== -1) this.#line++;
      start = end;
    }
  }

  finish(isEndOfFile: boolean): Slice {
    const lines = this.#isAtLineStart ? this.#line - 1 : this.#line;
    const bytes = this.#bytes.subarray(0, this.#collected);
    if (!this.#isFull) {
      return {
        bytes,
        startLine: this.#first,
        endLine: Math.max(this.#first - 1, lines),
        truncated: false,
        ...(isEndOfFile ? { totalLines: lines } : { nextOffset: lines + 1 }),
      };
    }
    return cutToBudget(bytes, this.#first, this.#maxBytes);
  }

  #collect(piece: Buffer): void {
    this.#collected += piece.copy(this.#bytes, this.#collected);
    if (this.#collected > this.#maxBytes) this.#isFull = true;
  }
}

/** Ends a slice that is over the limit at a line's end, or inside its first line when that alone is too long. */
function cutToBudget(bytes: Buffer, firstLine: number, maxBytes: number): Slice {
  const lastFeed = bytes.lastIndexOf(lineFeed, maxBytes - 1);
  const isCutInLine = lastFeed === -1;
  const kept = isCutInLine ? bytes.subarray(0, characterBoundary(bytes, maxBytes)) : bytes.subarray(0, lastFeed + 1);
  const endLine = isCutInLine ? firstLine : firstLine + countLines(kept) - 1;
  return { bytes: kept, startLine: firstLine, endLine, truncated: true, nextOffset: endLine + 1 };
}

async function readTail(handle: FileHandle, size: number, options: ReadTextOptions): Promise<Slice> {
  const wanted = options.range.kind === 'tail' ? options.range.count : 0;
  const parts: Buffer[] = [];
  let position = size;
  let collected = 0;
  let feeds = 0;
  // The feed that ends the last line does not begin another one, hence one more than wanted.
  while (position > 0 && collected <= options.maxBytes && feeds <= wanted) {
    options.signal.throwIfAborted();
    const length = Math.min(chunkBytes, position);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position - length);
    const part = buffer.subarray(0, bytesRead);
    parts.unshift(part);
    position -= length;
    collected += bytesRead;
    feeds += countFeeds(part);
  }
  const bytes = Buffer.concat(parts);
  const start = startOfLastLines(bytes, wanted);
  const lines = bytes.subarray(start);
  if (lines.length > options.maxBytes) return cutTail(lines, options.maxBytes);
  if (position > 0 || start > 0) return { bytes: lines, truncated: false };
  const total = countLines(lines);
  return { bytes: lines, startLine: 1, endLine: total, totalLines: total, truncated: false };
}

function startOfLastLines(bytes: Buffer, wanted: number): number {
  let start = bytes.length;
  if (bytes.at(-1) === lineFeed) start--;
  for (let line = 0; line < wanted; line++) {
    const feed = start === 0 ? -1 : bytes.lastIndexOf(lineFeed, start - 1);
    if (feed === -1) return 0;
    start = feed;
  }
  return start + 1;
}

/** Keeps the end: whole lines where one fits. */
function cutTail(lines: Buffer, maxBytes: number): Slice {
  const from = lines.length - maxBytes;
  const feed = lines.indexOf(lineFeed, from - 1);
  const start = feed === -1 || feed === lines.length - 1 ? nextCharacter(lines, from) : feed + 1;
  return { bytes: lines.subarray(start), truncated: true };
}

function describeSlice(slice: Slice, file: { readonly size: number; readonly bom: boolean; readonly keep: 'start' | 'end' }): TextWindow {
  const { bytes, ...lines } = slice;
  const includesMark = file.bom && (lines.startLine === 1 || bytes.length === file.size);
  const body = includesMark ? bytes.subarray(3) : bytes;
  const encoding = isUtf8(body) ? 'utf-8' : 'latin1';
  const content = body.toString(encoding);
  const window: TextWindow = { content, ...lines, eol: lineEnding(content), bom: file.bom, encoding, size: file.size };
  if (fitsBudget(content)) return window;
  return file.keep === 'end' ? shrinkTail(window) : shrink(window);
}

/** Text full of control characters grows in JSON; it is cut further by lines, or else by characters. */
function shrink(window: TextWindow): TextWindow {
  let content = window.content;
  while (!fitsBudget(content)) content = content.slice(0, Math.floor(content.length / 2));
  const lastFeed = content.lastIndexOf('\n');
  content = lastFeed === -1 ? content.replace(/[\uD800-\uDBFF]$/, '') : content.slice(0, lastFeed + 1);
  const startLine = window.startLine ?? 1;
  const endLine = startLine + Math.max(1, content.split('\n').length - 1) - 1;
  const { totalLines: _totalLines, ...rest } = window;
  return { ...rest, content, startLine, endLine, truncated: true, nextOffset: endLine + 1 };
}

function shrinkTail(window: TextWindow): TextWindow {
  let content = window.content;
  while (!fitsBudget(content)) content = content.slice(Math.ceil(content.length / 2));
  const firstFeed = content.indexOf('\n');
  content = firstFeed === -1 || firstFeed === content.length - 1 ? content.replace(/^[\uDC00-\uDFFF]/, '') : content.slice(firstFeed + 1);
  const { startLine: _startLine, endLine: _endLine, totalLines: _totalLines, ...rest } = window;
  return { ...rest, content, truncated: true };
}

function fitsBudget(content: string): boolean {
  return 2 * jsonBytes(content) <= resultBudgetBytes - 4096;
}

function lineEnding(content: string): TextWindow['eol'] {
  const feeds = content.split('\n').length - 1;
  if (feeds === 0) return 'none';
  const pairs = content.split('\r\n').length - 1;
  if (pairs === 0) return 'lf';
  return pairs === feeds ? 'crlf' : 'mixed';
}

function countFeeds(bytes: Buffer): number {
  let feeds = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) feeds++;
  return feeds;
}

function countLines(bytes: Buffer): number {
  if (bytes.length === 0) return 0;
  return countFeeds(bytes) + (bytes.at(-1) === lineFeed ? 0 : 1);
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

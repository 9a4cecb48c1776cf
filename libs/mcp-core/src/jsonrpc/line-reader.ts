import { withoutByteOrderMark } from './byte-order-mark.ts';
import { LinePieces } from './line-pieces.ts';
import { BudgetShare } from './message-budget.ts';
import {
  costProblem,
  harmlessLength,
  isDeeperThan,
  NO_ROOM,
  shortLength,
  tooDeep,
  tooLong,
  type MessageLimits,
} from './message-limits.ts';
import { idOfRefused, RefusedMessage, type RefusedId } from './refused-message.ts';
import type { TransportReceiver } from './transport.ts';
import { isUtf8 } from './utf8.ts';

/** Default longest line in bytes that a server accepts. */
export const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * Splits a byte stream into newline-delimited JSON messages. Chunks may end anywhere, even inside a
 * character. Blank lines are skipped, and `\r` before the newline and a byte order mark before a
 * message are accepted. A line longer than `maxBytes`, not counting its newline, is discarded as it
 * arrives, never buffered, and reported once: as soon as the id of its message is known, otherwise
 * at its end. A line of too many values is not parsed, and a line of too many levels is not delivered.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */
export class LineReader {
  readonly #receiver: Pick<TransportReceiver, 'message' | 'unreadable'>;
  readonly #limits: MessageLimits;
  /** Length up to which a line cannot exceed any limit. */
  readonly #harmlessLength: number;
  /** Length up to which lines can exceed only the limit of levels, which is checked after parsing. */
  readonly #parsedLength: number;
  /** The start of an incomplete line. */
  readonly #pieces = new LinePieces();
  /** Budget bytes reserved by the incomplete line. */
  readonly #share: BudgetShare;
  /** The line being discarded because it is too long, and the reason. */
  #refused: RefusedMessage | undefined;
  #refusal = '';
  #isReported = false;
  #isStopped = false;

  constructor(receiver: Pick<TransportReceiver, 'message' | 'unreadable'>, limits: MessageLimits) {
    this.#receiver = receiver;
    this.#limits = limits;
    this.#share = new BudgetShare(limits.budget);
    this.#harmlessLength = harmlessLength(limits);
    this.#parsedLength = shortLength(limits);
  }

  /**
   * Delivers every message that the chunk completes, in order. The chunk must not be reused
   * afterwards.
   */
  push(chunk: Uint8Array): void {
    if (this.#isStopped) return;
    const bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const start =
      this.#refused !== undefined || this.#pieces.length > 0 ? this.#continueLine(bytes) : 0;
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (start < end)
      this.#readLines(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end));
    if (Math.max(start, end) < bytes.length) this.#beginLine(bytes.subarray(Math.max(start, end)));
  }

  /** Stops reading immediately, even within the current chunk. */
  stop(): void {
    this.#isStopped = true;
    this.#pieces.clear();
    this.#share.release();
  }

  /** Handles the end of the stream: delivers a last line without newline. */
  end(): void {
    this.#endLine();
  }

  /** Consumes bytes of an incomplete line. Returns the index at which to continue. */
  #continueLine(bytes: Buffer): number {
    const newline = bytes.indexOf(NEWLINE);
    const end = newline === -1 ? bytes.length : newline;
    this.#beginLine(bytes.subarray(0, end));
    if (newline === -1) return end;
    this.#endLine();
    return end + 1;
  }

  #beginLine(piece: Buffer): void {
    if (piece.length === 0 || this.#isStopped) return;
    if (this.#refused !== undefined) this.#passBy(this.#refused, piece);
    else if (this.#pieces.length + piece.length > this.#limits.maxBytes)
      this.#beginRefused(tooLong(this.#limits), piece);
    else if (this.#share.grow(piece.length)) this.#pieces.add(piece);
    else this.#beginRefused(NO_ROOM, piece);
  }

  #beginRefused(refusal: string, piece: Buffer): void {
    const refused = new RefusedMessage();
    this.#refused = refused;
    this.#refusal = refusal;
    if (this.#pieces.length > 0) this.#passBy(refused, this.#pieces.take());
    this.#share.release();
    this.#passBy(refused, piece);
  }

  #endLine(): void {
    this.#share.release();
    if (this.#refused !== undefined) this.#endRefused(this.#refused.found ?? {});
    else if (this.#pieces.length > 0) this.#readLine(this.#pieces.take());
  }

  #passBy(refused: RefusedMessage, piece: Buffer): void {
    if (this.#isReported) return;
    const found = refused.push(piece);
    if (found === undefined) return;
    this.#isReported = true;
    this.#refuse(this.#refusal, found);
  }

  #endRefused(found: RefusedId): void {
    const isReported = this.#isReported;
    this.#refused = undefined;
    this.#isReported = false;
    if (!isReported) this.#refuse(this.#refusal, found);
  }

  /**
   * Parses complete lines with their newlines. Decoding them together is faster for many short
   * lines, and safe: in UTF-8 a newline byte is never part of another character.
   */
  #readLines(lines: Buffer): void {
    const text = lines.length <= this.#parsedLength ? decode(lines) : undefined;
    if (text === undefined) this.#readEachLine(lines);
    else this.#parseLines(text);
  }

  #parseLines(text: string): void {
    // JSON may end with a newline, so a single line need not be cut.
    if (text.indexOf('\n') === text.length - 1) return this.#parse(text);
    let start = 0;
    for (
      let end = text.indexOf('\n');
      end !== -1 && !this.#isStopped;
      end = text.indexOf('\n', start)
    ) {
      this.#parse(text.slice(start, end));
      start = end + 1;
    }
  }

  #readEachLine(lines: Buffer): void {
    let start = 0;
    for (
      let end = lines.indexOf(NEWLINE);
      end !== -1 && !this.#isStopped;
      end = lines.indexOf(NEWLINE, start)
    ) {
      this.#readLine(lines.subarray(start, end));
      start = end + 1;
    }
  }

  #readLine(line: Buffer): void {
    const isChecked = line.length > this.#parsedLength;
    if (isChecked && this.#isRefused(line)) return;
    const text = decode(line);
    if (text === undefined)
      this.#receiver.unreadable({ reason: 'parse-error', detail: 'a line is not UTF-8' });
    else this.#parse(text, isChecked);
  }

  #refuse(problem: string, found: RefusedId): void {
    this.#receiver.unreadable({ reason: 'too-large', detail: `a line ${problem}`, ...found });
  }

  /** Refuses a line that exceeds a limit. */
  #isRefused(line: Buffer): boolean {
    const problem = costProblem(line, this.#limits);
    if (problem !== undefined) this.#refuse(problem, idOfRefused(line));
    return problem !== undefined;
  }

  /** Parses a line. `isChecked` says that it is known to be within the limits. */
  #parse(text: string, isChecked = false): void {
    const isHarmless = isChecked || text.length <= this.#harmlessLength;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      // The error shows the text: without the newline it is one line.
      if (text.endsWith('\n')) return this.#parse(text.slice(0, -1), isChecked);
      const unmarked = withoutByteOrderMark(text);
      if (unmarked !== text) return this.#parse(unmarked, isChecked);
      if (text.trim() === '' || (!isHarmless && this.#isRefused(Buffer.from(text)))) return;
      this.#receiver.unreadable({
        reason: 'parse-error',
        detail: `a line is not JSON: ${(error as SyntaxError).message.slice(0, 200)}`,
      });
      return;
    }
    if (!isHarmless && isDeeperThan(value, this.#limits.maxDepth))
      this.#refuse(tooDeep(this.#limits), idOfRefused(Buffer.from(text)));
    else this.#receiver.message(value);
  }
}

/** Returns `undefined` when the bytes are not UTF-8. */
function decode(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

import { isUtf8 } from 'node:buffer';
import { LinePieces } from './line-pieces.ts';
import type { TransportReceiver } from './transport.ts';

/** Longest accepted line in bytes where nothing else is configured. */
export const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * Cuts a byte stream into newline-delimited JSON messages. Chunks may end anywhere, also inside a character. Blank lines are skipped and `\r\n` is
 * tolerated. A line longer than `maxLineBytes` (its newline not counted) is dropped as it arrives, never held, and reported once.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */
export class LineReader {
  readonly #receiver: Pick<TransportReceiver, 'message' | 'unreadable'>;
  readonly #maxLineBytes: number;
  /** The beginning of a line. */
  readonly #pieces = new LinePieces();
  #isDiscarding = false;

  constructor(receiver: Pick<TransportReceiver, 'message' | 'unreadable'>, maxLineBytes: number) {
    this.#receiver = receiver;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Delivers every message that the chunk completes, in order. The chunk must not be reused afterwards. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const start = this.#isDiscarding || this.#pieces.length > 0 ? this.#continueLine(bytes) : 0;
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (start < end) this.#readLines(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end));
    if (Math.max(start, end) < bytes.length) this.#beginLine(bytes.subarray(Math.max(start, end)));
  }

  /** The stream ended; a last line without newline is delivered. */
  end(): void {
    this.#endLine();
  }

  /** Takes the rest of a line, or more of it, and gives where to go on. */
  #continueLine(bytes: Buffer): number {
    const newline = bytes.indexOf(NEWLINE);
    const end = newline === -1 ? bytes.length : newline;
    this.#beginLine(bytes.subarray(0, end));
    if (newline === -1) return end;
    this.#endLine();
    return end + 1;
  }

  #beginLine(piece: Buffer): void {
    if (this.#isDiscarding || piece.length === 0) return;
    if (this.#pieces.length + piece.length <= this.#maxLineBytes) {
      this.#pieces.add(piece);
      return;
    }
    this.#pieces.clear();
    this.#isDiscarding = true;
    this.#refuseLine();
  }

  #endLine(): void {
    this.#isDiscarding = false;
    if (this.#pieces.length > 0) this.#readLine(this.#pieces.take());
  }

  /** Lines with their newlines. They are decoded together, which many short ones are read faster by: a newline byte is never part of another character. */
  #readLines(lines: Buffer): void {
    const text = lines.length <= this.#maxLineBytes ? decode(lines) : undefined;
    if (text === undefined) this.#readEachLine(lines);
    else this.#parseLines(text);
  }

  #parseLines(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#parse(text.slice(start, end));
      start = end + 1;
    }
  }

  #readEachLine(lines: Buffer): void {
    let start = 0;
    for (let end = lines.indexOf(NEWLINE); end !== -1; end = lines.indexOf(NEWLINE, start)) {
      this.#readLine(lines.subarray(start, end));
      start = end + 1;
    }
  }

  #readLine(line: Buffer): void {
    if (line.length > this.#maxLineBytes) {
      this.#refuseLine();
      return;
    }
    const text = decode(line);
    if (text === undefined) this.#receiver.unreadable({ reason: 'parse-error', detail: 'a line is not UTF-8' });
    else this.#parse(text);
  }

  #refuseLine(): void {
    this.#receiver.unreadable({ reason: 'too-large', detail: `a line is longer than ${String(this.#maxLineBytes)} bytes` });
  }

  #parse(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      if (text.trim() !== '') this.#receiver.unreadable({ reason: 'parse-error', detail: `a line is not JSON: ${(error as SyntaxError).message.slice(0, 200)}` });
      return;
    }
    this.#receiver.message(value);
  }
}

/** `undefined` when the bytes are not UTF-8. */
function decode(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

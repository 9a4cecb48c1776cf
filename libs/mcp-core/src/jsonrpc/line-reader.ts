import { isUtf8 } from 'node:buffer';
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
  #pieces: Uint8Array[] = [];
  #length = 0;
  #isDiscarding = false;

  constructor(receiver: Pick<TransportReceiver, 'message' | 'unreadable'>, maxLineBytes: number) {
    this.#receiver = receiver;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Delivers every message that the chunk completes, in order. The chunk must not be reused afterwards. */
  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#append(chunk.subarray(start, end));
      this.#finishLine();
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
  }

  /** The stream ended; a last line without newline is delivered. */
  end(): void {
    this.#finishLine();
  }

  #append(piece: Uint8Array): void {
    if (this.#isDiscarding || piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length <= this.#maxLineBytes) {
      this.#pieces.push(piece);
      return;
    }
    this.#pieces = [];
    this.#isDiscarding = true;
    this.#receiver.unreadable({ reason: 'too-large', detail: `a line is longer than ${String(this.#maxLineBytes)} bytes` });
  }

  #finishLine(): void {
    const [first, ...rest] = this.#pieces;
    this.#pieces = [];
    this.#length = 0;
    this.#isDiscarding = false;
    if (first !== undefined) this.#deliver(rest.length === 0 ? first : Buffer.concat([first, ...rest]));
  }

  #deliver(line: Uint8Array): void {
    const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8');
    if (text.trim() === '') return;
    const parsed = isUtf8(line) ? parse(text) : { detail: 'a line is not UTF-8' };
    if ('detail' in parsed) this.#receiver.unreadable({ reason: 'parse-error', detail: parsed.detail });
    else this.#receiver.message(parsed.value);
  }
}

function parse(text: string): { readonly value: unknown } | { readonly detail: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { detail: `a line is not JSON: ${(error as SyntaxError).message.slice(0, 200)}` };
  }
}

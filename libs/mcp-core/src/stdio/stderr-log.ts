import { StringDecoder } from 'node:string_decoder';

const TAIL_BYTES = 64 * 1024;
const LINE_BYTES = 8 * 1024;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** What Node writes last when an error ends it, some lines after the error. */
const NODE_VERSION_LINE = /^Node\.js v\d+\.\d+\.\d+\S*$/;
const ERROR_LINE = /^(?:Uncaught )?\w*Error(?: \[\w+\])?: \S/;

/** Keeps the end of a child's stderr and cuts it into lines, in bounded memory whatever the child writes. */
export class StderrLog {
  readonly #onLine: ((line: string) => void) | undefined;
  #tail: Buffer = Buffer.alloc(0);
  #line: Buffer = Buffer.alloc(0);
  #lastLine = '';
  #lastErrorLine = '';

  constructor(onLine?: (line: string) => void) {
    this.#onLine = onLine;
  }

  write(chunk: Buffer): void {
    this.#tail = lastBytes(Buffer.concat([this.#tail, lastBytes(chunk, TAIL_BYTES)]), TAIL_BYTES);
    let start = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline >= 0; newline = chunk.indexOf(NEWLINE, start)) {
      this.#extendLine(chunk.subarray(start, newline));
      this.#endLine();
      start = newline + 1;
    }
    this.#extendLine(chunk.subarray(start));
  }

  /** Delivers an unfinished last line. */
  end(): void {
    if (this.#line.length > 0) {
      this.#endLine();
    }
  }

  /** At most the last 64 KiB. */
  tail(): string {
    let start = 0;
    while (start < 3 && ((this.#tail[start] ?? 0) & 0xc0) === 0x80) {
      start += 1;
    }
    return this.#tail.toString('utf8', start);
  }

  /** The last line that is not blank, or the error above it where that is only the version of a Node that crashed; at most 8 KiB of it, empty when there is none. */
  lastLine(): string {
    return NODE_VERSION_LINE.test(this.#lastLine) && this.#lastErrorLine !== '' ? this.#lastErrorLine : this.#lastLine;
  }

  #extendLine(bytes: Buffer): void {
    const room = LINE_BYTES - this.#line.length;
    if (room > 0 && bytes.length > 0) {
      this.#line = Buffer.concat([this.#line, bytes.subarray(0, room)]);
    }
  }

  #endLine(): void {
    // The decoder leaves out a character that the byte limit cut in two.
    const line = new StringDecoder('utf8').write(withoutCarriageReturn(this.#line));
    this.#line = Buffer.alloc(0);
    if (line.trim() !== '') {
      this.#lastLine = line;
    }
    if (ERROR_LINE.test(line)) {
      this.#lastErrorLine = line;
    }
    this.#onLine?.(line);
  }
}

function lastBytes(bytes: Buffer, count: number): Buffer {
  return bytes.length > count ? bytes.subarray(bytes.length - count) : bytes;
}

function withoutCarriageReturn(line: Buffer): Buffer {
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}

import { stderrExcerpt } from './stderr-excerpt.ts';

const TAIL_BYTES = 64 * 1024;
const LINE_BYTES = 8 * 1024;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Keeps the end of a child's stderr and splits it into lines, in bounded memory. */
export class StderrLog {
  readonly #onLine: ((line: string) => void) | undefined;
  #tail: Buffer = Buffer.alloc(0);
  #line: Buffer = Buffer.alloc(0);

  constructor(onLine?: (line: string) => void) {
    this.#onLine = onLine;
  }

  write(chunk: Buffer): void {
    this.#tail = lastBytes(Buffer.concat([this.#tail, lastBytes(chunk, TAIL_BYTES)]), TAIL_BYTES);
    let start = 0;
    for (
      let newline = chunk.indexOf(NEWLINE);
      newline >= 0;
      newline = chunk.indexOf(NEWLINE, start)
    ) {
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

  /** Returns at most the last 64 KiB. */
  tail(): string {
    let start = 0;
    while (start < 3 && ((this.#tail[start] ?? 0) & 0xc0) === 0x80) {
      start += 1;
    }
    return this.#tail.toString('utf8', start);
  }

  /** Returns at most five lines that explain why the child ended. */
  excerpt(): readonly string[] {
    return stderrExcerpt(this.tail().split(/\r?\n/));
  }

  #extendLine(bytes: Buffer): void {
    const room = LINE_BYTES - this.#line.length;
    if (room > 0 && bytes.length > 0) {
      this.#line = Buffer.concat([this.#line, bytes.subarray(0, room)]);
    }
  }

  #endLine(): void {
    // The decoder drops a character that the byte limit cut in two.
    const { StringDecoder } = process.getBuiltinModule('node:string_decoder');
    const line = new StringDecoder('utf8').write(withoutCarriageReturn(this.#line));
    this.#line = Buffer.alloc(0);
    this.#onLine?.(line);
  }
}

function lastBytes(bytes: Buffer, count: number): Buffer {
  return bytes.length > count ? bytes.subarray(bytes.length - count) : bytes;
}

function withoutCarriageReturn(line: Buffer): Buffer {
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}

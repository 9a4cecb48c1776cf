import { countLines } from './import-record.ts';

/** The encodings of imported files. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Reports bytes that the encoding does not allow. */
export class EncodingError extends Error {
  readonly line: number;

  constructor(encoding: Encoding, line: number) {
    super(
      `not valid ${encoding.toUpperCase()} near this line. Set encoding, or convert the file; possible: ${ENCODINGS.join(', ')}`,
    );
    this.name = 'EncodingError';
    this.line = line;
  }
}

/** Bytes that can belong to one character. */
const CHARACTER_BYTES = 3;

/**
 * Decodes a stream of bytes. Without an encoding the byte order mark decides, by default UTF-8. A byte
 * order mark is removed.
 */
export class TextDecoding {
  #encoding: Encoding | undefined;
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  /** Bytes before the decision on the encoding, and then the last bytes of the previous chunk. */
  #kept: Buffer = Buffer.alloc(0);
  #lines = 1;

  constructor(encoding?: Encoding) {
    this.#encoding = encoding;
  }

  /** @throws EncodingError */
  push(bytes: Buffer): string {
    if (this.#decoder !== undefined) return this.#decode(bytes, this.#decoder);
    const start = Buffer.concat([this.#kept, bytes]);
    this.#kept = start;
    return start.length < CHARACTER_BYTES ? '' : this.#begin(start);
  }

  /** Returns the text of the last bytes. @throws EncodingError for half a character */
  end(): string {
    const start = this.#decoder === undefined ? this.#begin(this.#kept) : '';
    try {
      return start + (this.#decoder?.decode() ?? '');
    } catch (error) {
      throw Object.assign(new EncodingError(this.#encoding ?? 'utf-8', this.#lines), {
        cause: error,
      });
    }
  }

  #begin(start: Buffer): string {
    this.#encoding ??= encodingOf(start);
    this.#decoder = new TextDecoder(this.#encoding, { fatal: true });
    this.#kept = Buffer.alloc(0);
    return this.#decode(start, this.#decoder);
  }

  #decode(bytes: Buffer, decoder: InstanceType<typeof TextDecoder>): string {
    let text: string;
    try {
      text = decoder.decode(bytes, { stream: true });
    } catch (error) {
      throw Object.assign(this.#errorIn(bytes), { cause: error });
    }
    this.#lines += countLines(text);
    this.#kept = bytes.subarray(-CHARACTER_BYTES);
    return text;
  }

  #errorIn(bytes: Buffer): EncodingError {
    const encoding = this.#encoding ?? 'utf-8';
    const text = new TextDecoder(encoding).decode(Buffer.concat([this.#kept, bytes]));
    // The kept bytes may begin within a character.
    const at = text.indexOf('\uFFFD', CHARACTER_BYTES);
    const before = at === -1 ? '' : text.slice(0, at);
    const counted = countLines(new TextDecoder(encoding).decode(this.#kept));
    return new EncodingError(encoding, this.#lines + Math.max(0, countLines(before) - counted));
  }
}

function encodingOf(start: Buffer): Encoding {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

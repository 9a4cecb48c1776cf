import { LlmError } from '../ports/llm-provider.ts';

/** Maximum bytes of one event of a stream. */
export const MAX_EVENT_BYTES = 4 * 1024 * 1024;
/** Maximum commas, opening brackets and lines of one event, outside of JSON strings. */
export const MAX_EVENT_PARTS = 250_000;
/** Maximum nesting of JSON arrays and objects of one event. */
export const MAX_EVENT_DEPTH = 100;
/** Maximum bytes of comments, blank lines and events without data in one stream. */
export const MAX_IDLE_BYTES = 2 * 1024 * 1024;

const BUFFER_BYTES = 1024;
const MAX_KEPT_BUFFER_BYTES = 64 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LINE_END = Uint8Array.of(LF);
const BOM = Uint8Array.of(0xef, 0xbb, 0xbf);
const DATA = new TextEncoder().encode('data');

/**
 * Splits the bytes of a server-sent event stream into events, and rejects an event that is too
 * costly to parse before it is parsed. Drops comments and events without data.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class StreamEvents {
  readonly #label: string;
  /**
   * Lines of the current event without comments, each ended with LF, in the first `#keptBytes`
   * bytes.
   */
  #kept = new Uint8Array(BUFFER_BYTES);
  #keptBytes = 0;
  #hasData = false;
  #lineBytes = 0;
  /** First bytes of the current line, at most the length of `data:`. */
  readonly #head = new Uint8Array(DATA.length + 1);
  #isAfterCr = false;
  #isFirstLine = true;
  #parts = 0;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #idleBytes = 0;

  /** Creates a parser. `label`: name of the server in errors. */
  constructor(label: string) {
    this.#label = label;
  }

  /**
   * Yields each event that the bytes complete, with LF line ends and a final blank line.
   * @throws LlmError `too_large` for an event or an amount of comments beyond a limit
   */
  *push(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
    let start = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte !== LF && byte !== CR) {
        this.#isAfterCr = false;
        this.#addByte(byte ?? 0);
        continue;
      }
      const isRestOfCrLf = byte === LF && this.#isAfterCr;
      this.#isAfterCr = byte === CR;
      const event = isRestOfCrLf ? undefined : this.#endLine(bytes.subarray(start, at));
      start = at + 1;
      if (event !== undefined) yield event;
    }
    this.#keep(bytes.subarray(start));
    this.#assertIdleAllowed();
  }

  /** Returns the bytes of an unfinished event. */
  rest(): Uint8Array<ArrayBuffer> {
    return this.#take();
  }

  #addByte(byte: number): void {
    if (this.#lineBytes < this.#head.length) this.#head[this.#lineBytes] = byte;
    this.#lineBytes += 1;
    if (this.#isComment()) return;
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === QUOTE) this.#inString = !this.#inString;
    else if (this.#inString) this.#isEscaped = byte === BACKSLASH;
    else if (byte === COMMA) this.#parts += 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      this.#parts += 1;
      this.#depth += 1;
      if (this.#depth > MAX_EVENT_DEPTH)
        throw this.#tooLarge(`an event with more than ${MAX_EVENT_DEPTH} levels of JSON`);
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT)
      this.#depth = Math.max(0, this.#depth - 1);
  }

  /** Ends a line with its last piece. Returns the event that a blank line completes. */
  #endLine(piece: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
    const isBlank = this.#lineBytes === 0;
    if (isBlank) {
      this.#idleBytes += 1;
    } else if (this.#isComment()) {
      this.#idleBytes += piece.length + 1;
    } else {
      this.#keep(piece);
      this.#keep(LINE_END);
      this.#hasData ||= this.#isDataLine();
      this.#parts += 1;
      if (this.#parts > MAX_EVENT_PARTS)
        throw this.#tooLarge(`an event with more than ${MAX_EVENT_PARTS} JSON values`);
    }
    this.#startLine();
    if (!isBlank) return undefined;
    if (this.#hasData) {
      this.#keep(LINE_END);
      return this.#take();
    }
    this.#idleBytes += this.#keptBytes;
    this.#take();
    return undefined;
  }

  /**
   * Resets the line state. A JSON string contains no line end, so each line starts outside of
   * strings.
   */
  #startLine(): void {
    this.#lineBytes = 0;
    this.#isFirstLine = false;
    this.#inString = false;
    this.#isEscaped = false;
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    if (this.#isComment()) {
      this.#idleBytes += piece.length;
      return;
    }
    const length = this.#keptBytes + piece.length;
    if (length > MAX_EVENT_BYTES)
      throw this.#tooLarge(`an event of more than ${MAX_EVENT_BYTES} bytes`);
    if (length > this.#kept.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#kept.length));
      larger.set(this.#kept.subarray(0, this.#keptBytes));
      this.#kept = larger;
    }
    this.#kept.set(piece, this.#keptBytes);
    this.#keptBytes = length;
    if (this.#parts > MAX_EVENT_PARTS)
      throw this.#tooLarge(`an event with more than ${MAX_EVENT_PARTS} JSON values`);
  }

  #take(): Uint8Array<ArrayBuffer> {
    const event = this.#kept.slice(0, this.#keptBytes);
    if (this.#kept.length > MAX_KEPT_BUFFER_BYTES) this.#kept = new Uint8Array(BUFFER_BYTES);
    this.#keptBytes = 0;
    this.#hasData = false;
    this.#parts = 0;
    this.#depth = 0;
    return event;
  }

  #isComment(): boolean {
    return this.#lineBytes > 0 && this.#head[0] === COLON;
  }

  /**
   * Whether the field name is `data`, possibly after a byte order mark at the start of the stream.
   */
  #isDataLine(): boolean {
    if (this.#isFirstLine && BOM.every((byte, at) => this.#head[at] === byte)) return true;
    return (
      DATA.every((byte, at) => this.#head[at] === byte) &&
      (this.#lineBytes === DATA.length || this.#head[DATA.length] === COLON)
    );
  }

  #assertIdleAllowed(): void {
    if (this.#idleBytes > MAX_IDLE_BYTES)
      throw this.#tooLarge(`more than ${MAX_IDLE_BYTES} bytes of comments and empty events`);
  }

  #tooLarge(what: string): LlmError {
    return new LlmError(
      'too_large',
      `${this.#label} sent ${what}, and the call was ended. Ask for less in one turn; if this repeats, check what the model server sends.`,
    );
  }
}

/** One event of a stream, complete. */
export interface SseEvent {
  /** `message` when the stream names none. */
  readonly name: string;
  /** The data lines, joined by newlines; never empty. */
  readonly data: string;
}

export interface SseReceiver {
  event(event: SseEvent): void;
  /** An event was longer than the limit and is dropped; reported once, as soon as it is. */
  tooLarge(): void;
}

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
/** Of `data: `, which is no data. */
const FIELD_NAME_BYTES = 6;

/**
 * Reads a `text/event-stream` in chunks that may end anywhere, also inside a character. Lines end with LF, CR or CRLF. An event without data is not
 * delivered, but its id and `retry` count. An event whose data is longer than `maxEventBytes` is dropped as it arrives, never held.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class SseReader {
  readonly #receiver: SseReceiver;
  readonly #maxEventBytes: number;
  #lastEventId = '';
  #retryMs: number | undefined;
  #pieces: Uint8Array[] = [];
  #lineBytes = 0;
  #isFirstLine = true;
  #isAfterCr = false;
  #name = '';
  #data: string | undefined;
  #dataBytes = 0;
  #id: string | undefined;
  #isDiscarding = false;

  constructor(receiver: SseReceiver, maxEventBytes: number) {
    this.#receiver = receiver;
    this.#maxEventBytes = maxEventBytes;
  }

  /** The id of the last complete event that had one, else empty. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /** The reconnection time the stream asked for. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** Delivers every event that the chunk completes, in order. The chunk must not be reused afterwards. */
  push(chunk: Uint8Array): void {
    let start = this.#isAfterCr && chunk[0] === LF ? 1 : 0;
    if (chunk.length > 0) this.#isAfterCr = false;
    let lf = chunk.indexOf(LF, start);
    let cr = chunk.indexOf(CR, start);
    while (lf !== -1 || cr !== -1) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      this.#append(chunk, start, end);
      this.#finishLine();
      start = end + 1;
      if (end === cr) {
        if (chunk[start] === LF) start += 1;
        this.#isAfterCr = start === chunk.length && chunk[start - 1] === CR;
        cr = chunk.indexOf(CR, start);
      }
      if (lf !== -1 && lf < start) lf = chunk.indexOf(LF, start);
    }
    this.#append(chunk, start, chunk.length);
  }

  #append(chunk: Uint8Array, start: number, end: number): void {
    if (start >= end) return;
    this.#lineBytes += end - start;
    if (this.#isDiscarding) return;
    if (this.#dataBytes + this.#lineBytes <= this.#maxEventBytes + FIELD_NAME_BYTES) {
      this.#pieces.push(start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end));
      return;
    }
    this.#discard();
  }

  #discard(): void {
    this.#isDiscarding = true;
    this.#pieces = [];
    this.#data = undefined;
    this.#receiver.tooLarge();
  }

  #finishLine(): void {
    const [first, ...rest] = this.#pieces;
    const isBlank = this.#lineBytes === 0;
    if (first !== undefined) {
      this.#pieces = [];
      this.#readLine(rest.length === 0 ? asBuffer(first) : Buffer.concat([first, ...rest]));
    }
    this.#lineBytes = 0;
    this.#isFirstLine = false;
    if (isBlank) this.#finishEvent();
  }

  #readLine(bytes: Buffer): void {
    const line = this.#isFirstLine && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
    const colon = line.indexOf(COLON);
    if (colon === 0) return;
    const field = line.toString('latin1', 0, colon === -1 ? line.length : colon);
    const value = colon === -1 ? '' : line.toString('utf8', line[colon + 1] === SPACE ? colon + 2 : colon + 1);
    switch (field) {
      case 'data':
        this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
        this.#dataBytes += this.#lineBytes;
        break;
      case 'event':
        this.#name = value;
        break;
      case 'id':
        if (!value.includes('\0')) this.#id = value;
        break;
      case 'retry':
        if (/^\d+$/.test(value)) this.#retryMs = Number(value);
        break;
      default:
        break;
    }
  }

  #finishEvent(): void {
    const data = this.#data;
    const name = this.#name;
    if (this.#id !== undefined) this.#lastEventId = this.#id;
    this.#name = '';
    this.#data = undefined;
    this.#dataBytes = 0;
    this.#isDiscarding = false;
    if (data !== undefined && data !== '') this.#receiver.event({ name: name === '' ? 'message' : name, data });
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

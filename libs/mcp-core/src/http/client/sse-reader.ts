import { LinePieces } from '../../jsonrpc/line-pieces.ts';
import { BudgetShare } from '../../jsonrpc/message-budget.ts';
import { NO_ROOM, tooLong, type MessageLimits } from '../../jsonrpc/message-limits.ts';
import { RefusedMessage, type RefusedId } from '../../jsonrpc/refused-message.ts';

/** A complete event of a stream. */
export interface SseEvent {
  /** Event type; `message` by default. */
  readonly name: string;
  /** Data lines joined by newlines; never empty. */
  readonly data: string;
}

export interface SseReceiver {
  event(event: SseEvent): void;
  /** Called for each comment line. Comments carry no data but show that the server is alive. */
  comment?(): void;
  /**
   * Called once, as early as possible, when an event is dropped because it exceeds the limit or the
   * budget. `problem` begins with a verb.
   */
  tooLarge?(problem: string): void;
  /**
   * Like `tooLarge`, but called when the event's request is known, at the latest at the end of the
   * event.
   */
  refused?(found: RefusedId, problem: string): void;
}

export type EventLimits = Pick<MessageLimits, 'maxBytes' | 'budget'>;

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
/** Length of `data: `. */
const FIELD_NAME_BYTES = 6;

/**
 * Parses a `text/event-stream` from chunks that may end anywhere, even inside a character. Lines
 * end with LF, CR or CRLF. An event without data is not delivered, but its id and `retry` take
 * effect. An event whose data is longer than `maxBytes` is discarded as it arrives, never buffered.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class SseReader {
  readonly #receiver: SseReceiver;
  readonly #limits: EventLimits;
  readonly #share: BudgetShare;
  /** The start of an incomplete line. */
  readonly #pieces = new LinePieces();
  #lastEventId = '';
  #retryMs: number | undefined;
  #lineBytes = 0;
  #isFirstLine = true;
  #isAfterCr = false;
  #name = '';
  #data: string | undefined;
  #dataBytes = 0;
  #id: string | undefined;
  /** The event being discarded because it is too long. */
  #refused: RefusedMessage | undefined;
  #refusal = '';
  #isReported = false;

  constructor(receiver: SseReceiver, limits: EventLimits) {
    this.#receiver = receiver;
    this.#limits = limits;
    this.#share = new BudgetShare(limits.budget);
  }

  /** Id of the last complete event with an id; otherwise empty. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /** Reconnection time requested by the stream, in milliseconds. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** Handles the end of the stream; discards an incomplete event. */
  end(): void {
    this.#pieces.clear();
    this.#data = undefined;
    this.#share.release();
  }

  /**
   * Delivers every event that the chunk completes, in order. The chunk must not be reused
   * afterwards.
   */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = this.#isAfterCr && bytes[0] === LF ? 1 : 0;
    if (bytes.length > 0) this.#isAfterCr = false;
    let lf = bytes.indexOf(LF, start);
    let cr = bytes.indexOf(CR, start);
    while (lf !== -1 || cr !== -1) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      this.#endLine(bytes.subarray(start, end));
      start = end + 1;
      if (end === cr) {
        if (bytes[start] === LF) start += 1;
        this.#isAfterCr = start === bytes.length && bytes[start - 1] === CR;
        cr = bytes.indexOf(CR, start);
      }
      if (lf !== -1 && lf < start) lf = bytes.indexOf(LF, start);
    }
    const rest = bytes.subarray(start);
    if (!this.#hasRoom(rest.length)) this.#passBy(this.#restOfLine(rest));
    else if (rest.length > 0) this.#pieces.add(rest);
  }

  /** Counts bytes of the line; returns false when they are dropped. */
  #hasRoom(byteCount: number): boolean {
    this.#lineBytes += byteCount;
    if (this.#refused !== undefined) return false;
    const isTooLong = this.#dataBytes + this.#lineBytes > this.#limits.maxBytes + FIELD_NAME_BYTES;
    if (!isTooLong && this.#share.grow(byteCount)) return true;
    this.#share.release();
    this.#refused = new RefusedMessage();
    this.#refusal = isTooLong ? tooLong(this.#limits) : NO_ROOM;
    this.#receiver.tooLarge?.(this.#refusal);
    if (this.#data !== undefined) this.#passBy(Buffer.from(this.#data));
    const line = this.#pieces.take();
    if (line.length > 0) this.#passBy(line.subarray(line.indexOf(COLON) + 1));
    this.#data = undefined;
    return false;
  }

  #passBy(bytes: Buffer): void {
    if (this.#isReported || this.#refused === undefined) return;
    const found = this.#refused.push(bytes);
    if (found !== undefined) this.#report(found);
  }

  #report(found: RefusedId): void {
    this.#isReported = true;
    this.#receiver.refused?.(found, this.#refusal);
  }

  #endLine(rest: Buffer): void {
    const isRead = this.#hasRoom(rest.length);
    if (!isRead) this.#passBy(this.#restOfLine(rest));
    const isBlank = this.#lineBytes === 0;
    if (isRead && !isBlank) this.#readLine(this.#wholeLine(rest));
    this.#lineBytes = 0;
    this.#isFirstLine = false;
    if (isBlank) this.#finishEvent();
  }

  /** Returns the data bytes of a dropped line, without the field name. */
  #restOfLine(rest: Buffer): Buffer {
    return this.#lineBytes === rest.length ? rest.subarray(rest.indexOf(COLON) + 1) : rest;
  }

  #wholeLine(rest: Buffer): Buffer {
    if (this.#pieces.length === 0) return rest;
    if (rest.length > 0) this.#pieces.add(rest);
    return this.#pieces.take();
  }

  #readLine(bytes: Buffer): void {
    const line =
      this.#isFirstLine && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
        ? bytes.subarray(3)
        : bytes;
    const colon = line.indexOf(COLON);
    if (colon === 0) return this.#receiver.comment?.();
    const field = line.toString('latin1', 0, colon === -1 ? line.length : colon);
    const value =
      colon === -1 ? '' : line.toString('utf8', line[colon + 1] === SPACE ? colon + 2 : colon + 1);
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
    this.#share.release();
    if (this.#refused !== undefined && !this.#isReported) this.#report({});
    this.#refused = undefined;
    this.#isReported = false;
    if (data !== undefined && data !== '')
      this.#receiver.event({ name: name === '' ? 'message' : name, data });
  }
}

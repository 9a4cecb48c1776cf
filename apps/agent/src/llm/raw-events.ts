import type { PostResponse } from './model-post.ts';
import { Pacer } from './pacer.ts';
import { parseEvent, type ServerEvent } from './event-text.ts';
import { StreamEvents } from './stream-events.ts';

/** End of a stream before the end of its body. */
export const STREAM_END = Symbol('end of the stream');

/** Events of an answer in the form of its API. */
export interface RawEvents<Raw> {
  /** Returns the next event that has arrived, or undefined. @throws LlmError */
  take(): Raw | undefined;
  /** Resolves when `take` is worth a call again; with false at the end of the answer. */
  more(): Promise<boolean>;
  /** Closes the connection, unless the answer has ended. */
  close(): void;
  /** Ends the reading of a complete answer and keeps the connection for the next request. */
  finish(): void;
}

export interface RawEventsOptions<Raw> {
  /** Name of the server in errors. */
  readonly label: string;
  /** Converts an event; undefined for one without meaning. @throws LlmError */
  readonly convert: (event: ServerEvent) => Raw | typeof STREAM_END | undefined;
  /** Called for every piece of the body, comments included. */
  readonly onBytes: (count: number) => void;
}

/**
 * Reads the events of a response no faster than other work allows. Fails with `LlmError`
 * `too_large` at an event that is too costly to parse.
 */
export class ResponseEvents<Raw> implements RawEvents<Raw> {
  readonly #response: PostResponse;
  readonly #options: RawEventsOptions<Raw>;
  readonly #stream: StreamEvents;
  readonly #pacer = new Pacer();
  #arrived: Iterator<Uint8Array, void> | undefined;
  #pause: Promise<void> | undefined;
  #isOver = false;

  constructor(response: PostResponse, options: RawEventsOptions<Raw>) {
    this.#response = response;
    this.#options = options;
    this.#stream = new StreamEvents(options.label);
  }

  take(): Raw | undefined {
    while (this.#arrived !== undefined && !this.#isOver) {
      this.#pause = this.#pacer.next();
      if (this.#pause !== undefined) return undefined;
      const next: IteratorResult<Uint8Array, void> = this.#arrived.next();
      if (next.done === true) {
        this.#arrived = undefined;
        return undefined;
      }
      const event = parseEvent(next.value);
      const raw = event.data === '' ? undefined : this.#options.convert(event);
      if (raw === STREAM_END) this.#isOver = true;
      else if (raw !== undefined) return raw;
    }
    return undefined;
  }

  async more(): Promise<boolean> {
    if (this.#isOver) return false;
    await (this.#pause ?? this.#pacer.next());
    this.#pause = undefined;
    if (this.#arrived !== undefined) return true;
    const piece = await this.#response.read();
    if (piece === undefined) {
      const rest = this.#stream.rest();
      this.#isOver = rest.length === 0;
      this.#arrived = [rest].values();
      return !this.#isOver;
    }
    this.#options.onBytes(piece.byteLength);
    this.#arrived = this.#stream.push(piece);
    return true;
  }

  close(): void {
    this.#response.close();
  }

  finish(): void {
    this.#response.discard();
  }
}

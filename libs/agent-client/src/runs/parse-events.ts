import { withStallLimit } from './with-stall-limit.ts';

/** A server-sent event. */
export interface SentEvent {
  /** `id` of the event; undefined for an event without one. */
  readonly id: string | undefined;
  readonly data: string;
}

/** Limits of {@link parseEvents}. */
export interface ParseOptions {
  /** Milliseconds without a byte after which the connection counts as lost. */
  readonly stallMs: number;
  /** Called with the milliseconds that the server wants between connections. */
  readonly onRetryTime: (ms: number) => void;
}

/**
 * Yields the events of an event stream until it ends. An event that the end cuts off is dropped. The caller closes the connection.
 * @throws StalledStreamError if no byte arrives for `stallMs` while the next event is awaited
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export async function* parseEvents(
  body: ReadableStream<Uint8Array>,
  { stallMs, onRetryTime }: ParseOptions,
): AsyncGenerator<SentEvent, void> {
  const lines = new LineSplitter();
  const event = new EventBuilder(onRetryTime);
  // `for await` over a stream does not exist in every browser.
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await withStallLimit(reader.read(), stallMs);
    if (done) return;
    for (const line of lines.split(value)) {
      const complete = event.add(line);
      if (complete !== undefined) yield complete;
    }
  }
}

/** Divides bytes in UTF-8 into lines that end with LF, CR or CRLF. */
class LineSplitter {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #endedWithReturn = false;

  split(bytes: Uint8Array): readonly string[] {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (this.#endedWithReturn && text.startsWith('\n')) text = text.slice(1);
    if (text !== '') this.#endedWithReturn = text.endsWith('\r');
    const lines = text.split(/\r\n|\r|\n/);
    lines[0] = `${this.#rest}${lines[0]}`;
    this.#rest = lines.pop() ?? '';
    return lines;
  }
}

/** Collects the fields of one event after the other. */
class EventBuilder {
  readonly #onRetryTime: (ms: number) => void;
  #id: string | undefined;
  readonly #data: string[] = [];

  constructor(onRetryTime: (ms: number) => void) {
    this.#onRetryTime = onRetryTime;
  }

  /** Adds a line without its end. Returns the event that an empty line completes, if it has data. */
  add(line: string): SentEvent | undefined {
    if (line === '') return this.#complete();
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.#data.push(value);
    if (name === 'id') this.#id = value;
    if (name === 'retry' && /^\d{1,9}$/.test(value)) this.#onRetryTime(Number(value));
    return undefined;
  }

  #complete(): SentEvent | undefined {
    const id = this.#id;
    const data = this.#data.splice(0);
    this.#id = undefined;
    return data.length === 0 ? undefined : { id, data: data.join('\n') };
  }
}

import type { IncomingMessage } from 'node:http';
import { MAX_TIMER_MS } from '../../jsonrpc/bounded-waits.ts';
import type { Call, CallHandle, ClientEndpoint } from './endpoint.ts';
import { type HttpErrorContext, httpErrorOf } from './read-http-error.ts';
import { readBody } from './read-body.ts';
import { mediaTypeOf } from '../headers/media-types.ts';
import { SseReader, type EventLimits, type SseReceiver } from './sse-reader.ts';
import { StreamWatchdog } from './stream-watchdog.ts';

export interface EventStreamOptions {
  readonly endpoint: ClientEndpoint;
  /** Of the session, asked anew for every GET. */
  readonly headers: () => readonly string[];
  readonly receiver: SseReceiver;
  readonly limits: EventLimits;
  /** Where to go on; empty for a new stream. */
  readonly lastEventId: string;
  /** What an earlier part of the stream asked for. */
  readonly retryMs: number | undefined;
  /** After so many attempts in a row that brought no stream it is given up. */
  readonly maxFailures: number;
  readonly errorContext: () => HttpErrorContext;
  /** It will not be continued: the server refuses it, or does not come back. Not called after `close`. `wasOpen`: it had been open before. */
  ended(error: Error, wasOpen: boolean): void;
}

const DEFAULT_RETRY_MS = 1000;
/** Minimum time between two GETs, whatever `retry` asks for. */
const MIN_INTERVAL_MS = 1000;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
const MAX_ERROR_BODY_BYTES = 64 * 1024;
/** A GET answered with these is tried again: timeouts, an older stream not yet given up, too many requests. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/**
 * A stream of a legacy session that is opened by GET and opened again, from where it broke, whenever it ends. It waits what the
 * server asked for with `retry` (default 1 s), at least until one second after it was opened last, and longer, up to 30 s, while
 * attempts bring nothing.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
export class ClientEventStream {
  readonly #options: EventStreamOptions;
  #lastEventId: string;
  #retryMs: number;
  /** Attempts in a row without a stream, and without an event. */
  #failures = 0;
  #fruitless = 0;
  #openedAt = -Infinity;
  #wasOpen = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #handle: CallHandle | undefined;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#lastEventId = options.lastEventId;
    this.#retryMs = options.retryMs ?? DEFAULT_RETRY_MS;
  }

  open(): void {
    const { endpoint, headers } = this.#options;
    const resume = this.#lastEventId === '' ? [] : ['Last-Event-ID', this.#lastEventId];
    const call: Call = {
      method: 'GET',
      headers: ['Accept', 'text/event-stream', ...headers(), ...resume],
      responded: (response) => this.#responded(response),
      failed: (error) => this.#failed(error),
    };
    this.#openedAt = performance.now();
    this.#handle = endpoint.send(call);
  }

  /** Opens it when the time to wait is over. */
  openLater(): void {
    const backoffMs =
      this.#fruitless === 0 ? 0 : Math.min(FIRST_BACKOFF_MS * 2 ** this.#fruitless, MAX_BACKOFF_MS);
    const sinceOpenedMs = performance.now() - this.#openedAt;
    const delayMs = Math.max(this.#retryMs, backoffMs, MIN_INTERVAL_MS - sinceOpenedMs);
    this.#timer = setTimeout(() => this.open(), Math.min(delayMs, MAX_TIMER_MS));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#handle?.abort();
  }

  #responded(response: IncomingMessage): void {
    if (response.statusCode === 200 && mediaTypeOf(response.headers) === 'text/event-stream')
      this.#read(response);
    else this.#refused(response);
  }

  #read(response: IncomingMessage): void {
    this.#wasOpen = true;
    this.#failures = 0;
    this.#fruitless += 1;
    const { receiver, limits } = this.#options;
    // Listens before the reader does, which reports comments to it.
    const watchdog = new StreamWatchdog(response);
    const reader = new SseReader(
      {
        event: (event) => {
          this.#fruitless = 0;
          // A receiver that closes this stream hears no more of it.
          if (!this.#isClosed) receiver.event(event);
        },
        comment: () => watchdog.comment(),
        tooLarge: (problem) => receiver.tooLarge?.(problem),
        refused: (found, problem) => receiver.refused?.(found, problem),
      },
      limits,
    );
    let hasEnded = false;
    const onEnd = (): void => {
      if (hasEnded || this.#isClosed) return;
      hasEnded = true;
      if (reader.lastEventId !== '') {
        this.#lastEventId = reader.lastEventId;
        this.#fruitless = 0;
      }
      this.#retryMs = reader.retryMs ?? this.#retryMs;
      this.openLater();
    };
    response.on('data', (chunk: Buffer) => reader.push(chunk));
    response.on('close', () => reader.end());
    response.on('end', onEnd);
    response.on('error', onEnd);
  }

  #refused(response: IncomingMessage): void {
    const { statusCode: status = 0 } = response;
    readBody(response, { maxBytes: MAX_ERROR_BODY_BYTES }, (body) => {
      if (this.#isClosed) return;
      const error = httpErrorOf(
        response,
        body.kind === 'text' ? body.text : '',
        this.#options.errorContext(),
      );
      if (status >= 500 || TEMPORARY.has(status)) this.#failed(error);
      else this.#end(error);
    });
  }

  #failed(error: Error): void {
    if (this.#isClosed) return;
    this.#failures += 1;
    this.#fruitless += 1;
    if (this.#failures >= this.#options.maxFailures) this.#end(error);
    else this.openLater();
  }

  #end(error: Error): void {
    this.#isClosed = true;
    this.#options.ended(error, this.#wasOpen);
  }
}

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
  /** Returns the headers of the session for each GET. */
  readonly headers: () => readonly string[];
  readonly receiver: SseReceiver;
  readonly limits: EventLimits;
  /** Id of the event after which to resume; empty for a new stream. */
  readonly lastEventId: string;
  /** Reconnection time requested by an earlier part of the stream. */
  readonly retryMs: number | undefined;
  /** Consecutive failed attempts after which the stream ends. */
  readonly maxFailures: number;
  readonly errorContext: () => HttpErrorContext;
  /**
   * Called when the stream will not be resumed: the server refuses it, or cannot be reached. Not
   * called after `close`. `wasOpen`: the stream was open before.
   */
  ended(error: Error, wasOpen: boolean): void;
}

const DEFAULT_RETRY_MS = 1000;
/** Minimum milliseconds between two GETs, whatever `retry` requests. */
const MIN_INTERVAL_MS = 1000;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
const MAX_ERROR_BODY_BYTES = 64 * 1024;
/**
 * Response statuses that are retried: timeouts, an older stream that the server still holds, rate
 * limits.
 */
const TEMPORARY: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/**
 * A stream of a legacy session that is opened by GET and resumed whenever it ends. Waits for the
 * server's `retry` time (default: 1 s), at least one second since the last GET, and up to 30 s
 * while attempts fail.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
export class ClientEventStream {
  readonly #options: EventStreamOptions;
  #lastEventId: string;
  #retryMs: number;
  /** Consecutive attempts without a stream. */
  #failures = 0;
  /** Consecutive attempts without an event. */
  #emptyAttempts = 0;
  #openedAt = -Infinity;
  #wasOpen = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #handle: CallHandle | undefined;
  readonly #settled = Promise.withResolvers<void>();

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#lastEventId = options.lastEventId;
    this.#retryMs = options.retryMs ?? DEFAULT_RETRY_MS;
  }

  /** Resolves when the server has opened the stream or the first attempt has failed, or at `close`. */
  get firstAttempt(): Promise<void> {
    return this.#settled.promise;
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

  /** Opens the stream after the retry delay. */
  openLater(): void {
    const backoffMs =
      this.#emptyAttempts === 0
        ? 0
        : Math.min(FIRST_BACKOFF_MS * 2 ** this.#emptyAttempts, MAX_BACKOFF_MS);
    const sinceOpenedMs = performance.now() - this.#openedAt;
    const delayMs = Math.max(this.#retryMs, backoffMs, MIN_INTERVAL_MS - sinceOpenedMs);
    this.#timer = setTimeout(() => this.open(), Math.min(delayMs, MAX_TIMER_MS));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#handle?.abort();
    this.#settled.resolve();
  }

  #responded(response: IncomingMessage): void {
    this.#settled.resolve();
    if (response.statusCode === 200 && mediaTypeOf(response.headers) === 'text/event-stream')
      this.#read(response);
    else this.#refused(response);
  }

  #read(response: IncomingMessage): void {
    this.#wasOpen = true;
    this.#failures = 0;
    this.#emptyAttempts += 1;
    const { receiver, limits } = this.#options;
    // Attached before the reader, which reports comments to it.
    const watchdog = new StreamWatchdog(response);
    const reader = new SseReader(
      {
        event: (event) => {
          this.#emptyAttempts = 0;
          // A receiver that closes this stream gets no further events.
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
        this.#emptyAttempts = 0;
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
    this.#settled.resolve();
    if (this.#isClosed) return;
    this.#failures += 1;
    this.#emptyAttempts += 1;
    if (this.#failures >= this.#options.maxFailures) this.#end(error);
    else this.openLater();
  }

  #end(error: Error): void {
    this.#isClosed = true;
    this.#options.ended(error, this.#wasOpen);
  }
}

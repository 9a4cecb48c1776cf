import type { IncomingMessage } from 'node:http';
import { MAX_TIMER_MS } from '../../jsonrpc/bounded-waits.ts';

/** Shorter silences are no evidence of a keep-alive interval. */
const MIN_SILENCE_MS = 1000;
/** Missing keep-alive comments after which a stream counts as broken. */
const MISSED_COMMENTS = 4;
const MIN_LIMIT_MS = 60_000;

/**
 * Detects an event stream whose connection died silently. Starts to watch when a comment of the
 * server ends a silence, because the server then sends keep-alives. A silence four times as long,
 * and at least 60 s, destroys the response, whose reader sees an error. Streams without comments
 * are never watched.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#authoring-notes
 */
export class StreamWatchdog {
  readonly #response: IncomingMessage;
  #lastBytesAt = performance.now();
  #silenceMs = 0;
  #longestSilenceMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.on('data', () => {
      this.#received();
    });
    response.on('close', () => {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    });
  }

  /** Called for each comment, while its chunk is read. */
  comment(): void {
    if (this.#silenceMs < MIN_SILENCE_MS || this.#silenceMs <= this.#longestSilenceMs) return;
    this.#longestSilenceMs = this.#silenceMs;
    clearTimeout(this.#timer);
    const limitMs = Math.min(
      Math.max(this.#longestSilenceMs * MISSED_COMMENTS, MIN_LIMIT_MS),
      MAX_TIMER_MS,
    );
    this.#timer = setTimeout(() => {
      this.#response.destroy(
        new Error(`The server sent nothing for ${String(Math.round(limitMs / 1000))} s`),
      );
    }, limitMs);
    this.#timer.unref();
  }

  #received(): void {
    const now = performance.now();
    this.#silenceMs = now - this.#lastBytesAt;
    this.#lastBytesAt = now;
    this.#timer?.refresh();
  }
}

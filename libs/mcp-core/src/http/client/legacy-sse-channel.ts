import type { IncomingMessage } from 'node:http';
import type { RefusedId } from '../../jsonrpc/refused-message.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { CallHandle, ClientEndpoint } from './endpoint.ts';
import { mediaTypeOf } from '../headers/media-types.ts';
import { type HttpErrorContext, httpErrorOf } from './read-http-error.ts';
import { readBody } from './read-body.ts';
import { SseReader, type EventLimits } from './sse-reader.ts';
import { StreamWatchdog } from './stream-watchdog.ts';

export interface LegacySseOptions {
  readonly endpoint: ClientEndpoint;
  readonly limits: EventLimits;
  readonly errorContext: () => HttpErrorContext;
  /** Receives the text of a `message` event. */
  message(text: string): void;
  refused(found: RefusedId, problem: string): void;
  /**
   * Called when the stream ends after it was open, which ends the connection; not called after
   * `close`.
   */
  lost(error: Error): void;
}

const MAX_ERROR_BODY_BYTES = 64 * 1024;

/**
 * The stream of the HTTP+SSE transport: receives all messages of the server, and POSTs messages to
 * the address in its first event.
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class LegacySseChannel {
  readonly #options: LegacySseOptions;
  #path: string | undefined;
  #isClosed = false;
  #handle: CallHandle | undefined;

  constructor(options: LegacySseOptions) {
    this.#options = options;
  }

  /** Path to which messages are POSTed; set once the stream is open. */
  get path(): string | undefined {
    return this.#path;
  }

  /**
   * Resolves when the server has sent the address. Has no timeout; `close` ends it.
   * @throws HttpError, LocalError `connect-failed`, `connection-lost`
   */
  open(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#handle = this.#options.endpoint.send({
      method: 'GET',
      headers: ['Accept', 'text/event-stream'],
      responded: (response) => {
        if (response.statusCode === 200 && mediaTypeOf(response.headers) === 'text/event-stream')
          this.#read(response, { resolve, reject });
        else this.#refused(response, reject);
      },
      failed: reject,
    });
    return promise;
  }

  close(): void {
    this.#isClosed = true;
    this.#handle?.abort();
  }

  #read(
    response: IncomingMessage,
    opening: { readonly resolve: () => void; readonly reject: (error: Error) => void },
  ): void {
    const { endpoint, limits } = this.#options;
    // Attached before the reader, which reports comments to it.
    const watchdog = new StreamWatchdog(response);
    const reader = new SseReader(
      {
        event: ({ name, data }) => {
          if (name === 'message' && this.#path !== undefined) {
            this.#options.message(data);
          } else if (name === 'endpoint' && this.#path === undefined) {
            this.#path = endpoint.pathWithinOrigin(data.trim());
            if (this.#path === undefined) {
              opening.reject(
                new LocalError(
                  'connect-failed',
                  `${endpoint.origin} names an address for messages that is not its own.`,
                ),
              );
              this.close();
            } else {
              opening.resolve();
            }
          }
        },
        comment: () => watchdog.comment(),
        refused: (found, problem) => this.#options.refused(found, problem),
      },
      limits,
    );
    const onEnd = (cause?: Error): void => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      const error = new LocalError('connection-lost', `${endpoint.origin} ended the event stream`, {
        sent: true,
        cause,
      });
      if (this.#path === undefined) opening.reject(error);
      else this.#options.lost(error);
    };
    response.on('data', (chunk: Buffer) => reader.push(chunk));
    response.on('close', () => reader.end());
    response.on('end', () => onEnd());
    response.on('error', onEnd);
  }

  #refused(response: IncomingMessage, reject: (error: Error) => void): void {
    readBody(response, { maxBytes: MAX_ERROR_BODY_BYTES }, (body) => {
      reject(
        httpErrorOf(response, body.kind === 'text' ? body.text : '', this.#options.errorContext()),
      );
    });
  }
}

import type { GrantedAccess } from './authentication.ts';
import type { HandlerMemory } from './byte-budget.ts';
import type { HttpHeaders } from '../headers/http-headers.ts';

/** Reason why a body is unusable; `gone` needs no response. `busy`: other clients need the memory. */
export type BodyFailure = 'too-large' | 'busy' | 'gone';

/** Receives a body. `isParsed`: a framework has parsed it, and its bytes may be others than were sent. */
export type BodyReader = (body: Uint8Array, failure?: BodyFailure, isParsed?: boolean) => void;

export interface ExchangeOptions {
  /** A body that was already read: parsed JSON, text or bytes. */
  readonly body?: unknown;
  /** Default: without limits. */
  readonly memory?: HandlerMemory;
}

/**
 * An HTTP request and its response, independent of the platform. Exactly one of `respond` and `open`
 * is called; `open` is followed by `write`s and one `end`. Calls after the client has left have no
 * effect.
 */
export interface HttpExchange {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: string;
  readonly headers: HttpHeaders;
  /** Length of the body that was read. */
  bodyBytes: number;
  /** Checks the bytes of the body before they are parsed, unless a framework has parsed them. */
  checkBody?: GrantedAccess['checkBody'];
  /** Whether the connection is closed, so that nothing more can be sent. */
  isGone(): boolean;
  /**
   * Calls the listener once when the client leaves before the response is complete; synchronously
   * when it has already left. A later listener replaces the earlier one.
   */
  onGone(listener: () => void): void;
  /** Reads the body and calls back once, asynchronously; bytes over the limit are discarded. */
  readBody(maxBytes: number, done: BodyReader): void;
  /** Adds header fields, alternating names and values, to the response. */
  addFields(fields: readonly string[]): void;
  /** Sends a complete response. `fields` are alternating names and values, without the length. */
  respond(status: number, fields: readonly string[], body: string): void;
  /**
   * Begins a response of unknown length with status 200. A `write` must follow synchronously and
   * may send the header fields.
   */
  open(fields: readonly string[]): void;
  /**
   * Returns `undefined` when more can be written immediately, otherwise a promise for that; it also
   * resolves when the client has left.
   */
  write(text: string): Promise<void> | undefined;
  end(text?: string): void;
  /** Ends the connection and discards unsent data. */
  destroy(): void;
}

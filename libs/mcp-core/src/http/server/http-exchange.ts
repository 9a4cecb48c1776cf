/** Header fields by lower-case name. */
export interface HttpHeaders {
  readonly [name: string]: string | readonly string[] | undefined;
}

/** Why a body cannot be used; `gone` needs no answer. */
export type BodyFailure = 'too-large' | 'gone';

/**
 * One HTTP request and its answer, whatever carries them. Exactly one of `answer` and `open` is called; after `open` come `write`s and one `end`. Calls
 * after the client is gone do nothing.
 */
export interface HttpExchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly headers: HttpHeaders;
  /** Whether the connection is closed, so that nothing more can be sent. */
  isGone(): boolean;
  /**
   * Calls the listener once when the client leaves before the answer is complete; immediately, during the call, when it
   * has left already. A later listener replaces the earlier one.
   */
  onGone(listener: () => void): void;
  /** Calls back once, not during the call; what follows the limit is discarded. */
  readBody(maxBytes: number, done: (body: Uint8Array, failure?: BodyFailure) => void): void;
  /** The whole answer. `fields` are names and values in turn, without the length. */
  answer(status: number, fields: readonly string[], body: string): void;
  /** Begins an answer of unknown length with status 200; a `write` must follow at once and may be what sends the fields. */
  open(fields: readonly string[]): void;
  /** `undefined` when more can be taken at once, else a promise for that; it also resolves when the client is gone. */
  write(text: string): Promise<void> | undefined;
  end(text?: string): void;
  /** Ends the connection with what was not sent yet. */
  destroy(): void;
}

/** A field that occurs once, without the white space around it. */
export function headerOf(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  if (typeof value === 'string') return value.trim();
  return value === undefined ? undefined : value.join(', ');
}

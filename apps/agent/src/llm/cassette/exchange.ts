/** A request to a model and its response, as a line of a cassette. Without request headers. */
export interface Exchange {
  readonly path: string;
  /** Request body with secrets replaced. */
  readonly request: unknown;
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** Pieces of the response body: milliseconds since the response began, and text. */
  readonly chunks: readonly (readonly [number, string])[];
  /** End of the body: by itself, canceled by its reader, or a connection failure. */
  readonly end: 'eof' | 'cancel' | 'error';
}

/** First line of a cassette. */
export interface CassetteHeader {
  readonly cassette: 1;
}

/** Records or replays the HTTP traffic between the providers and the network. */
export interface Cassette {
  /** Replacement of `fetch` for the providers. */
  readonly fetch: typeof fetch;
  /** Returns the number of recorded responses that are not used yet; 0 while recording. */
  unused(): number;
}

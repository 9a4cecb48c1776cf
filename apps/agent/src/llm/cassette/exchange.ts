/** One request to a model and what came back, as a line of a cassette. No header of the request is kept. */
export interface Exchange {
  readonly path: string;
  /** The body of the request; secrets are replaced. */
  readonly request: unknown;
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** Pieces of the body as they came: milliseconds since the response began, and text. */
  readonly chunks: readonly (readonly [number, string])[];
  /** How the body ended: by itself, because its reader had enough, or by a failure of the connection. */
  readonly end: 'eof' | 'cancel' | 'error';
}

/** The first line of a cassette. */
export interface CassetteHeader {
  readonly cassette: 1;
}

/** A POST request with a JSON body. */
export interface PostRequest {
  readonly url: string;
  /** Headers with lower-case names. */
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  /** Closes the connection; a waiting read rejects with the reason. */
  readonly signal: AbortSignal;
}

/** Response to a POST request, whose body is read piece by piece. */
export interface PostResponse {
  readonly status: number;
  /** Returns the value of a header with this lower-case name. */
  header(name: string): string | undefined;
  /** Resolves with the next bytes of the body, or undefined at its end. One read at a time. */
  read(): Promise<Uint8Array | undefined>;
  /** Closes the connection, unless the body has ended. */
  close(): void;
  /** Discards the rest of the body, so that the connection can be used again. Closes it if the rest is long or late. */
  discard(): void;
}

/** Sends a request and resolves when a response has begun. Follows no redirect. */
export type Post = (request: PostRequest) => Promise<PostResponse>;

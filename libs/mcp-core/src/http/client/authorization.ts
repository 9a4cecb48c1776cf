import type { ExtraHeaders } from './headers.ts';

/** An HTTP request to a protected server. */
export interface AuthorizedRequest {
  /** URL of the MCP endpoint, as given to the transport. */
  readonly server: string;
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly url: string;
  /** Body of a POST. */
  readonly body?: string | undefined;
}

/** A request that the server refused with 401 or 403. */
export interface RefusedRequest extends AuthorizedRequest {
  readonly status: number;
  /** Response headers with lower-case names. Repeated ones are joined with a comma. */
  readonly responseHeaders: { readonly [name: string]: string };
  /** Headers of `headers` that the request had. */
  readonly sent: ExtraHeaders;
  /** Number of times that the request was sent before. */
  readonly attempt: number;
}

/**
 * The authorization of a client over HTTP. `createClientAuthorization` of
 * `@signalbox/mcp-core/auth` implements it with OAuth.
 */
export interface HttpAuthorization {
  /** Returns header fields for a request; called each time that it is sent, and before a private result is reused instead. Calls may overlap. */
  headers(request: AuthorizedRequest): ExtraHeaders | Promise<ExtraHeaders>;
  /**
   * Called for each 401 and 403, except for the end of a session. `true` sends the request again, at
   * most three times. Calls may overlap. A rejection becomes the cause of the request's error.
   */
  refused(request: RefusedRequest): Promise<boolean>;
  /**
   * Called for each response with a `DPoP-Nonce` header, before `refused`. The next proof contains it.
   * @see https://www.rfc-editor.org/rfc/rfc9449#section-9
   */
  dpopNonceReceived?(server: string, nonce: string): void;
}

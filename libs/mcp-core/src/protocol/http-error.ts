import type { JsonRpcErrorObject } from '../jsonrpc/messages.ts';

/** Details of an `HttpError`. */
export interface HttpErrorDetails {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: string };
  /** First 500 characters of the body; empty when the body was not read. */
  readonly excerpt?: string;
  /** The JSON-RPC error in the body. */
  readonly rpcError?: JsonRpcErrorObject | undefined;
  readonly isSessionLost?: boolean;
  readonly cause?: unknown;
}

/**
 * An HTTP response without a usable JSON-RPC response. The message and the fields contain no
 * request headers, cookies or session ids. Status 401, 403, 407, 408, 425, 429 and 5xx say nothing
 * about the era of a server.
 */
export class HttpError extends Error {
  readonly status: number;
  /**
   * Response headers with lower-case names, including `www-authenticate`, without cookies and
   * session id.
   */
  readonly headers: { readonly [name: string]: string };
  readonly excerpt: string;
  readonly rpcError: JsonRpcErrorObject | undefined;
  /**
   * Whether the server has ended the legacy session (404 for its id). Recovery needs a new
   * `initialize` without the id.
   */
  readonly isSessionLost: boolean;

  constructor(message: string, details: HttpErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'HttpError';
    this.status = details.status;
    this.headers = details.headers;
    this.excerpt = details.excerpt ?? '';
    this.rpcError = details.rpcError;
    this.isSessionLost = details.isSessionLost ?? false;
  }
}

import type { JsonRpcErrorObject } from '../jsonrpc/messages.ts';

export interface HttpErrorDetails {
  readonly status: number;
  /** Lowercase names. */
  readonly headers: { readonly [name: string]: string };
  /** The beginning of the body, at most 500 characters; empty when it was not read. */
  readonly excerpt?: string;
  /** The JSON-RPC error the body held. */
  readonly rpcError?: JsonRpcErrorObject | undefined;
  readonly isSessionLost?: boolean;
  readonly cause?: unknown;
}

/**
 * An HTTP response that does not answer its request: an error status without a usable JSON-RPC answer, or a success without one. Neither the message nor
 * the fields contain what this side sent as a header, cookies, or a session id. 401, 403 and 5xx say nothing about the era of a server.
 */
export class HttpError extends Error {
  readonly status: number;
  /** Response headers, lowercase names, without cookies and session id; `www-authenticate` is here. */
  readonly headers: { readonly [name: string]: string };
  readonly excerpt: string;
  readonly rpcError: JsonRpcErrorObject | undefined;
  /** The server has ended the legacy session (404 to its id): only a new `initialize` without the id helps. */
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

import type { LoginRequest } from '@signalbox/mcp-core/auth';

/** A login that waits for the redirect of a browser. */
export interface BrowserLogin {
  readonly method: 'browser';
  /** Address to open: `https:`, or `http:` at a loopback address. */
  readonly url: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** A login that waits for a code, which the user enters on any device. */
export interface DeviceCodeLogin {
  readonly method: 'device';
  readonly userCode: string;
  /** Address at which the user enters the code. */
  readonly url: string;
  /** The address with the code in it, if the authorization server has one. */
  readonly completeUrl: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

export interface LoginWish {
  readonly server: string;
  /** The login that the server needs, as far as is known. */
  readonly needed: LoginRequest | undefined;
  /** Default: `browser`, if the authorization server and this process support it. */
  readonly method: 'browser' | 'device' | undefined;
}

/**
 * Outcome of a redirect. `unknown`: it belongs to no login that waits for one; `pending`: the
 * service tries again to reach the authorization server.
 */
export type RedirectOutcome =
  | { readonly type: 'logged-in'; readonly server: string }
  | { readonly type: 'unknown' }
  | { readonly type: 'pending' | 'refused' | 'failed'; readonly server: string };

/** Logins of people at remote servers, on behalf of the service. */
export interface ServerLogins {
  /** Begins a login. @throws LoginError */
  begin(wish: LoginWish): Promise<BrowserLogin | DeviceCodeLogin>;
  /** Finishes the login to which a redirect belongs. `query`: query of the redirect. */
  finish(query: URLSearchParams): Promise<RedirectOutcome>;
  /**
   * Deletes the tokens of a server and revokes them. `isRevoked` is false when the authorization
   * server has no revocation or could not be asked. @throws LoginError
   */
  logOut(server: string): Promise<{ readonly isRevoked: boolean }>;
  /** Returns the last login of a server, unless it was logged out. */
  loginOf(
    server: string,
  ): Promise<{ readonly issuer: string; readonly loggedInAt: number } | undefined>;
}

/**
 * Thrown for a login that cannot begin. `unsupported`: the server has no logins, or this process has
 * no address for redirects; `failed`: a server did not answer as needed.
 */
export class LoginError extends Error {
  readonly code: 'unsupported' | 'failed';

  constructor(code: 'unsupported' | 'failed', message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LoginError';
    this.code = code;
  }
}

import type { webcrypto } from 'node:crypto';
import type { LoginTarget } from './login-request.ts';
import type { AuthorizationNetwork, ClientRegistrationOptions } from './options.ts';
import type { TokenKey, TokenStore } from './token-store.ts';

/** Options of logins; those of `createClientAuthorization` for the same server. */
export interface LoginOptions {
  readonly store: TokenStore;
  /** As `user.redirectUri` of `createClientAuthorization`. */
  readonly redirectUri: string;
  readonly registration?: ClientRegistrationOptions | undefined;
  /** User or service that the tokens belong to. Default: the empty text. */
  readonly principal?: string | undefined;
  readonly network?: AuthorizationNetwork | undefined;
}

/** The members of a pending login that both login methods have. */
export interface PendingLoginBase {
  /** Key that the tokens will have in the store. */
  readonly key: TokenKey;
  readonly scopes: readonly string[];
  readonly clientId: string;
  /** Private key that the tokens will be bound to. */
  readonly dpopKey?: webcrypto.JsonWebKey | undefined;
}

/**
 * A login that waits for the redirect of the user's browser. Secret; JSON keeps it, so that the host
 * can store it, encrypted, and finish the login in another process.
 */
export interface PendingLogin extends PendingLoginBase {
  /** Value of the parameter `state` of the redirect, by which the host finds this login. */
  readonly state: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

/** A login that waits for a user to enter a code on another device. Secret; JSON keeps it. */
export interface PendingDeviceLogin extends PendingLoginBase {
  readonly deviceCode: string;
  /** Milliseconds between two requests to the authorization server. */
  readonly intervalMs: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A user code and the address at which the user enters it. */
export interface DeviceLogin {
  readonly userCode: string;
  /** Address for the user: `https:`, or `http:` at a loopback address. */
  readonly verificationUri: string;
  /** The same address with the code in it, where the authorization server has one. */
  readonly verificationUriComplete?: string | undefined;
  readonly pending: PendingDeviceLogin;
}

/**
 * Begins a login with the user's browser. Returns the address to open, `https:` or `http:` at a
 * loopback address, and the pending login. The host opens the address, never through a shell, and
 * passes the URL of the redirect to `finishLogin`. The target is the `LoginRequest` of an error, or
 * the URL of a server.
 * @throws AuthorizationError; LocalError `invalid-argument`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-flow-steps
 * @example
 * ```ts
 * import { beginLogin, finishLogin, MemoryTokenStore } from '@signalbox/mcp-core/auth';
 *
 * declare function openBrowserAndWait(url: string): Promise<string>;
 *
 * const options = { store: new MemoryTokenStore(), redirectUri: 'http://127.0.0.1:3000/callback' };
 * const { url, pending } = await beginLogin({ server: 'https://mcp.example/mcp' }, options);
 * await finishLogin(pending, await openBrowserAndWait(url), options);
 * ```
 */
export async function beginLogin(
  target: LoginTarget,
  options: LoginOptions,
): Promise<{ readonly url: string; readonly pending: PendingLogin }> {
  const { beginBrowserLogin } = await import('./browser-login.ts');
  return beginBrowserLogin(target, options);
}

/**
 * Finishes a login: checks the redirect, exchanges its code and stores the tokens, whose key it
 * returns. Requests of clients with the same store then use them. The host accepts each pending login
 * once, and only for some minutes.
 * @throws AuthorizationError `redirect-invalid` when the redirect belongs to another login,
 * `authorization-refused` when the user refused, or others
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-response-validation
 */
export async function finishLogin(
  pending: PendingLogin,
  redirect: string,
  options: LoginOptions,
): Promise<TokenKey> {
  const { finishBrowserLogin } = await import('./browser-login.ts');
  return finishBrowserLogin(pending, redirect, options);
}

/**
 * Begins a login with a code that the user enters on any device.
 * @throws AuthorizationError `discovery-failed` when the authorization server has no device flow
 * @see https://www.rfc-editor.org/rfc/rfc8628#section-3.1
 */
export async function beginDeviceLogin(
  target: LoginTarget,
  options: LoginOptions,
): Promise<DeviceLogin> {
  const { beginDeviceFlow } = await import('./device-flow.ts');
  return beginDeviceFlow(target, options);
}

/**
 * Waits until the user has entered the code, and stores the tokens, whose key it returns. Asks the
 * authorization server at the interval that it demands. May be called again for the same login, for
 * example after a restart.
 * @throws AuthorizationError `authorization-refused` when the user refused or the code has expired;
 * the reason of the signal when it aborts
 * @see https://www.rfc-editor.org/rfc/rfc8628#section-3.4
 */
export async function finishDeviceLogin(
  pending: PendingDeviceLogin,
  options: LoginOptions & { readonly signal?: AbortSignal | undefined },
): Promise<TokenKey> {
  const { finishDeviceFlow } = await import('./device-flow.ts');
  return finishDeviceFlow(pending, options);
}

/**
 * Deletes the tokens of a key and revokes them at the authorization server. `isRevoked` is false when
 * the tokens are deleted here, but the server has no revocation endpoint or could not be asked.
 * Connected clients keep their access token until it is refused: close them.
 * @see https://www.rfc-editor.org/rfc/rfc7009
 */
export async function logOut(
  key: TokenKey,
  options: LoginOptions,
): Promise<{ readonly isRevoked: boolean }> {
  const { revokeTokens } = await import('./revocation.ts');
  return revokeTokens(key, options);
}

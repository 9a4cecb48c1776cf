import { AuthorizationError } from './authorization-error.ts';
import { openEndpoint, reopenEndpoint, storeTokens } from './login-endpoint.ts';
import type { LoginTarget } from './login-request.ts';
import type { LoginOptions, PendingLogin } from './login.ts';
import type { TokenKey } from './token-store.ts';
import { exchangeCode, prepareRequest } from './user-grant.ts';

/** Begins a login; see `beginLogin`. */
export async function beginBrowserLogin(
  target: LoginTarget,
  options: LoginOptions,
): Promise<{ readonly url: string; readonly pending: PendingLogin }> {
  const { endpoint, key, scopes: asked } = await openEndpoint(target, options);
  const { redirectUri } = options;
  const purpose = { resource: key.resource, scopes: asked };
  const request = await prepareRequest(endpoint, redirectUri, purpose);
  const { url, state, codeVerifier, scopes } = request;
  const { clientId } = endpoint.client;
  const dpopKey = endpoint.dpop?.jwk;
  return { url, pending: { key, scopes, clientId, dpopKey, state, codeVerifier, redirectUri } };
}

/** Finishes a login; see `finishLogin`. */
export async function finishBrowserLogin(
  pending: PendingLogin,
  redirect: string,
  options: LoginOptions,
): Promise<TokenKey> {
  const { key, scopes, redirectUri, state, codeVerifier } = pending;
  const endpoint = await reopenEndpoint(pending, { ...options, redirectUri });
  const request = { resource: key.resource, scopes, redirectUri, state, codeVerifier };
  try {
    await storeTokens(options.store, key, await exchangeCode(endpoint, request, redirect));
  } catch (error) {
    if (error instanceof AuthorizationError && error.oauthError === 'invalid_client')
      await options.store.deleteClient(key.issuer, redirectUri);
    throw error;
  }
  return key;
}

import {
  authorizationCodeGrantRequest,
  AuthorizationResponseError,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  processAuthorizationCodeResponse,
  validateAuthResponse,
  type AuthorizationServer,
} from 'oauth4webapi';
import { shorten } from '../protocol/errors.ts';
import { AuthorizationError } from './authorization-error.ts';
import type { UserAuthorization, UserAuthorizationRequest } from './options.ts';
import { unionOf } from './scopes.ts';
import {
  clientAuthentication,
  libraryClient,
  requestOptions,
  tokensOf,
  tokenStep,
  type TokenEndpoint,
} from './token-endpoint.ts';
import type { StoredTokens } from './token-store.ts';

/** The purpose of tokens that are requested. */
export interface TokenPurpose {
  readonly resource: string;
  readonly scopes: readonly string[];
}

/** An authorization request, and what the exchange of its code needs. */
export interface AuthorizationRequest extends TokenPurpose {
  readonly redirectUri: string;
  readonly state: string;
  /** Secret. */
  readonly codeVerifier: string;
}

/**
 * Prepares an authorization request: PKCE (S256), `state`, `resource`, and the thumbprint of the key.
 * Returns it with the URL to open.
 * @throws AuthorizationError `discovery-failed`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-flow-steps
 */
export async function prepareRequest(
  { server, client, dpop }: TokenEndpoint,
  redirectUri: string,
  { resource, scopes: asked }: TokenPurpose,
): Promise<AuthorizationRequest & { readonly url: string }> {
  const issuer = shorten(server.issuer);
  if (server.code_challenge_methods_supported?.includes('S256') !== true)
    throw new AuthorizationError(
      'discovery-failed',
      `The metadata of ${issuer} do not list S256 in code_challenge_methods_supported, so the client must not use it.`,
    );
  if (server.authorization_endpoint === undefined)
    throw new AuthorizationError(
      'discovery-failed',
      `The metadata of ${issuer} have no authorization_endpoint.`,
    );
  const scopes = withOfflineAccess(server, asked);
  const codeVerifier = generateRandomCodeVerifier();
  const state = generateRandomState();
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    state,
    resource,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    // OpenID Connect grants offline access only with the user's consent.
    ...(scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
    ...(dpop === undefined ? {} : { dpop_jkt: await dpop.handle.calculateThumbprint() }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, resource, scopes, redirectUri, state, codeVerifier };
}

/** Returns the scopes to request, with `offline_access` where the authorization server lists it. */
export function withOfflineAccess(
  { scopes_supported: known = [] }: AuthorizationServer,
  scopes: readonly string[],
): readonly string[] {
  const isOffline = scopes.length > 0 && known.includes('offline_access');
  return isOffline ? unionOf(scopes, ['offline_access']) : scopes;
}

/**
 * Exchanges the code in a redirect for tokens. The issuer in the redirect is compared before anything
 * else in it is used.
 * @throws AuthorizationError
 */
export async function exchangeCode(
  endpoint: TokenEndpoint,
  { redirectUri, state, codeVerifier, resource, scopes }: AuthorizationRequest,
  redirect: string,
): Promise<StoredTokens> {
  const { server } = endpoint;
  const checked = checkRedirect(endpoint, redirect, redirectUri, state);
  return tokenStep(endpoint, async () => {
    const response = await authorizationCodeGrantRequest(
      server,
      libraryClient(endpoint),
      clientAuthentication(endpoint),
      checked,
      redirectUri,
      codeVerifier,
      { ...requestOptions(endpoint), additionalParameters: { resource } },
    );
    const self = libraryClient(endpoint);
    const tokens = await processAuthorizationCodeResponse(server, self, response);
    return tokensOf(tokens, endpoint, scopes);
  });
}

const DEFAULT_TIMEOUT_MS = 600_000;

/** A user who is asked. */
export interface AskedUser extends UserAuthorization {
  readonly authorize: NonNullable<UserAuthorization['authorize']>;
}

/**
 * Asks the user for authorization and exchanges the code.
 * @throws AuthorizationError
 */
export async function grantByUser(
  endpoint: TokenEndpoint,
  user: AskedUser,
  purpose: TokenPurpose,
): Promise<StoredTokens> {
  const request = await prepareRequest(endpoint, user.redirectUri, purpose);
  const { url, resource, scopes } = request;
  const { issuer } = endpoint.server;
  const redirect = await askUser(user, { url, issuer, resource, scopes });
  return exchangeCode(endpoint, request, redirect);
}

async function askUser(
  { authorize, timeoutMs = DEFAULT_TIMEOUT_MS }: AskedUser,
  request: Omit<UserAuthorizationRequest, 'signal'>,
): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  const tooLate = Promise.withResolvers<never>();
  const onAbort = (): void =>
    tooLate.reject(
      new AuthorizationError(
        'authorization-refused',
        `The user did not authorize the client within ${timeoutMs} ms.`,
      ),
    );
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([authorize({ ...request, signal }), tooLate.promise]);
  } catch (error) {
    if (error instanceof AuthorizationError) throw error;
    throw new AuthorizationError(
      'authorization-refused',
      `No authorization for ${shorten(request.resource)} was obtained from the user.`,
      { cause: error },
    );
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Checks `iss`, `state` and `error` of a redirect, in this order.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-response-validation
 */
function checkRedirect(
  endpoint: TokenEndpoint,
  redirect: string,
  redirectUri: string,
  state: string,
): URLSearchParams {
  const issuer = shorten(endpoint.server.issuer);
  const url = URL.parse(redirect);
  const expected = new URL(redirectUri);
  if (url === null || url.origin !== expected.origin || url.pathname !== expected.pathname)
    throw new AuthorizationError(
      'redirect-invalid',
      'The authorization ended at an address that is not the redirect URI.',
    );
  try {
    return validateAuthResponse(endpoint.server, libraryClient(endpoint), url, state);
  } catch (error) {
    if (error instanceof AuthorizationResponseError)
      throw new AuthorizationError(
        'authorization-refused',
        `${issuer} refused the authorization with ${shorten(error.error)}.`,
        { oauthError: error.error },
      );
    throw new AuthorizationError(
      'redirect-invalid',
      `The redirect of the authorization does not belong to this request to ${issuer}: its issuer or state differs or is missing.`,
    );
  }
}

import {
  authorizationCodeGrantRequest,
  AuthorizationResponseError,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { shorten } from '../protocol/errors.ts';
import { AuthorizationError } from './authorization-error.ts';
import type { UserAuthorization } from './options.ts';
import {
  clientAuthentication,
  libraryClient,
  requestOptions,
  tokensOf,
  tokenStep,
  type TokenEndpoint,
} from './token-endpoint.ts';
import type { StoredTokens } from './token-store.ts';

const DEFAULT_TIMEOUT_MS = 600_000;

/** The purpose of tokens that are requested. */
export interface TokenPurpose {
  readonly resource: string;
  readonly scopes: readonly string[];
}

/**
 * Asks the user for authorization and exchanges the code: authorization code grant with PKCE (S256),
 * `state` and `resource`. The issuer in the redirect is compared before anything else in it is used.
 * @throws AuthorizationError
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-flow-steps
 */
export async function grantByUser(
  endpoint: TokenEndpoint,
  user: UserAuthorization,
  { resource, scopes }: TokenPurpose,
): Promise<StoredTokens> {
  const { server, client, fetch } = endpoint;
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
  const verifier = generateRandomCodeVerifier();
  const state = generateRandomState();
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: user.redirectUri,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    resource,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    // OpenID Connect grants offline access only with the user's consent.
    ...(scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const redirect = await askUser(user, { url: url.href, issuer: server.issuer, resource, scopes });
  return tokenStep(endpoint, async () => {
    const checked = checkRedirect(endpoint, redirect, user.redirectUri, state);
    const response = await authorizationCodeGrantRequest(
      server,
      libraryClient(endpoint),
      clientAuthentication(endpoint),
      checked,
      user.redirectUri,
      verifier,
      { ...requestOptions(fetch), additionalParameters: { resource } },
    );
    const tokens = await processAuthorizationCodeResponse(
      server,
      libraryClient(endpoint),
      response,
    );
    return tokensOf(tokens, client.clientId, scopes);
  });
}

async function askUser(
  { authorize, timeoutMs = DEFAULT_TIMEOUT_MS }: UserAuthorization,
  request: Omit<Parameters<UserAuthorization['authorize']>[0], 'signal'>,
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

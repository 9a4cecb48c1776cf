import { processRefreshTokenResponse, refreshTokenGrantRequest } from 'oauth4webapi';
import { AuthorizationError } from './authorization-error.ts';
import {
  clientAuthentication,
  libraryClient,
  requestOptions,
  tokensOf,
  tokenStep,
  type TokenEndpoint,
} from './token-endpoint.ts';
import type { StoredTokens } from './token-store.ts';

/** Errors of the token endpoint after which a refresh token is of no more use. */
const FINAL_ERRORS = ['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_target'];

/** Whether a refresh failed for good, so that the tokens are deleted and a user must log in. */
export function isTokenLost(error: unknown): boolean {
  return (
    error instanceof AuthorizationError &&
    error.oauthError !== undefined &&
    FINAL_ERRORS.includes(error.oauthError)
  );
}

/**
 * Renews tokens. The response replaces the refresh token if it has one.
 * @throws AuthorizationError `token-request-failed`, with `oauthError` `invalid_grant` when the
 * refresh token is no longer valid
 */
export function refreshTokens(
  endpoint: TokenEndpoint,
  tokens: StoredTokens,
  resource: string,
): Promise<StoredTokens> {
  return tokenStep(endpoint, async () => {
    const client = libraryClient(endpoint);
    const response = await refreshTokenGrantRequest(
      endpoint.server,
      client,
      clientAuthentication(endpoint),
      tokens.refreshToken ?? '',
      { ...requestOptions(endpoint), additionalParameters: { resource } },
    );
    const renewed = tokensOf(
      await processRefreshTokenResponse(endpoint.server, client, response),
      endpoint,
      tokens.scopes,
    );
    return {
      ...renewed,
      requestedScopes: tokens.requestedScopes,
      refreshToken: renewed.refreshToken ?? tokens.refreshToken,
    };
  });
}

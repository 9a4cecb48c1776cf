import { processRefreshTokenResponse, refreshTokenGrantRequest } from 'oauth4webapi';
import {
  clientAuthentication,
  libraryClient,
  requestOptions,
  tokensOf,
  tokenStep,
  type TokenEndpoint,
} from './token-endpoint.ts';
import type { StoredTokens } from './token-store.ts';

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
      { ...requestOptions(endpoint.fetch), additionalParameters: { resource } },
    );
    const renewed = tokensOf(
      await processRefreshTokenResponse(endpoint.server, client, response),
      tokens.clientId,
      tokens.scopes,
    );
    return {
      ...renewed,
      requestedScopes: tokens.requestedScopes,
      refreshToken: renewed.refreshToken ?? tokens.refreshToken,
    };
  });
}

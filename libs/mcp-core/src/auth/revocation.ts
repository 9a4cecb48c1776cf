import { processRevocationResponse, revocationRequest } from 'oauth4webapi';
import { reopenEndpoint } from './login-endpoint.ts';
import type { LoginOptions } from './login.ts';
import {
  clientAuthentication,
  libraryClient,
  requestOptions,
  tokenStep,
} from './token-endpoint.ts';
import type { StoredTokens, TokenKey } from './token-store.ts';

/** Deletes and revokes tokens; see `logOut`. */
export async function revokeTokens(
  key: TokenKey,
  options: LoginOptions,
): Promise<{ readonly isRevoked: boolean }> {
  const { store } = options;
  const tokens = await store.withLock(key, async () => {
    const stored = await store.readTokens(key);
    await store.deleteTokens(key);
    return stored;
  });
  if (tokens === undefined) return { isRevoked: true };
  // The tokens are gone from the store, whatever the authorization server says.
  const isRevoked = await revoke(key, tokens, options).catch(() => false);
  return { isRevoked };
}

async function revoke(
  key: TokenKey,
  { accessToken, refreshToken, clientId }: StoredTokens,
  options: LoginOptions,
): Promise<boolean> {
  const endpoint = await reopenEndpoint({ key, clientId }, options);
  if (endpoint.server.revocation_endpoint === undefined) return false;
  const send = (token: string, hint: string): Promise<void> =>
    tokenStep(endpoint, async () => {
      const response = await revocationRequest(
        endpoint.server,
        libraryClient(endpoint),
        clientAuthentication(endpoint),
        token,
        { ...requestOptions(endpoint), additionalParameters: { token_type_hint: hint } },
      );
      await processRevocationResponse(response);
    });
  if (refreshToken !== undefined) await send(refreshToken, 'refresh_token');
  // Servers may be unable to revoke access tokens that they do not keep; the refresh token is gone.
  const access = send(accessToken, 'access_token');
  await (refreshToken === undefined ? access : access.catch(() => undefined));
  return true;
}

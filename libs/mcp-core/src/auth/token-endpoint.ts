import {
  allowInsecureRequests,
  customFetch,
  isDPoPNonceError,
  None,
  PrivateKeyJwt,
  ResponseBodyError,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { shorten } from '../protocol/errors.ts';
import { AuthorizationError } from './authorization-error.ts';
import type { DpopKey } from './dpop-key.ts';
import type { FetchInit, GuardedFetch } from './guarded-fetch.ts';
import type { RegisteredClient } from './registered-client.ts';
import { scopesIn } from './scopes.ts';
import type { StoredTokens } from './token-store.ts';

/** An authorization server, and the client that this host is there. */
export interface TokenEndpoint {
  /** Key that the tokens are bound to. Default: they are bearer tokens. */
  readonly dpop?: DpopKey | undefined;
  readonly fetch: GuardedFetch;
  readonly server: AuthorizationServer;
  readonly client: RegisteredClient;
}

/** Returns the client in the form of the library. */
export function libraryClient({ client }: TokenEndpoint): Client {
  return { client_id: client.clientId };
}

/** Returns the options of the library's requests; the addresses are checked by `GuardedFetch`. */
export function requestOptions({ fetch, dpop }: Pick<TokenEndpoint, 'fetch' | 'dpop'>) {
  return {
    [allowInsecureRequests]: true,
    [customFetch]: async (url: string, init: FetchInit) => {
      const response = await fetch.fetch(url, init);
      // With a challenge, the library would not read the error in the body.
      response.headers.delete('www-authenticate');
      return response;
    },
    ...(dpop === undefined ? {} : { DPoP: dpop.handle }),
  } as const;
}

/** Returns the authentication of the client at the token endpoint. */
export function clientAuthentication({ server, client }: TokenEndpoint): ClientAuth {
  const { clientSecret, privateKey } = client;
  const method = client.authMethod ?? chooseMethod(server, client);
  if (method === 'none') return None();
  if (method === 'private_key_jwt' && privateKey !== undefined) return PrivateKeyJwt(privateKey);
  if (method === 'client_secret_post' && clientSecret !== undefined)
    return (_server, { client_id: id }, body) => {
      body.set('client_id', id);
      body.set('client_secret', clientSecret);
    };
  if (method === 'client_secret_basic' && clientSecret !== undefined)
    return (_server, { client_id: id }, _body, headers) => {
      // The library also escapes hyphens and dots, which many servers do not decode.
      const pair = [id, clientSecret].map((text) =>
        new URLSearchParams({ t: text }).toString().slice(2),
      );
      headers.set('authorization', `Basic ${btoa(pair.join(':'))}`);
    };
  throw new AuthorizationError(
    'no-client',
    `The client of ${shorten(server.issuer)} lacks what its authentication method ${shorten(method)} needs.`,
  );
}

function chooseMethod(
  {
    token_endpoint_auth_methods_supported: supported = ['client_secret_basic'],
  }: AuthorizationServer,
  { clientSecret, privateKey }: RegisteredClient,
): string {
  if (privateKey !== undefined) return 'private_key_jwt';
  if (clientSecret === undefined) return 'none';
  const known = ['client_secret_basic', 'client_secret_post', 'none'];
  return known.find((method) => supported.includes(method)) ?? 'client_secret_basic';
}

/**
 * Runs a step of the library, and once more when the server demands a nonce in the proof, which the
 * key then knows. Its errors hold parameters and bodies, so only their codes are kept.
 * @throws AuthorizationError `token-request-failed`
 */
export async function tokenStep<T>(
  { server, dpop }: Pick<TokenEndpoint, 'server' | 'dpop'>,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step().catch((error: unknown) => {
      if (dpop !== undefined && isDPoPNonceError(error)) return step();
      throw error;
    });
  } catch (error) {
    if (error instanceof AuthorizationError) throw error;
    const issuer = shorten(server.issuer);
    if (error instanceof ResponseBodyError)
      throw new AuthorizationError(
        'token-request-failed',
        `${issuer} refused the request with ${shorten(error.error)}.`,
        { oauthError: error.error },
      );
    const { code = 'unknown reason' } = error as { readonly code?: string };
    throw new AuthorizationError(
      'token-request-failed',
      `The answer of ${issuer} cannot be used (${code}).`,
    );
  }
}

/**
 * Returns the tokens in a response; without `scope` in it, the requested scopes were granted.
 * @throws AuthorizationError `token-request-failed` when the type of the token is not that of the
 * request
 */
export function tokensOf(
  response: TokenEndpointResponse,
  { server, client, dpop }: TokenEndpoint,
  requestedScopes: readonly string[],
): StoredTokens {
  const { access_token: accessToken, token_type: type, expires_in: seconds } = response;
  const tokenType = type === 'dpop' ? 'DPoP' : 'Bearer';
  if ((dpop === undefined) !== (tokenType === 'Bearer'))
    throw new AuthorizationError(
      'token-request-failed',
      `${shorten(server.issuer)} issued a ${tokenType} token, but a ${dpop === undefined ? 'Bearer' : 'DPoP'} token was requested.`,
    );
  return {
    accessToken,
    tokenType,
    refreshToken: response.refresh_token,
    requestedScopes,
    scopes: response.scope === undefined ? requestedScopes : scopesIn(response.scope),
    expiresAt: seconds === undefined || seconds <= 0 ? undefined : Date.now() + seconds * 1000,
    clientId: client.clientId,
    dpopKey: dpop?.jwk,
  };
}

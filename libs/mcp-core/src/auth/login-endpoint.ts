import { shorten } from '../protocol/errors.ts';
import { AuthorizationError } from './authorization-error.ts';
import { checkUrls } from './check-urls.ts';
import { discover, fetchKnownServer } from './discovery.ts';
import { DpopKey } from './dpop-key.ts';
import { GuardedFetch } from './guarded-fetch.ts';
import type { LoginTarget } from './login-request.ts';
import type { LoginOptions, PendingLogin } from './login.ts';
import { findClient } from './registration.ts';
import type { TokenEndpoint } from './token-endpoint.ts';
import type { StoredTokens, TokenKey, TokenStore } from './token-store.ts';

/** The authorization server of a login that begins. */
export interface OpenedEndpoint {
  readonly endpoint: TokenEndpoint;
  readonly key: TokenKey;
  /** Scopes to request. */
  readonly scopes: readonly string[];
}

/**
 * Discovers the authorization server of a login, and finds or registers the client of this host.
 * @throws AuthorizationError
 */
export async function openEndpoint(
  target: LoginTarget,
  { registration, network, redirectUri, store, principal = '' }: LoginOptions,
): Promise<OpenedEndpoint> {
  checkUrls({ server: target.server, redirectUri, metadataUrl: registration?.metadataUrl });
  const fetch = new GuardedFetch(target.server, network);
  const { server, resource, scopesSupported, isDpop } = await discover(fetch, target, registration);
  const context = { registration, redirectUri, store, fetch, server, resource };
  const client = await findClient(context);
  const dpop = isDpop ? await DpopKey.generate() : undefined;
  return {
    endpoint: { fetch, server, client, dpop },
    key: { issuer: server.issuer, resource, principal },
    scopes: target.scopes ?? scopesSupported,
  };
}

/**
 * Finds the authorization server and the client of a login that began before, or of stored tokens.
 * @throws AuthorizationError `no-client` when this host is another client there by now
 */
export async function reopenEndpoint(
  { key, clientId, dpopKey }: Pick<PendingLogin, 'key' | 'clientId' | 'dpopKey'>,
  { registration, network, redirectUri, store }: LoginOptions,
): Promise<TokenEndpoint> {
  const { issuer, resource } = key;
  const fetch = new GuardedFetch(resource, network);
  const server = await fetchKnownServer(fetch, issuer, resource);
  const context = { registration, redirectUri, store, fetch, server, resource, isKnown: true };
  const client = await findClient(context);
  if (client.clientId !== clientId)
    throw new AuthorizationError(
      'no-client',
      `The client of this host at ${shorten(issuer)} has changed since the login began; log in again.`,
    );
  const dpop = dpopKey === undefined ? undefined : await DpopKey.from(dpopKey);
  return { fetch, server, client, dpop };
}

/** Stores tokens while no refresh of the key runs. */
export function storeTokens(store: TokenStore, key: TokenKey, tokens: StoredTokens): Promise<void> {
  return store.withLock(key, () => store.writeTokens(key, tokens));
}

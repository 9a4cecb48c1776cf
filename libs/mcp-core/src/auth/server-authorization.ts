import type { AuthorizationServer } from 'oauth4webapi';
import type { ExtraHeaders } from '../http/client/headers.ts';
import type { RefusedRequest } from '../http/client/authorization.ts';
import { shorten } from '../protocol/errors.ts';
import { AuthorizationError } from './authorization-error.ts';
import { tokenChallenge } from './challenge.ts';
import { GuardedFetch } from './guarded-fetch.ts';
import { grantByMachine } from './machine-grant.ts';
import type { ClientAuthorizationOptions, UserAuthorization } from './options.ts';
import { refreshTokens } from './refresh.ts';
import { findClient } from './registration.ts';
import { fetchResourceMetadata } from './resource-metadata.ts';
import { covers, scopesIn, unionOf } from './scopes.ts';
import { fetchOriginMetadata, fetchServerMetadata } from './server-metadata.ts';
import type { TokenEndpoint } from './token-endpoint.ts';
import type { StoredTokens, TokenKey, TokenStore } from './token-store.ts';
import { grantByUser } from './user-grant.ts';

/** The resource that an MCP server is, and its authorization server. */
interface Target {
  readonly resource: string;
  readonly scopesSupported: readonly string[];
  readonly server: AuthorizationServer;
}

/** The tokens in use. */
interface Held {
  readonly key: TokenKey;
  readonly tokens: StoredTokens;
  readonly endpoint: TokenEndpoint | undefined;
  /** Whether a grant for this client issued them, rather than the store or a refresh. */
  readonly isGranted: boolean;
  readonly isRefreshed: boolean;
}

/** Milliseconds before the end of its life at which an access token is renewed. */
const EARLY_MS = 30_000;
/** Maximum number of step-ups for the same scopes. */
const MAX_STEP_UPS = 2;

/**
 * The authorization of one principal at one MCP server. One discovery, grant or refresh runs at a
 * time; requests that are refused meanwhile wait for its outcome.
 */
export class ServerAuthorization {
  readonly #options: ClientAuthorizationOptions;
  readonly #store: TokenStore;
  readonly #server: string;
  readonly #fetch: GuardedFetch;
  readonly #stepUps = new Map<string, number>();
  #held: Held | undefined;
  #running: Promise<boolean> | undefined;

  constructor(server: string, options: ClientAuthorizationOptions, store: TokenStore) {
    this.#server = server;
    this.#options = options;
    this.#store = store;
    this.#fetch = new GuardedFetch(server, options.network);
  }

  /** Returns the headers of a request, after renewing a token that expires. */
  async headers(): Promise<ExtraHeaders> {
    const { expiresAt = Infinity, refreshToken } = this.#held?.tokens ?? {};
    if (refreshToken !== undefined && expiresAt - EARLY_MS < Date.now())
      // The server decides what follows when it fails: its 401 starts an authorization.
      await this.#once(() => this.#refresh()).catch(() => false);
    return this.#headers();
  }

  /** Obtains tokens for a refused request. Returns whether the request is sent again. */
  async refused(request: RefusedRequest): Promise<boolean> {
    const challenge = tokenChallenge(request.responseHeaders['www-authenticate']);
    if (request.status === 403 && challenge['error'] !== 'insufficient_scope') return false;
    const { Authorization: current } = this.#headers();
    if (this.#running === undefined && current !== undefined)
      if (request.sent['Authorization'] !== current) return true;
    return this.#once(() => this.#authorize(request, challenge));
  }

  #headers(): ExtraHeaders {
    if (this.#held === undefined) return {};
    const { tokenType, accessToken } = this.#held.tokens;
    return { Authorization: `${tokenType} ${accessToken}` };
  }

  #once(step: () => Promise<boolean>): Promise<boolean> {
    this.#running ??= step().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #authorize(
    request: RefusedRequest,
    challenge: { readonly [name: string]: string },
  ): Promise<boolean> {
    const target = await this.#discover(challenge['resource_metadata']);
    const key = this.#keyOf(target);
    if (!isSameKey(this.#held?.key, key)) this.#held = undefined;
    const challenged = scopesIn(challenge['scope']);
    if (request.status === 403) this.#countStepUp(challenged);
    else if (await this.#reuse(key, target, request)) return true;
    if (request.method !== 'POST' && this.#options.user !== undefined) return false;
    const asked = challenged.length === 0 ? target.scopesSupported : challenged;
    await this.#grant(target, unionOf(this.#held?.tokens.requestedScopes ?? [], asked));
    return true;
  }

  /**
   * Uses stored tokens or refreshes the held ones. Returns false when a grant is needed.
   * @throws AuthorizationError `token-refused` when the refused token comes from a grant for this
   * request
   */
  async #reuse(key: TokenKey, target: Target, { attempt }: RefusedRequest): Promise<boolean> {
    const held = this.#held;
    if (held !== undefined && attempt > 0 && held.isGranted)
      throw new AuthorizationError(
        'token-refused',
        `${new URL(this.#server).origin} refuses the token that ${shorten(key.issuer)} just issued for it.`,
      );
    const stored = await this.#store.readTokens(key);
    if (stored !== undefined && stored.accessToken !== held?.tokens.accessToken) {
      this.#held = {
        key,
        tokens: stored,
        endpoint: undefined,
        isGranted: false,
        isRefreshed: false,
      };
      return true;
    }
    if (held?.tokens.refreshToken === undefined || (attempt > 0 && held.isRefreshed)) return false;
    this.#held = { ...held, endpoint: await this.#endpointOf(target) };
    return this.#refresh();
  }

  /** Returns false when the refresh token is no longer valid. */
  async #refresh(): Promise<boolean> {
    if (this.#held === undefined) return false;
    const { key, tokens } = this.#held;
    const stored = await this.#store.readTokens(key);
    if (stored !== undefined && stored.refreshToken !== tokens.refreshToken) {
      this.#held = { ...this.#held, tokens: stored };
      return true;
    }
    const endpoint =
      this.#held.endpoint ?? (await this.#endpointOf(await this.#discover(undefined)));
    if (endpoint.server.issuer !== key.issuer || endpoint.client.clientId !== tokens.clientId)
      return false;
    try {
      const renewed = await refreshTokens(endpoint, tokens, key.resource);
      await this.#hold({ key, tokens: renewed, endpoint, isGranted: false, isRefreshed: true });
      return true;
    } catch (error) {
      if (!(error instanceof AuthorizationError) || error.oauthError === undefined) throw error;
      await this.#store.deleteTokens(key);
      this.#held = { ...this.#held, tokens: { ...tokens, refreshToken: undefined } };
      return false;
    }
  }

  async #grant(target: Target, scopes: readonly string[]): Promise<void> {
    const { user, grant } = this.#options;
    const { resource } = target;
    if (user === undefined && grant === undefined)
      throw new AuthorizationError(
        'user-needed',
        `${new URL(this.#server).origin} needs the authorization of a user, and the option user is not set.`,
      );
    const endpoint = await this.#endpointOf(target);
    const tokens =
      grant === undefined
        ? await this.#grantByUser(endpoint, resource, scopes)
        : await grantByMachine(endpoint, grant, { resource, scopes });
    const key = this.#keyOf(target);
    await this.#hold({ key, tokens, endpoint, isGranted: true, isRefreshed: false });
  }

  async #grantByUser(
    endpoint: TokenEndpoint,
    resource: string,
    scopes: readonly string[],
  ): Promise<StoredTokens> {
    const user = this.#options.user as UserAuthorization; // the caller has checked it
    const { issuer, scopes_supported: known = [] } = endpoint.server;
    const isOffline = scopes.length > 0 && known.includes('offline_access');
    return grantByUser(endpoint, user, {
      resource,
      scopes: isOffline ? unionOf(scopes, ['offline_access']) : scopes,
    }).catch(async (error: unknown) => {
      // A registration that its server has forgotten is made anew by the next request.
      if (error instanceof AuthorizationError && error.oauthError === 'invalid_client')
        await this.#store.deleteClient(issuer, user.redirectUri);
      throw error;
    });
  }

  /** @throws AuthorizationError `token-refused` */
  #countStepUp(challenged: readonly string[]): void {
    const name = challenged.toSorted().join(' ');
    const count = this.#stepUps.get(name) ?? 0;
    const { scopes } = this.#held?.tokens ?? {};
    if (count >= MAX_STEP_UPS || (scopes !== undefined && covers(scopes, challenged)))
      throw new AuthorizationError(
        'token-refused',
        `${new URL(this.#server).origin} still demands the scopes ${shorten(name)}, which were ${count >= MAX_STEP_UPS ? 'requested' : 'granted'} before.`,
      );
    this.#stepUps.set(name, count + 1);
  }

  async #hold(held: Held): Promise<void> {
    this.#held = held;
    await this.#store.writeTokens(held.key, held.tokens);
  }

  async #discover(challengedUrl: string | undefined): Promise<Target> {
    const metadata = await fetchResourceMetadata(this.#fetch, this.#server, challengedUrl);
    if (metadata === undefined)
      return {
        resource: withoutSlash(this.#server),
        scopesSupported: [],
        server: await fetchOriginMetadata(this.#fetch, this.#server),
      };
    const { resource, authorizationServers, scopesSupported = [] } = metadata;
    const registered = this.#options.registration?.clients?.map(({ issuer }) => issuer) ?? [];
    const issuer =
      authorizationServers.find((each) => registered.includes(each)) ??
      String(authorizationServers[0]);
    return { resource, scopesSupported, server: await fetchServerMetadata(this.#fetch, issuer) };
  }

  async #endpointOf({ server, resource }: Target): Promise<TokenEndpoint> {
    const options = this.#options;
    const context = { options, store: this.#store, fetch: this.#fetch, server, resource };
    return { fetch: this.#fetch, server, client: await findClient(context) };
  }

  #keyOf({ server, resource }: Target): TokenKey {
    return { issuer: server.issuer, resource, principal: this.#options.principal ?? '' };
  }
}

function isSameKey(one: TokenKey | undefined, other: TokenKey): boolean {
  return one?.issuer === other.issuer && one.resource === other.resource;
}

/** Returns the canonical URI of a server: without fragment, and without the slash of an empty path. */
function withoutSlash(server: string): string {
  const { origin, pathname, search } = new URL(server);
  return pathname === '/' && search === '' ? origin : `${origin}${pathname}${search}`;
}

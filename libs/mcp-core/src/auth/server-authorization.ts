import type { AuthorizedRequest, RefusedRequest } from '../http/client/authorization.ts';
import type { ExtraHeaders } from '../http/client/headers.ts';
import { shorten } from '../protocol/errors.ts';
import { AuthorizationError } from './authorization-error.ts';
import { tokenChallenge } from './challenge.ts';
import { discover, type Target } from './discovery.ts';
import { DpopKey } from './dpop-key.ts';
import { authorizationOf, headersOf, held, type HeldTokens } from './held-tokens.ts';
import { GuardedFetch } from './guarded-fetch.ts';
import type { LoginReason, LoginTarget } from './login-request.ts';
import { grantByMachine } from './machine-grant.ts';
import type { ClientAuthorizationOptions } from './options.ts';
import { isTokenLost, refreshTokens } from './refresh.ts';
import { findClient } from './registration.ts';
import { covers, scopesIn, unionOf } from './scopes.ts';
import { StepUps } from './step-ups.ts';
import type { TokenEndpoint } from './token-endpoint.ts';
import type { StoredTokens, TokenKey, TokenStore } from './token-store.ts';
import { grantByUser } from './user-grant.ts';
import { userNeeded } from './user-needed.ts';

/** A refused request, and the resource that it was for. */
interface Refusal {
  readonly request: RefusedRequest;
  readonly target: Target;
  readonly login: LoginTarget;
  /** Scopes in the challenge. */
  readonly challenged: readonly string[];
}

/** Milliseconds until a failed renewal before the end of a token's life is tried again. */
const RETRY_MS = 10_000;
/** Longest time in milliseconds that a request with a valid token waits for its renewal. */
const MAX_WAIT_MS = 2000;

/**
 * The authorization of one principal at one MCP server. One discovery, grant or refresh runs at a
 * time; requests that are refused meanwhile wait for its outcome. Refreshes of all processes that
 * share the store run one after another, and each uses the tokens that the one before has stored.
 */
export class ServerAuthorization {
  readonly #options: ClientAuthorizationOptions;
  readonly #store: TokenStore;
  readonly #server: string;
  readonly #fetch: GuardedFetch;
  readonly #stepUps = new StepUps();
  #held: HeldTokens | undefined;
  /** The target of the last refused request. */
  #target: Target | undefined;
  #reason: LoginReason = 'no-tokens';
  /** Scopes of earlier requests for tokens. */
  #requestedScopes: readonly string[] = [];
  #nonce: string | undefined;
  #running: Promise<boolean> | undefined;
  /** The renewal of a token that still is valid. Never rejects. */
  #renewal: Promise<unknown> | undefined;

  constructor(server: string, options: ClientAuthorizationOptions, store: TokenStore) {
    this.#server = server;
    this.#options = options;
    this.#store = store;
    this.#fetch = new GuardedFetch(server, options.network);
  }

  /** Returns the headers of a request, after renewing a token that expires. */
  headers(request: AuthorizedRequest): ExtraHeaders | Promise<ExtraHeaders> {
    const { tokens, renewAt = Infinity } = this.#held ?? {};
    return tokens?.refreshToken === undefined || renewAt > Date.now()
      ? this.#headersFor(request)
      : this.#renewEarly().then(() => this.#headersFor(request));
  }

  /** Remembers the nonce that the proofs for the MCP server must contain. */
  nonceReceived(nonce: string): void {
    this.#nonce = nonce;
  }

  /** Obtains tokens for a refused request. Returns whether the request is sent again. */
  async refused(request: RefusedRequest): Promise<boolean> {
    const { isDpop, parameters } = tokenChallenge(request.responseHeaders['www-authenticate']);
    const { error } = parameters;
    if (request.status === 403 && error !== 'insufficient_scope') return false;
    if (request.sent['DPoP'] !== undefined && this.#isProofRefused(request, error)) return true;
    await this.#renewal;
    const current = this.#held === undefined ? undefined : authorizationOf(this.#held.tokens);
    if (this.#running === undefined && current !== undefined)
      if (request.sent['Authorization'] !== current) return true;
    const login: LoginTarget = {
      server: this.#server,
      metadataUrl: parameters['resource_metadata'],
      isDpop: isDpop ? true : undefined,
    };
    const isJoined = this.#running !== undefined;
    const authorize = (): Promise<boolean> =>
      this.#authorize(request, login, scopesIn(parameters['scope']));
    // The request that was joined may be one that asks nobody.
    return (await this.#once(authorize)) || (isJoined && (await this.#once(authorize)));
  }

  #headersFor(request: AuthorizedRequest): ExtraHeaders {
    return this.#held === undefined ? {} : headersOf(this.#held, request, this.#nonce);
  }

  /**
   * Whether the server refused only the nonce of the proof, and sent another.
   * @throws AuthorizationError `token-refused`
   */
  #isProofRefused({ responseHeaders }: RefusedRequest, error: string | undefined): boolean {
    const nonce = responseHeaders['dpop-nonce'];
    if (error === 'use_dpop_nonce' && nonce !== undefined) {
      this.#nonce = nonce;
      return true;
    }
    if (error === 'use_dpop_nonce' || error === 'invalid_dpop_proof')
      throw new AuthorizationError(
        'token-refused',
        `${new URL(this.#server).origin} refuses the DPoP proof with ${error}${error === 'use_dpop_nonce' ? ', and sends no nonce' : '; check the clock of this machine'}.`,
      );
    return false;
  }

  #once(step: () => Promise<boolean>): Promise<boolean> {
    this.#running ??= step().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /**
   * Renews tokens that still are valid. When that fails or takes long, they are used: the 401 of the
   * server then starts an authorization.
   */
  async #renewEarly(): Promise<void> {
    this.#renewal ??= this.#renewHeld()
      .catch(() => false)
      .finally(() => {
        this.#renewal = undefined;
      });
    await settledWithin(this.#renewal, MAX_WAIT_MS);
    const now = Date.now();
    if (this.#held !== undefined && this.#held.renewAt <= now)
      this.#held = { ...this.#held, renewAt: now + RETRY_MS };
  }

  async #renewHeld(): Promise<boolean> {
    if (this.#held === undefined || this.#target === undefined) return false;
    return this.#renew(this.#held.key, this.#target);
  }

  async #authorize(
    request: RefusedRequest,
    login: LoginTarget,
    challenged: readonly string[],
  ): Promise<boolean> {
    const { registration, user, grant } = this.#options;
    const target = await discover(this.#fetch, login, registration);
    this.#target = target;
    const key = this.#keyOf(target);
    if (!isSameKey(this.#held?.key, key)) this.#forgetTokens();
    if (await this.#reuse(key, target, request, challenged)) return true;
    const isRequested = grant !== undefined || user?.authorize !== undefined;
    if (request.status === 403) {
      this.#reason = 'insufficient-scope';
      this.#stepUps.check(this.#server, challenged, this.#held?.tokens.scopes, isRequested);
    }
    if (request.method !== 'POST' && user !== undefined) return false;
    await this.#grant({ request, target, login, challenged });
    return true;
  }

  /**
   * Uses stored tokens or refreshes them. Returns false when a grant is needed.
   * @throws AuthorizationError `token-refused` when the refused token comes from a grant for this
   * request
   */
  async #reuse(
    key: TokenKey,
    target: Target,
    { status, attempt }: RefusedRequest,
    challenged: readonly string[],
  ): Promise<boolean> {
    const { source } = this.#held ?? {};
    if (status === 403) return this.#adopt(key, await this.#store.readTokens(key), challenged);
    if (attempt > 0 && source === 'grant')
      throw new AuthorizationError(
        'token-refused',
        `${new URL(this.#server).origin} refuses the token that ${shorten(key.issuer)} just issued for it.`,
      );
    if (attempt > 0 && source === 'refresh') {
      this.#reason = 'tokens-refused';
      return this.#adopt(key, await this.#store.readTokens(key), []);
    }
    return this.#renew(key, target);
  }

  /** Uses stored tokens if they are not those in use, not expired, and have the scopes. */
  async #adopt(
    key: TokenKey,
    stored: StoredTokens | undefined,
    scopes: readonly string[],
  ): Promise<boolean> {
    const isNew = stored !== undefined && stored.accessToken !== this.#held?.tokens.accessToken;
    if (!isNew || (stored.expiresAt ?? Infinity) <= Date.now()) return false;
    if (!covers(stored.scopes, scopes)) return false;
    const dpop = stored.dpopKey === undefined ? undefined : await DpopKey.from(stored.dpopKey);
    this.#hold({ key, tokens: stored, dpop, source: 'store' });
    return true;
  }

  /**
   * Uses the stored tokens, refreshed if they are those in use or have expired. Returns false when
   * there are none, or the refresh token is no longer valid.
   */
  #renew(key: TokenKey, target: Target): Promise<boolean> {
    return this.#store.withLock(key, async () => {
      const stored = await this.#store.readTokens(key);
      if (await this.#adopt(key, stored, [])) return true;
      this.#reason = stored === undefined ? 'no-tokens' : 'tokens-refused';
      this.#requestedScopes = stored?.requestedScopes ?? this.#requestedScopes;
      this.#dropRefreshToken();
      if (stored?.refreshToken === undefined || target.server.issuer !== key.issuer) return false;
      const dpop = stored.dpopKey === undefined ? undefined : await DpopKey.from(stored.dpopKey);
      try {
        const endpoint = await this.#endpointOf(target, dpop, true);
        if (endpoint.client.clientId !== stored.clientId) return false;
        const tokens = await refreshTokens(endpoint, stored, key.resource);
        await this.#store.writeTokens(key, tokens);
        this.#hold({ key, tokens, dpop, source: 'refresh' });
        return true;
      } catch (error) {
        if (error instanceof AuthorizationError && error.code === 'no-client') return false;
        if (!isTokenLost(error)) {
          this.#hold({ key, tokens: stored, dpop, source: 'store' });
          throw error;
        }
        this.#reason = 'refresh-refused';
        await this.#store.deleteTokens(key);
        await this.#forgetClient(error, key.issuer);
        return false;
      }
    });
  }

  async #grant({ request, target, login, challenged }: Refusal): Promise<void> {
    const { user, grant } = this.#options;
    const { resource } = target;
    const { scopes: wanted = challenged.length === 0 ? target.scopesSupported : [] } =
      this.#options;
    const scopes = unionOf(this.#requestedScopes, challenged, wanted);
    const key = this.#keyOf(target);
    if (grant === undefined && user?.authorize === undefined) {
      const reason = this.#reason;
      throw userNeeded(target, { ...login, scopes, challengedScopes: challenged, reason });
    }
    const dpop = target.isDpop ? (this.#held?.dpop ?? (await DpopKey.generate())) : undefined;
    const endpoint = await this.#endpointOf(target, dpop);
    const purpose = { resource, scopes };
    const { authorize } = user ?? {};
    if (user !== undefined && authorize !== undefined) {
      const asked = { ...user, authorize };
      const tokens = await grantByUser(endpoint, asked, purpose).catch(async (error: unknown) => {
        await this.#forgetClient(error, key.issuer);
        throw error;
      });
      await this.#store.withLock(key, () => this.#store.writeTokens(key, tokens));
      this.#hold({ key, tokens, dpop, source: 'grant' });
    } else if (grant !== undefined) {
      await this.#store.withLock(key, async () => {
        const stored = await this.#store.readTokens(key);
        if (await this.#adopt(key, stored, request.status === 403 ? challenged : [])) return;
        const tokens = await grantByMachine(endpoint, grant, purpose);
        await this.#store.writeTokens(key, tokens);
        this.#hold({ key, tokens, dpop, source: 'grant' });
      });
    }
  }

  /** Deletes a registration that its server has forgotten, so that the next request makes another. */
  async #forgetClient(error: unknown, issuer: string): Promise<void> {
    const { redirectUri } = this.#options.user ?? {};
    const isUnknown = error instanceof AuthorizationError && error.oauthError === 'invalid_client';
    if (isUnknown && redirectUri !== undefined) await this.#store.deleteClient(issuer, redirectUri);
  }

  #hold(tokens: Omit<HeldTokens, 'renewAt'>): void {
    this.#requestedScopes = tokens.tokens.requestedScopes;
    this.#held = held(tokens);
  }

  #forgetTokens(): void {
    this.#held = undefined;
    this.#requestedScopes = [];
  }

  #dropRefreshToken(): void {
    if (this.#held === undefined) return;
    const { tokens } = this.#held;
    this.#held = { ...this.#held, tokens: { ...tokens, refreshToken: undefined } };
  }

  async #endpointOf(
    target: Target,
    dpop: DpopKey | undefined,
    isKnown = false,
  ): Promise<TokenEndpoint> {
    const { registration, user } = this.#options;
    const { server, resource } = target;
    const { redirectUri } = user ?? {};
    const fetch = this.#fetch;
    const store = this.#store;
    const context = { registration, redirectUri, store, fetch, server, resource, isKnown };
    return { fetch, server, dpop, client: await findClient(context) };
  }

  #keyOf({ server, resource }: Target): TokenKey {
    return { issuer: server.issuer, resource, principal: this.#options.principal ?? '' };
  }
}

/** Resolves when a promise is fulfilled, or after a time. */
async function settledWithin(promise: Promise<unknown>, timeoutMs: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

function isSameKey(one: TokenKey | undefined, other: TokenKey): boolean {
  return one?.issuer === other.issuer && one.resource === other.resource;
}

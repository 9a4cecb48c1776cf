import { GuardedFetch } from '../../auth/guarded-fetch.ts';
import type { AuthorizationNetwork } from '../../auth/options.ts';
import { nodeCrypto } from '../../jsonrpc/node-crypto.ts';
import { headerOf, type HttpHeaders } from '../headers/http-headers.ts';
import type {
  AuthDecision,
  GrantedAccess,
  RefusedAccess,
  RequestTarget,
} from '../server/authentication.ts';
import type { Challenges, TokenScheme } from './challenges.ts';
import { confirmedToken, type ImpliedScopes } from './confirmed-token.ts';
import type { DpopProofs } from './dpop-proofs.ts';
import { DpopNonces } from './dpop-nonces.ts';
import { ExpiringMap } from './expiring-map.ts';
import type { IntrospectionOptions } from './protected-resource-options.ts';
import { RefusedTokenError } from './refused-token-error.ts';
import type { TokenVerifier } from './token-verifier.ts';

export interface ResourceAccessOptions {
  readonly tokens: {
    readonly issuer: string;
    readonly audience: string;
    readonly algorithms: readonly string[];
    readonly introspection: IntrospectionOptions | undefined;
    readonly network: AuthorizationNetwork | undefined;
  };
  readonly proofs: {
    readonly resource: string;
    readonly algorithms: readonly string[];
    readonly needsNonce: boolean;
  };
  readonly isDpopRequired: boolean;
  readonly impliedScopes: ImpliedScopes;
  readonly challenges: Challenges;
}

/** A token that was confirmed, as it is remembered. */
interface KnownToken {
  readonly granted: GrantedAccess;
  /** Thumbprint of the key to which it is bound. */
  readonly key: string | undefined;
}

/** Tokens that are remembered; a refusal counts on its own. */
const MAX_TOKENS = 10_000;
const MAX_REFUSALS = 1000;
/** Tokens that are verified at the same time. */
const MAX_VERIFYING = 1000;
/** Longest access token in characters. */
const MAX_TOKEN_CHARACTERS = 16_384;
const CREDENTIALS = /^(?<scheme>bearer|dpop)(?: +(?<token>.*))?$/iu;
/** @see https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const TOKEN = /^[\w.~+/-]+=*$/u;
const REPORT_INTERVAL_MS = 5000;
const RETRY_LATER = { 'retry-after': '5' };

/**
 * Decides about requests by their access tokens. A confirmed token is remembered by its hash until
 * it expires, at most for `TokenVerifier.maxAgeMs`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#token-handling
 */
export class ResourceAccess {
  readonly #options: ResourceAccessOptions;
  readonly #known = new ExpiringMap<KnownToken>(MAX_TOKENS);
  readonly #refused = new ExpiringMap<RefusedTokenError>(MAX_REFUSALS);
  readonly #verifying = new Map<string, Promise<KnownToken>>();
  readonly #nonces: DpopNonces | undefined;
  #verifier: Promise<TokenVerifier> | undefined;
  #proofs: Promise<DpopProofs> | undefined;
  #silentUntilMs = 0;

  constructor(options: ResourceAccessOptions) {
    this.#options = options;
    this.#nonces = options.proofs.needsNonce ? new DpopNonces() : undefined;
  }

  /** Decides immediately about a known token that needs no proof. */
  decide(headers: HttpHeaders, target: RequestTarget): AuthDecision | Promise<AuthDecision> {
    const { challenges, isDpopRequired } = this.#options;
    const { scheme: given, token } =
      CREDENTIALS.exec(headerOf(headers, 'authorization') ?? '')?.groups ?? {};
    if (given === undefined) return { refused: 401, challenge: challenges.withoutToken };
    const scheme = given.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer';
    if (token === undefined || token.length > MAX_TOKEN_CHARACTERS || !TOKEN.test(token))
      return this.#refusal(scheme, MALFORMED);
    const hash = nodeCrypto().createHash('sha256').update(token).digest('base64url');
    const known = this.#known.get(hash);
    if (known !== undefined && known.key === undefined && scheme === 'Bearer' && !isDpopRequired)
      return known.granted;
    return this.#decideLater({ scheme, token, hash, known }, headers, target);
  }

  async #decideLater(
    { scheme, token, hash, known }: Presented,
    headers: HttpHeaders,
    target: RequestTarget,
  ): Promise<AuthDecision> {
    try {
      const confirmed = known ?? (await this.#confirm(token, hash));
      this.#checkScheme(scheme, confirmed);
      if (confirmed.key === undefined) return confirmed.granted;
      const proof = headerOf(headers, 'dpop');
      const proofs = await this.#loadProofs();
      const digest = await proofs.check(proof, { target, tokenHash: hash, key: confirmed.key });
      const nonce = this.#nonces?.current;
      return {
        ...confirmed.granted,
        headers: nonce === undefined ? undefined : { 'dpop-nonce': nonce },
        checkBody: this.#bodyCheck(scheme, digest),
      };
    } catch (problem) {
      if (problem instanceof RefusedTokenError) return this.#refusal(scheme, problem);
      return { refused: 503, headers: RETRY_LATER, ...this.#reported(problem) };
    }
  }

  /** Returns the check that a body has the digest in a proof; none without a digest. */
  #bodyCheck(scheme: TokenScheme, digest: string | undefined): GrantedAccess['checkBody'] {
    if (digest === undefined) return undefined;
    return (body) => {
      const hash = nodeCrypto().createHash('sha256').update(body).digest('base64');
      return digest === `sha-256=:${hash}:` ? undefined : this.#refusal(scheme, OTHER_BODY);
    };
  }

  /** Reports a failure of the authorization server at most every five seconds. */
  #reported(problem: unknown): { readonly problem?: unknown } {
    if (Date.now() < this.#silentUntilMs) return {};
    this.#silentUntilMs = Date.now() + REPORT_INTERVAL_MS;
    return { problem };
  }

  #checkScheme(scheme: TokenScheme, { key }: KnownToken): void {
    if (key !== undefined && scheme === 'Bearer')
      throw new RefusedTokenError(
        'invalid_token',
        'The access token is bound to a key and needs the scheme DPoP',
        true,
      );
    if (key === undefined && (scheme === 'DPoP' || this.#options.isDpopRequired))
      throw new RefusedTokenError('invalid_token', 'The access token is not bound to a key');
  }

  /** Verifies a token once, however many requests present it at the same time. */
  #confirm(token: string, hash: string): Promise<KnownToken> {
    const refusal = this.#refused.get(hash);
    if (refusal !== undefined) throw refusal;
    const verifying = this.#verifying.get(hash);
    if (verifying !== undefined) return verifying;
    if (this.#verifying.size >= MAX_VERIFYING)
      throw new Error(`More than ${MAX_VERIFYING} access tokens are being verified.`);
    const confirming = this.#verify(token, hash).finally(() => this.#verifying.delete(hash));
    this.#verifying.set(hash, confirming);
    return confirming;
  }

  async #verify(token: string, hash: string): Promise<KnownToken> {
    const verifier = await this.#loadVerifier();
    try {
      const claims = await verifier.verify(token);
      const { auth, key, expiresAtMs } = confirmedToken(claims, this.#options.impliedScopes);
      const known = { granted: { auth }, key };
      this.#known.set(hash, known, Math.min(expiresAtMs, Date.now() + verifier.maxAgeMs));
      return known;
    } catch (error) {
      if (error instanceof RefusedTokenError && verifier.maxRefusalAgeMs > 0)
        this.#refused.set(hash, error, Date.now() + verifier.maxRefusalAgeMs);
      throw error;
    }
  }

  #refusal(scheme: TokenScheme, error: RefusedTokenError): RefusedAccess {
    const answering = this.#options.isDpopRequired || error.needsDpop ? 'DPoP' : scheme;
    const isNonceMissing = error.code === 'use_dpop_nonce' && this.#nonces !== undefined;
    return {
      refused: error.code === 'invalid_request' ? 400 : 401,
      challenge: this.#options.challenges.refusing(answering, error),
      ...(isNonceMissing ? { headers: { 'dpop-nonce': this.#nonces.current } } : {}),
    };
  }

  #loadVerifier(): Promise<TokenVerifier> {
    this.#verifier ??= this.#createVerifier();
    return this.#verifier;
  }

  async #createVerifier(): Promise<TokenVerifier> {
    const { introspection, network, ...rules } = this.#options.tokens;
    const tokens = { ...rules, fetch: new GuardedFetch(rules.issuer, network) };
    if (introspection === undefined) {
      const { JwtVerifier } = await import('./jwt-verifier.ts');
      return new JwtVerifier(tokens);
    }
    const { Introspection } = await import('./introspection.ts');
    return new Introspection(introspection, tokens);
  }

  #loadProofs(): Promise<DpopProofs> {
    const { resource, algorithms } = this.#options.proofs;
    this.#proofs ??= import('./dpop-proofs.ts').then(
      (loaded) => new loaded.DpopProofs({ resource, algorithms, nonces: this.#nonces }),
    );
    return this.#proofs;
  }
}

/** A token in a request. */
interface Presented {
  readonly scheme: TokenScheme;
  readonly token: string;
  readonly hash: string;
  readonly known: KnownToken | undefined;
}

const OTHER_BODY = new RefusedTokenError(
  'invalid_dpop_proof',
  'The DPoP proof is for another body',
);
const MALFORMED = new RefusedTokenError(
  'invalid_request',
  'The Authorization header contains no access token',
);

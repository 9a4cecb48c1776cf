import { errors, jwtVerify, type JSONWebKeySet, type JWTVerifyOptions } from 'jose';
import type { GuardedFetch } from '../../auth/guarded-fetch.ts';
import { fetchServerMetadata } from '../../auth/server-metadata.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { KeySet } from './key-set.ts';
import { RefusedTokenError } from './refused-token-error.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** Accepted difference between the clocks of this server, its issuer and its clients. */
export const CLOCK_TOLERANCE_S = 5;

export interface JwtVerifierOptions {
  readonly fetch: GuardedFetch;
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
}

/** Media types of access tokens; some providers use the general type, or none. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'application/jwt'];
/** The type of RFC 9068, which has more required claims. */
const ACCESS_TOKEN_TYPES: readonly unknown[] = ['at+jwt', 'application/at+jwt'];
const ACCESS_TOKEN_CLAIMS = ['sub', 'client_id', 'iat', 'jti'] as const;

/**
 * Verifies access tokens that are JWTs with the published keys of their issuer.
 * @see https://www.rfc-editor.org/rfc/rfc9068#section-4
 */
export class JwtVerifier implements TokenVerifier {
  /** A removed key is no longer accepted after this time. */
  readonly maxAgeMs = 600_000;
  /** A refused token may be valid as soon as a new key is published. */
  readonly maxRefusalAgeMs = 0;
  readonly #keys: KeySet;
  readonly #options: JWTVerifyOptions;

  constructor({ fetch, issuer, audience, algorithms }: JwtVerifierOptions) {
    this.#keys = new KeySet(() => fetchKeys(fetch, issuer));
    this.#options = {
      issuer,
      audience,
      algorithms: [...algorithms],
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE_S,
    };
  }

  async verify(token: string): Promise<JsonObject> {
    const { payload, protectedHeader } = await this.#verified(token).catch((error: unknown) => {
      throw refusalOf(error);
    });
    const type = protectedHeader.typ?.toLowerCase();
    const isAccessToken = ACCESS_TOKEN_TYPES.includes(type);
    if (!isAccessToken && !TYPES.includes(type))
      throw new RefusedTokenError('invalid_token', 'The JWT is not an access token');
    const missing = ACCESS_TOKEN_CLAIMS.find((claim) => payload[claim] === undefined);
    if (isAccessToken && missing !== undefined)
      throw new RefusedTokenError('invalid_token', `The access token has no ${missing}`);
    return payload;
  }

  async #verified(token: string) {
    try {
      return await jwtVerify(
        token,
        (header, input) => this.#keys.keyFor(header, input),
        this.#options,
      );
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      return await this.#verifiedByAny(token, error);
    }
  }

  /** Tries the keys that a token without `kid` may have been signed with. */
  async #verifiedByAny(token: string, keys: errors.JWKSMultipleMatchingKeys) {
    for await (const key of keys) {
      try {
        return await jwtVerify(token, key, this.#options);
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

async function fetchKeys(fetch: GuardedFetch, issuer: string): Promise<JSONWebKeySet> {
  const { jwks_uri: url } = await fetchServerMetadata(fetch, issuer);
  if (typeof url !== 'string')
    throw new Error(`The metadata of the issuer ${issuer} name no jwks_uri.`);
  const keys = await fetch.json(url);
  if (keys === undefined || !Array.isArray(keys['keys']))
    throw new Error(`The jwks_uri of the issuer ${issuer} is not the address of a key set.`);
  return keys as unknown as JSONWebKeySet; // the library checks the keys that it uses
}

/** Reasons by the code of the library. */
const REASONS: { readonly [code: string]: string } = {
  ERR_JWS_INVALID: 'The access token is not a signed JWT',
  ERR_JWT_INVALID: 'The access token is not a signed JWT',
  ERR_JOSE_ALG_NOT_ALLOWED: 'The signature algorithm of the access token is not accepted',
  ERR_JOSE_NOT_SUPPORTED: 'The access token uses an unsupported feature',
  ERR_JWKS_NO_MATCHING_KEY: 'The key of the access token is unknown',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'The signature of the access token is not valid',
  ERR_JWT_EXPIRED: 'The access token has expired',
};
/** Reasons by the claim that is not as it must be. */
const CLAIM_REASONS: { readonly [claim: string]: string } = {
  iss: 'The access token is of another issuer',
  aud: 'The access token is for another audience',
  exp: 'The access token has no valid exp',
  nbf: 'The access token is not valid yet',
};

/** Returns the refusal for an error of the library, and any other error unchanged. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof errors.JOSEError)) return error;
  const reason =
    error instanceof errors.JWTClaimValidationFailed
      ? (CLAIM_REASONS[error.claim] ?? 'The access token has an invalid claim')
      : REASONS[error.code];
  return reason === undefined ? error : new RefusedTokenError('invalid_token', reason);
}

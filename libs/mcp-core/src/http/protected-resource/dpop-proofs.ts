import { calculateJwkThumbprint, EmbeddedJWK, errors, jwtVerify, type JWTPayload } from 'jose';
import { nodeCrypto } from '../../jsonrpc/node-crypto.ts';
import type { RequestTarget } from '../server/authentication.ts';
import type { DpopNonces } from './dpop-nonces.ts';
import { ExpiringMap } from './expiring-map.ts';
import { CLOCK_TOLERANCE_S } from './jwt-verifier.ts';
import { RefusedTokenError } from './refused-token-error.ts';

/** Seconds after which a proof is too old. */
const MAX_AGE_S = 60;
const MAX_PROOFS = 100_000;

/** The request that a proof must be of. */
export interface ProvenRequest {
  readonly target: RequestTarget;
  /** SHA-256 of the access token, in base64url. */
  readonly tokenHash: string;
  /** Thumbprint of the key to which the token is bound. */
  readonly key: string;
}

export interface DpopProofsOptions {
  /** Public URL of the MCP endpoint. */
  readonly resource: string;
  readonly algorithms: readonly string[];
  /** Absent when proofs need no nonce. */
  readonly nonces: DpopNonces | undefined;
  /** Number of proofs that are remembered. Default: 100,000. */
  readonly maxProofs?: number;
}

/**
 * Checks proofs that a client has the key to which its token is bound. Each proof is accepted once:
 * its `jti` is remembered while it is valid. When the memory is full, the oldest proof is evicted,
 * and all proofs of the same age or older are refused.
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.3
 */
export class DpopProofs {
  readonly #options: DpopProofsOptions;
  /** The `iat` of the used proofs, by the hash of key and `jti`. */
  readonly #used: ExpiringMap<number>;
  #refusedUntilS = 0;

  constructor(options: DpopProofsOptions) {
    this.#options = options;
    this.#used = new ExpiringMap(options.maxProofs ?? MAX_PROOFS);
  }

  /**
   * Returns the `content_digest` of a proof, which the body of the request must have.
   * @throws RefusedTokenError `invalid_dpop_proof`, `use_dpop_nonce`
   * @see https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/draft/dpop-extension.mdx
   */
  async check(
    proof: string | undefined,
    { target, tokenHash, key }: ProvenRequest,
  ): Promise<string | undefined> {
    if (proof === undefined) refuse('The request has no DPoP proof');
    const { payload, protectedHeader } = await this.#verified(proof);
    const { htm, htu, ath, jti, iat, nonce } = payload;
    if ((await calculateJwkThumbprint(protectedHeader.jwk ?? {})) !== key)
      refuse('The DPoP proof has another key than the access token');
    if (htm !== target.method) refuse('The DPoP proof is for another method');
    if (!this.#isUrlOf(target, htu)) refuse('The DPoP proof is for another URL');
    if (ath !== tokenHash) refuse('The DPoP proof is for another access token');
    if (this.#options.nonces?.accepts(nonce) === false)
      throw new RefusedTokenError('use_dpop_nonce', 'The DPoP proof needs the nonce in DPoP-Nonce');
    if (typeof jti !== 'string' || typeof iat !== 'number')
      refuse('The DPoP proof has no jti or iat');
    const { content_digest: digest } = payload;
    if (digest !== undefined && typeof digest !== 'string')
      refuse('The content_digest of the DPoP proof is not a string');
    this.#use(jti, iat, key);
    return digest;
  }

  async #verified(proof: string) {
    try {
      return await jwtVerify<JWTPayload & { readonly [claim: string]: unknown }>(
        proof,
        EmbeddedJWK,
        {
          typ: 'dpop+jwt',
          algorithms: [...this.#options.algorithms],
          maxTokenAge: MAX_AGE_S,
          clockTolerance: CLOCK_TOLERANCE_S,
        },
      );
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** Whether a URL, without query and fragment, is that of the request behind any proxy. */
  #isUrlOf({ path }: RequestTarget, url: unknown): boolean {
    const given = typeof url === 'string' ? URL.parse(url) : null;
    const resource = new URL(this.#options.resource);
    return (
      given?.origin === resource.origin &&
      (given.pathname === path || given.pathname === resource.pathname)
    );
  }

  #use(jti: string, iat: number, key: string): void {
    const id = nodeCrypto().createHash('sha256').update(`${key} ${jti}`).digest('base64');
    if (iat <= this.#refusedUntilS || this.#used.get(id) !== undefined)
      refuse('The DPoP proof was used before');
    const validUntilMs = (iat + MAX_AGE_S + CLOCK_TOLERANCE_S + 1) * 1000;
    const evicted = this.#used.set(id, iat, validUntilMs);
    if (evicted !== undefined) this.#refusedUntilS = Math.max(this.#refusedUntilS, evicted);
  }
}

/** Returns the refusal for an error of the library, which are all caused by the proof. */
function refusalOf(error: unknown): RefusedTokenError {
  const reason =
    error instanceof errors.JWTClaimValidationFailed && error.claim === 'typ'
      ? 'The DPoP proof has another type than dpop+jwt'
      : error instanceof errors.JWTExpired ||
          (error instanceof errors.JWTClaimValidationFailed && error.claim === 'iat')
        ? 'The DPoP proof is not recent'
        : error instanceof errors.JWSSignatureVerificationFailed
          ? 'The signature of the DPoP proof is not valid'
          : error instanceof errors.JOSEAlgNotAllowed
            ? 'The signature algorithm of the DPoP proof is not accepted'
            : 'The DPoP proof is not a JWT with a public key';
  return new RefusedTokenError('invalid_dpop_proof', reason);
}

function refuse(reason: string): never {
  throw new RefusedTokenError('invalid_dpop_proof', reason);
}

import { calculateJwkThumbprint, EmbeddedJWK, type errors, jwtVerify, type JWTPayload } from 'jose';
import { randomUUID } from 'node:crypto';
import { OAuthError } from './oauth-error.ts';
import type { ReceivedRequest } from './received-request.ts';

const MAX_AGE_S = 60;
const ALGORITHMS = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'];

/** Checks DPoP proofs of token requests (RFC 9449, 4.3 and 8). */
export class DpopProofs {
  readonly #used = new Set<string>();
  readonly #needsNonce: () => boolean;
  readonly #now: () => number;
  #nonce = randomUUID();

  constructor(needsNonce: () => boolean, now: () => number) {
    this.#needsNonce = needsNonce;
    this.#now = now;
  }

  /** Changes the nonce; proofs with the one before are refused. */
  rotateNonce(): void {
    this.#nonce = randomUUID();
  }

  /** Returns the thumbprint of the key of the proof, `undefined` without a proof. @throws OAuthError */
  async check({ headers, method, url }: ReceivedRequest): Promise<string | undefined> {
    const { dpop: proof } = headers;
    if (proof === undefined) return undefined;
    if (typeof proof !== 'string' || proof.includes(','))
      throw new OAuthError('invalid_dpop_proof', 'there are several proofs');
    const { payload, protectedHeader } = await this.#verified(proof);
    const { htm, htu, jti, ath, nonce } = payload;
    const jwk = protectedHeader.jwk ?? {};
    if ('d' in jwk || 'k' in jwk) refuse('the key in the proof is not public');
    if (htm !== method) refuse('htm is another method');
    if (htu !== `${url.origin}${url.pathname}`) refuse('htu is another URL');
    if (ath !== undefined) refuse('a proof for a token request has an ath');
    if (payload['content_digest'] !== undefined)
      refuse('a proof for a token request has a content_digest');
    if (typeof jti !== 'string' || this.#used.has(jti)) refuse('jti is missing or was used before');
    this.#used.add(jti);
    if (this.#needsNonce() && nonce !== this.#nonce)
      throw new OAuthError('use_dpop_nonce', 'the proof needs the nonce', {
        headers: { 'DPoP-Nonce': this.#nonce },
      });
    return calculateJwkThumbprint(jwk);
  }

  async #verified(proof: string) {
    try {
      return await jwtVerify<JWTPayload & { [claim: string]: unknown }>(proof, EmbeddedJWK, {
        typ: 'dpop+jwt',
        algorithms: ALGORITHMS,
        maxTokenAge: MAX_AGE_S,
        clockTolerance: 5,
        currentDate: new Date(this.#now()),
      });
    } catch (error) {
      const { code } = error as errors.JOSEError;
      return refuse(`the proof is not valid: ${code}`);
    }
  }
}

function refuse(reason: string): never {
  throw new OAuthError('invalid_dpop_proof', reason);
}

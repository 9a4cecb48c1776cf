import type { webcrypto } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';

interface SigningKey {
  readonly kid: string;
  readonly privateKey: webcrypto.CryptoKey;
  readonly jwk: JWK;
}

/** The signing keys of an issuer (ES256). After a rotation, the keys before still are published. */
export class SigningKeys {
  readonly #keys: SigningKey[] = [];

  /** Makes a new key, which signs from then on. */
  async rotate(): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(publicKey);
    this.#keys.push({ kid: await calculateJwkThumbprint(jwk), privateKey, jwk });
  }

  /** Withdraws all keys but the one that signs. */
  retireOldKeys(): void {
    this.#keys.splice(0, this.#keys.length - 1);
  }

  /** The published key set. */
  get jwks(): { readonly keys: readonly JWK[] } {
    const keys = this.#keys.map(({ kid, jwk }) => ({ ...jwk, kid, use: 'sig', alg: 'ES256' }));
    return { keys };
  }

  /** Signs claims with the newest key. */
  async sign(claims: { readonly [name: string]: unknown }, typ: string): Promise<string> {
    const key = this.#keys.at(-1);
    if (key === undefined) throw new Error('There is no signing key; call rotate.');
    const header = { alg: 'ES256', typ, kid: key.kid };
    return new SignJWT({ ...claims }).setProtectedHeader(header).sign(key.privateKey);
  }
}

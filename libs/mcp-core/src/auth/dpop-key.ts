import type { JsonWebKey, KeyObject, webcrypto } from 'node:crypto';
import { DPoP, generateRandomNonce, type DPoPHandle } from 'oauth4webapi';
import { nodeCrypto } from '../jsonrpc/node-crypto.ts';

/** A request to a protected resource that a proof is for. */
export interface ProvenRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: string | undefined;
  readonly accessToken: string;
  /** Nonce that the resource server demands. */
  readonly nonce: string | undefined;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** The signature algorithm of `DpopKey`, which an authorization server must support. */
export const DPOP_ALGORITHM = 'ES256';

/**
 * A key that tokens are bound to, and its proofs of possession.
 * @see https://www.rfc-editor.org/rfc/rfc9449
 */
export class DpopKey {
  /** The private key. Secret. */
  readonly jwk: webcrypto.JsonWebKey;
  /** Signs the requests to an authorization server, and remembers its nonces. */
  readonly handle: DPoPHandle;
  readonly #privateKey: KeyObject;
  readonly #header: string;

  private constructor(jwk: webcrypto.JsonWebKey, pair: webcrypto.CryptoKeyPair) {
    const { kty, crv, x, y } = jwk;
    this.jwk = jwk;
    this.handle = DPoP({}, pair);
    // The two types of Node for the same thing differ in exactOptionalPropertyTypes only.
    const key = jwk as JsonWebKey;
    this.#privateKey = nodeCrypto().createPrivateKey({ key, format: 'jwk' });
    this.#header = encoded({ typ: 'dpop+jwt', alg: DPOP_ALGORITHM, jwk: { kty, crv, x, y } });
  }

  static async generate(): Promise<DpopKey> {
    const pair = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    return new DpopKey(await crypto.subtle.exportKey('jwk', pair.privateKey), pair);
  }

  /** Restores a key from its private JWK. */
  static async from(jwk: webcrypto.JsonWebKey): Promise<DpopKey> {
    const { kty, crv, x, y } = jwk;
    const read = (key: {}, uses: ('sign' | 'verify')[]): Promise<webcrypto.CryptoKey> =>
      crypto.subtle.importKey('jwk', key, ALGORITHM, true, uses);
    const publicKey = await read({ kty, crv, x, y }, ['verify']);
    return new DpopKey(jwk, { privateKey: await read(jwk, ['sign']), publicKey });
  }

  /**
   * Returns a new proof for a request to an MCP server, with the digest of its body.
   * @see https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/draft/dpop-extension.mdx
   */
  prove({ method, url, body, accessToken, nonce }: ProvenRequest): string {
    const { origin, pathname } = new URL(url);
    const claims = {
      jti: generateRandomNonce(),
      htm: method,
      htu: `${origin}${pathname}`,
      iat: Math.floor(Date.now() / 1000),
      ath: digest(accessToken, 'base64url'),
      nonce,
      content_digest: body === undefined ? undefined : `sha-256=:${digest(body, 'base64')}:`,
    };
    const text = `${this.#header}.${encoded(claims)}`;
    // At once in this thread: half the cost of Web Crypto, and the request is not delayed.
    const signature = nodeCrypto().sign('sha256', Buffer.from(text), {
      key: this.#privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    return `${text}.${signature.toString('base64url')}`;
  }
}

function encoded(value: {}): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function digest(text: string, encoding: 'base64' | 'base64url'): string {
  return nodeCrypto().createHash('sha256').update(text).digest(encoding);
}

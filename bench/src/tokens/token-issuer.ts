import { createHash, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Public URL of the protected server, at which nothing listens. */
export const RESOURCE = 'https://mcp.example/mcp';

export type TokenAlgorithm = 'ES256' | 'RS256';

/** An authorization server on this machine that signs tokens and proofs. */
export interface TokenIssuer extends Disposable {
  readonly url: string;
  /** Returns an access token that no other call returns. */
  token(algorithm: TokenAlgorithm, claims?: object): string;
  /** Returns an access token that is bound to a key. */
  boundToken(): string;
  /** Returns a proof of that key for a token, which no other call returns. */
  proof(token: string): string;
}

/** Starts an authorization server with metadata and keys. */
export async function startTokenIssuer(): Promise<TokenIssuer> {
  const keys = {
    ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  };
  const client = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kty, crv, x, y } = client.publicKey.export({ format: 'jwk' });
  const jkt = hash(JSON.stringify({ crv, kty, x, y }));
  const server = createServer((request, response) => {
    response.end(
      JSON.stringify(
        request.url === '/jwks'
          ? {
              keys: Object.entries(keys).map(([kid, { publicKey }]) => ({
                ...publicKey.export({ format: 'jwk' }),
                kid,
              })),
            }
          : { issuer: url, jwks_uri: `${url}/jwks` },
      ),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const seconds = Math.floor(Date.now() / 1000);
  const token: TokenIssuer['token'] = (alg, claims = {}) =>
    signed({ alg, kid: alg, typ: 'at+jwt' }, keys[alg].privateKey, {
      iss: url,
      aud: RESOURCE,
      sub: 'ada',
      client_id: 'host',
      scope: 'notes',
      iat: seconds,
      exp: seconds + 3600,
      jti: randomUUID(),
      ...claims,
    });
  return {
    url,
    token,
    boundToken: () => token('ES256', { cnf: { jkt } }),
    proof: (bound) =>
      signed({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty, crv, x, y } }, client.privateKey, {
        htm: 'POST',
        htu: RESOURCE,
        ath: hash(bound),
        iat: Math.floor(Date.now() / 1000),
        jti: randomUUID(),
      }),
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function signed(header: object, key: KeyObject, claims: object): string {
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

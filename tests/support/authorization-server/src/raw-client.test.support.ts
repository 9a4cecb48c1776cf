import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
import type { AuthorizationServer } from './authorization-server.ts';
import { redirectUri } from './client.test.support.ts';

/** The status and the JSON of a response. */
export interface RawResponse {
  readonly status: number;
  readonly json: { readonly [name: string]: unknown };
  readonly headers: Headers;
}

/** Members of a request that replace the correct ones; `undefined` omits a parameter. */
export type Changes = { readonly [name: string]: string | undefined };

/** A public client that makes correct requests, but for the changes of a test. */
export class RawClient {
  readonly server: AuthorizationServer;
  readonly clientId: string;
  readonly verifier = randomBytes(32).toString('base64url');

  constructor(server: AuthorizationServer, clientId = 'raw') {
    this.server = server;
    this.clientId = clientId;
    server.clients.add({
      clientId,
      authMethod: 'none',
      redirectUris: [redirectUri],
      grantTypes: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
    });
  }

  /** Returns the URL of an authorization request. */
  authorizationUrl(changes: Changes = {}): string {
    const challenge = createHash('sha256').update(this.verifier).digest('base64url');
    const parameters = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: redirectUri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      resource: this.server.resource,
      state: 'state',
    };
    return `${this.server.issuer}/authorize?${formOf(parameters, changes).toString()}`;
  }

  /** Returns the parameters of the redirect that answers an authorization request. */
  async redirected(changes: Changes = {}): Promise<{ readonly [name: string]: string }> {
    const redirect = await this.server.browse(this.authorizationUrl(changes));
    return Object.fromEntries(new URL(redirect).searchParams);
  }

  /** Exchanges a code; by default that of a new authorization. */
  async exchange(changes: Changes = {}, headers: Changes = {}): Promise<RawResponse> {
    const code = changes['code'] ?? (await this.redirected())['code'];
    const parameters = {
      grant_type: 'authorization_code',
      client_id: this.clientId,
      redirect_uri: redirectUri,
      code_verifier: this.verifier,
      resource: this.server.resource,
    };
    return this.post('token', parameters, { ...changes, code }, headers);
  }

  /** Uses a refresh token. */
  refresh(refreshToken: unknown, changes: Changes = {}): Promise<RawResponse> {
    const parameters = {
      grant_type: 'refresh_token',
      client_id: this.clientId,
      refresh_token: String(refreshToken),
      resource: this.server.resource,
    };
    return this.post('token', parameters, changes);
  }

  /** Posts a form. */
  async post(
    endpoint: string,
    parameters: Changes,
    changes: Changes = {},
    headers: Changes = {},
  ): Promise<RawResponse> {
    const response = await fetch(`${this.server.issuer}/${endpoint}`, {
      method: 'POST',
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
      body: formOf(parameters, changes),
    });
    const text = await response.text();
    const json = text === '' ? {} : (JSON.parse(text) as RawResponse['json']);
    return { status: response.status, json, headers: response.headers };
  }
}

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

/** A key of a client, which signs JWTs. */
export class RawKey {
  readonly jwk: JWK;
  readonly #privateKey: PrivateKey;

  private constructor(jwk: JWK, privateKey: PrivateKey) {
    this.jwk = jwk;
    this.#privateKey = privateKey;
  }

  static async generate(): Promise<RawKey> {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    return new RawKey(await exportJWK(publicKey), privateKey);
  }

  sign(claims: {}, header: {} = {}): Promise<string> {
    return new SignJWT({ jti: randomUUID(), ...claims })
      .setProtectedHeader({ alg: 'ES256', ...header })
      .sign(this.#privateKey);
  }

  /** Returns a proof for the token endpoint of a server. */
  proof(server: AuthorizationServer, claims: {} = {}, header: {} = {}): Promise<string> {
    const right = { htm: 'POST', htu: `${server.issuer}/token`, iat: secondsAfter(0) };
    return this.sign({ ...right, ...claims }, { typ: 'dpop+jwt', jwk: this.jwk, ...header });
  }
}

/** Returns a time in seconds since the epoch. */
export function secondsAfter(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}

function formOf(parameters: Changes, changes: Changes): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...parameters, ...changes }))
    if (value !== undefined) form.set(name, value);
  return form;
}

import { createLocalJWKSet, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose';
import { randomUUID } from 'node:crypto';
import { OAuthError } from './oauth-error.ts';
import type { AuthorizationServerOptions, Client } from './options.ts';
import type { SigningKeys } from './signing-keys.ts';

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const SECONDS = 300;

/** Settings of `Assertions`. */
export interface AssertionSettings {
  readonly issuer: () => string;
  readonly keys: SigningKeys;
  readonly options: AuthorizationServerOptions;
}

/**
 * JWTs as grants: accepts those of other issuers (RFC 7523), and, as an identity provider, exchanges
 * ID tokens for identity assertion authorization grants.
 * @see https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/stable/enterprise-managed-authorization.mdx
 */
export class Assertions {
  readonly #settings: AssertionSettings;
  readonly #used = new Set<string>();

  constructor(settings: AssertionSettings) {
    this.#settings = settings;
  }

  /** Issues an ID token of this server for a client. */
  issueIdToken(subject: string, clientId: string): Promise<string> {
    const claims = { ...this.#times(), iss: this.#settings.issuer(), sub: subject, aud: clientId };
    return this.#settings.keys.sign(claims, 'JWT');
  }

  /** Exchanges an ID token for a grant at another authorization server (RFC 8693). @throws OAuthError */
  async exchange(
    { clientId }: Client,
    form: { readonly [name: string]: string },
  ): Promise<{ readonly [name: string]: unknown }> {
    const { keys, issuer } = this.#settings;
    if (form['requested_token_type'] !== ID_JAG || form['subject_token_type'] !== ID_TOKEN)
      throw new OAuthError('invalid_request', 'only ID tokens are exchanged, for ID-JAGs');
    const { audience, resource, subject_token: token = '' } = form;
    if (audience === undefined || resource === undefined)
      throw new OAuthError('invalid_target', 'audience and resource are required');
    const subject = await verified(token, keys.jwks as JSONWebKeySet, {
      issuer: issuer(),
      audience: clientId,
      now: this.#now(),
    });
    const scope = form['scope'] === undefined ? {} : { scope: form['scope'] };
    const claims = {
      ...this.#times(),
      ...scope,
      iss: issuer(),
      sub: subject.sub,
      aud: audience,
      resource,
      client_id: clientId,
      jti: randomUUID(),
    };
    return {
      access_token: await keys.sign(claims, 'oauth-id-jag+jwt'),
      issued_token_type: ID_JAG,
      token_type: 'N_A',
      expires_in: SECONDS,
      ...scope,
    };
  }

  /** Returns the subject of an assertion of a trusted issuer (RFC 7523, 3). @throws OAuthError */
  async accept(
    client: Client,
    assertion: string | undefined,
    resource: string,
  ): Promise<{ readonly subject: string; readonly scope: string | undefined }> {
    const { options, issuer } = this.#settings;
    const named = claimsOf(assertion).iss ?? '';
    const keysOf = options.assertionIssuers?.[named];
    if (keysOf === undefined) throw new OAuthError('invalid_grant', 'the issuer is not trusted');
    const payload = await verified(assertion ?? '', keysOf() as JSONWebKeySet, {
      issuer: named,
      audience: issuer(),
      now: this.#now(),
    });
    const { typ, sub, jti = '', client_id: clientId, resource: target, scope } = payload;
    if (typ === 'oauth-id-jag+jwt') {
      if (clientId !== client.clientId)
        throw new OAuthError('invalid_grant', 'client_id of the assertion is another client');
      if (target !== resource) throw new OAuthError('invalid_target', 'another resource');
    }
    if (sub === undefined) throw new OAuthError('invalid_grant', 'the assertion has no sub');
    if (jti !== '' && this.#used.has(jti))
      throw new OAuthError('invalid_grant', 'the assertion was used before');
    this.#used.add(jti);
    return { subject: sub, scope: typeof scope === 'string' ? scope : undefined };
  }

  #times(): { readonly iat: number; readonly exp: number } {
    const seconds = Math.floor(this.#now() / 1000);
    return { iat: seconds, exp: seconds + SECONDS };
  }

  #now(): number {
    return this.#settings.options.now?.() ?? Date.now();
  }
}

async function verified(
  token: string,
  keys: JSONWebKeySet,
  {
    issuer,
    audience,
    now,
  }: { readonly issuer: string; readonly audience: string; readonly now: number },
): Promise<JWTPayload & { readonly typ: string | undefined; readonly [claim: string]: unknown }> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer,
      algorithms: ['ES256', 'RS256', 'PS256', 'EdDSA'],
      requiredClaims: ['exp', 'aud'],
      currentDate: new Date(now),
    });
    if (payload.aud !== audience) throw new Error('aud is another server');
    return { ...payload, typ: protectedHeader.typ };
  } catch (error) {
    throw new OAuthError('invalid_grant', `the token is not valid: ${(error as Error).message}`);
  }
}

function claimsOf(token: string | undefined): JWTPayload {
  try {
    const payload = token?.split('.')[1] ?? '';
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as JWTPayload;
  } catch {
    throw new OAuthError('invalid_grant', 'the assertion is no JWT');
  }
}

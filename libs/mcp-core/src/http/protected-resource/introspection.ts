import type { GuardedFetch } from '../../auth/guarded-fetch.ts';
import { fetchServerMetadata } from '../../auth/server-metadata.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { IntrospectionOptions } from './protected-resource-options.ts';
import { RefusedTokenError } from './refused-token-error.ts';
import type { TokenVerifier } from './token-verifier.ts';

export interface IntrospectionContext {
  readonly fetch: GuardedFetch;
  readonly issuer: string;
  readonly audience: string;
}

/** Milliseconds for which the endpoint in the metadata is used. */
const ENDPOINT_AGE_MS = 600_000;

/**
 * Asks the authorization server about access tokens.
 * @see https://www.rfc-editor.org/rfc/rfc7662
 */
export class Introspection implements TokenVerifier {
  /** A revoked token is no longer accepted after this time. */
  readonly maxAgeMs = 60_000;
  readonly maxRefusalAgeMs = 10_000;
  readonly #options: IntrospectionOptions;
  readonly #context: IntrospectionContext;
  readonly #credentials: string;
  #endpoint: Promise<string> | undefined;
  #endpointUntil = 0;

  constructor(options: IntrospectionOptions, context: IntrospectionContext) {
    this.#options = options;
    this.#context = context;
    this.#credentials = basicCredentials(options);
  }

  async verify(token: string): Promise<JsonObject> {
    const claims = await this.#introspect(token);
    if (claims.active !== true) refuse('The access token is not active');
    const { issuer, audience } = this.#context;
    if (claims.iss !== undefined && claims.iss !== issuer)
      refuse('The access token is of another issuer');
    if (![claims.aud].flat().includes(audience)) refuse('The access token is for another audience');
    const seconds = Date.now() / 1000;
    if (claims.exp !== undefined && !(typeof claims.exp === 'number' && claims.exp > seconds))
      refuse('The access token has expired');
    if (typeof claims.nbf === 'number' && claims.nbf > seconds)
      refuse('The access token is not valid yet');
    return claims;
  }

  async #introspect(token: string): Promise<JsonObject> {
    const endpoint = this.#options.endpoint ?? (await this.#discovered());
    const response = await this.#context.fetch.fetch(endpoint, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        authorization: this.#credentials,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
    });
    const claims: unknown = response.status === 200 ? await readJson(response) : undefined;
    if (isJsonObject(claims) && typeof claims.active === 'boolean') return claims;
    throw new Error(
      response.status === 401
        ? `The introspection endpoint of ${this.#context.issuer} refused the client id and secret of this server (status 401).`
        : `The introspection endpoint of ${this.#context.issuer} answered ${response.status} without an introspection response.`,
    );
  }

  #discovered(): Promise<string> {
    if (this.#endpoint === undefined || Date.now() >= this.#endpointUntil) {
      this.#endpointUntil = Date.now() + ENDPOINT_AGE_MS;
      this.#endpoint = this.#discover();
      this.#endpoint.catch(() => {
        this.#endpoint = undefined;
      });
    }
    return this.#endpoint;
  }

  async #discover(): Promise<string> {
    const { fetch, issuer } = this.#context;
    const { introspection_endpoint: endpoint } = await fetchServerMetadata(fetch, issuer);
    if (endpoint === undefined)
      throw new Error(
        `The metadata of the issuer ${issuer} name no introspection_endpoint. Pass introspection.endpoint.`,
      );
    return endpoint;
  }
}

/** @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1 */
function basicCredentials({ clientId, clientSecret }: IntrospectionOptions): string {
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')}`;
}

/** Returns `undefined` for a body that is not JSON. */
async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function refuse(reason: string): never {
  throw new RefusedTokenError('invalid_token', reason);
}

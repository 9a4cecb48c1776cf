import { createLocalJWKSet, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose';
import { randomUUID } from 'node:crypto';
import { OAuthError } from './oauth-error.ts';
import type { AuthorizationServerOptions, Client } from './options.ts';
import type { ReceivedRequest } from './received-request.ts';

/** Authentication methods of the token endpoint. */
export const AUTH_METHODS = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
];

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const MAX_ASSERTION_AGE_S = 300;
const DEFAULT_GRANTS = ['authorization_code', 'refresh_token'];

/** The clients of an authorization server, and their authentication. */
export class Clients {
  readonly #options: AuthorizationServerOptions;
  readonly #issuer: () => string;
  readonly #clients = new Map<string, Client>();
  readonly #usedAssertions = new Set<string>();

  constructor(options: AuthorizationServerOptions, issuer: () => string) {
    this.#options = options;
    this.#issuer = issuer;
    for (const client of options.clients ?? []) this.add(client);
  }

  /** Adds a client. */
  add(client: Client): void {
    this.#clients.set(client.clientId, client);
  }

  /** Forgets a client, as servers do with registrations that were not used. */
  forget(clientId: string): void {
    this.#clients.delete(clientId);
  }

  /** Returns a client: registered, or described by its metadata document. */
  find(clientId: string): Client | undefined {
    return this.#clients.get(clientId) ?? this.#described(clientId);
  }

  /** Registers a client (RFC 7591). @throws OAuthError */
  register(body: string): { readonly [name: string]: unknown } {
    const metadata = registrationOf(body);
    const { redirect_uris: redirectUris = [], token_endpoint_auth_method: asked } = metadata;
    const authMethod = asked ?? 'client_secret_basic';
    const grantTypes = metadata.grant_types ?? ['authorization_code'];
    if (!AUTH_METHODS.includes(authMethod))
      throw invalidMetadata(`token_endpoint_auth_method ${authMethod} is not supported`);
    if (grantTypes.includes('authorization_code') && redirectUris.length === 0)
      throw new OAuthError('invalid_redirect_uri', 'redirect_uris is empty');
    for (const uri of redirectUris) checkRedirectUri(uri, metadata.application_type ?? 'web');
    const isSecret = authMethod.startsWith('client_secret');
    const client: Client = {
      clientId: `client-${randomUUID()}`,
      clientSecret: isSecret ? `client-secret-${randomUUID()}` : undefined,
      jwks: metadata.jwks,
      authMethod,
      redirectUris,
      grantTypes,
      isDpopBound: metadata.dpop_bound_access_tokens,
    };
    this.#clients.set(client.clientId, client);
    return {
      ...metadata,
      client_id: client.clientId,
      token_endpoint_auth_method: authMethod,
      grant_types: grantTypes,
      ...(isSecret ? { client_secret: client.clientSecret, client_secret_expires_at: 0 } : {}),
    };
  }

  /** Returns the client of a request, which has used the method that it is registered with. @throws OAuthError */
  async authenticate(
    { headers }: ReceivedRequest,
    form: { readonly [name: string]: string },
  ): Promise<Client> {
    const basic = basicCredentials(headers.authorization);
    const { client_secret: posted, client_assertion: assertion } = form;
    const methods = [basic, posted, assertion].filter((each) => each !== undefined);
    if (methods.length > 1) throw new OAuthError('invalid_request', 'several authentications');
    const clientId = basic?.id ?? form['client_id'] ?? subjectOf(assertion);
    const client = clientId === undefined ? undefined : this.find(clientId);
    const used = usedMethod(form, basic !== undefined);
    if (client === undefined || client.authMethod !== used)
      throw invalidClient('the client is unknown, or registered for another authentication');
    if (form['client_id'] !== undefined && form['client_id'] !== clientId)
      throw invalidClient('client_id is another client');
    const secret = basic?.secret ?? posted;
    if (used.startsWith('client_secret') && secret !== client.clientSecret)
      throw invalidClient('the secret is wrong');
    if (assertion !== undefined) await this.#checkAssertion(client, assertion, form);
    return client;
  }

  /** @see https://www.rfc-editor.org/rfc/rfc7523#section-3 */
  async #checkAssertion(
    { clientId, jwks }: Client,
    assertion: string,
    form: { readonly [name: string]: string },
  ): Promise<void> {
    if (form['client_assertion_type'] !== ASSERTION_TYPE)
      throw new OAuthError('invalid_request', 'client_assertion_type is wrong');
    let payload: JWTPayload;
    try {
      const keys = createLocalJWKSet((jwks ?? { keys: [] }) as JSONWebKeySet);
      const currentDate = new Date(this.#options.now?.() ?? Date.now());
      ({ payload } = await jwtVerify(assertion, keys, {
        algorithms: ['ES256', 'RS256', 'PS256', 'EdDSA'],
        issuer: clientId,
        subject: clientId,
        currentDate,
        requiredClaims: ['exp', 'iat', 'jti', 'aud'],
        maxTokenAge: MAX_ASSERTION_AGE_S,
        clockTolerance: 5,
      }));
    } catch (error) {
      throw invalidClient(`the assertion is not valid: ${(error as Error).message}`);
    }
    if (payload.aud !== this.#issuer())
      throw invalidClient('aud of the assertion is not the issuer');
    if (this.#usedAssertions.has(payload.jti ?? '')) throw invalidClient('the assertion was used');
    this.#usedAssertions.add(payload.jti ?? '');
  }

  #described(clientId: string): Client | undefined {
    const document = this.#options.clientDocuments?.[clientId];
    const url = URL.parse(clientId);
    if (document === undefined || url === null) return undefined;
    const { redirect_uris: uris, token_endpoint_auth_method: method = 'none' } = document;
    const grants = document['grant_types'];
    const grantTypes = Array.isArray(grants) ? grants.map(String) : undefined;
    const isRight =
      url.protocol === 'https:' && url.pathname !== '/' && document['client_id'] === clientId;
    if (!isRight || !Array.isArray(uris) || String(method).startsWith('client_secret'))
      return undefined;
    return { clientId, authMethod: String(method), redirectUris: uris.map(String), grantTypes };
  }
}

/** Whether a client may use a grant type. */
export function mayUse({ grantTypes = DEFAULT_GRANTS }: Client, grantType: string): boolean {
  return grantTypes.includes(grantType);
}

interface Registration {
  readonly redirect_uris?: readonly string[];
  readonly token_endpoint_auth_method?: string;
  readonly grant_types?: readonly string[];
  readonly application_type?: string;
  readonly jwks?: { readonly keys: readonly {}[] };
  readonly dpop_bound_access_tokens?: boolean;
}

function registrationOf(body: string): Registration {
  let metadata: unknown;
  try {
    metadata = JSON.parse(body);
  } catch {
    metadata = undefined;
  }
  if (typeof metadata !== 'object' || metadata === null) throw invalidMetadata('no JSON object');
  return metadata;
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration */
function checkRedirectUri(uri: string, applicationType: string): void {
  const url = URL.parse(uri);
  const isLoopback = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  const isAllowed =
    url !== null &&
    url.hash === '' &&
    (applicationType === 'native' ? isLoopback || url.protocol === 'https:' : !isLoopback) &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback));
  if (!isAllowed)
    throw new OAuthError('invalid_redirect_uri', `${uri} is not for a ${applicationType} client`);
}

function basicCredentials(header: string | undefined) {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/u.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64')
    .toString()
    .split(':')
    .map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
  return { id, secret };
}

function usedMethod(form: { readonly [name: string]: string }, isBasic: boolean): string {
  if (isBasic) return 'client_secret_basic';
  if (form['client_assertion'] !== undefined) return 'private_key_jwt';
  return form['client_secret'] === undefined ? 'none' : 'client_secret_post';
}

function subjectOf(assertion: string | undefined): string | undefined {
  const payload = assertion?.split('.')[1];
  if (payload === undefined) return undefined;
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub?: unknown };
    return typeof claims.sub === 'string' ? claims.sub : undefined;
  } catch {
    return undefined;
  }
}

function invalidClient(description: string): OAuthError {
  return new OAuthError('invalid_client', description, {
    status: 401,
    headers: { 'WWW-Authenticate': 'Basic realm="authorization server"' },
  });
}

function invalidMetadata(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description);
}

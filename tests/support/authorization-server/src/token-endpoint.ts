import { randomUUID } from 'node:crypto';
import type { Assertions } from './assertions.ts';
import {
  checkResource,
  checkScopes,
  isVerified,
  type AuthorizationEndpoint,
} from './authorization-endpoint.ts';
import { mayUse, type Clients } from './clients.ts';
import { DEVICE_CODE_GRANT, type DeviceEndpoint } from './device-endpoint.ts';
import type { DpopProofs } from './dpop.ts';
import { OAuthError } from './oauth-error.ts';
import type { AuthorizationServerOptions, Client } from './options.ts';
import { postedForm, type ReceivedRequest } from './received-request.ts';
import type { Grant, TokenIssuer } from './tokens.ts';

/** Grant types that the token endpoint accepts. */
export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  DEVICE_CODE_GRANT,
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'urn:ietf:params:oauth:grant-type:token-exchange',
];

/** The parts of the server that the token endpoint uses. */
export interface TokenEndpointParts {
  readonly options: AuthorizationServerOptions;
  readonly clients: Clients;
  readonly authorization: AuthorizationEndpoint;
  readonly devices: DeviceEndpoint;
  readonly tokens: TokenIssuer;
  readonly assertions: Assertions;
  readonly dpop: DpopProofs;
  readonly isRotating: () => boolean;
}

type Form = { readonly [name: string]: string };

/** A token request of a client that was authenticated. */
interface TokenRequest {
  readonly client: Client;
  readonly form: Form;
  readonly thumbprint: string | undefined;
}

/** The token endpoint (OAuth 2.1), with rotation of refresh tokens and detection of their reuse. */
export class TokenEndpoint {
  readonly #parts: TokenEndpointParts;
  readonly #grants = new Map<string, Grant>();

  constructor(parts: TokenEndpointParts) {
    this.#parts = parts;
  }

  /** Answers a token request. @throws OAuthError */
  async respond(request: ReceivedRequest): Promise<{ readonly [name: string]: unknown }> {
    const { clients, dpop, options } = this.#parts;
    const form = postedForm(request);
    const client = await clients.authenticate(request, form);
    const { grant_type: type = '' } = form;
    if (!GRANT_TYPES.includes(type))
      throw new OAuthError('unsupported_grant_type', `${type} is not supported`);
    if (!mayUse(client, type))
      throw new OAuthError('unauthorized_client', `the client may not use ${type}`);
    const thumbprint = await dpop.check(request);
    const isBound = options.dpop?.isRequired === true || client.isDpopBound === true;
    if (isBound && thumbprint === undefined)
      throw new OAuthError('invalid_dpop_proof', 'a proof is required');
    const parsed = { client, form, thumbprint };
    switch (type) {
      case 'authorization_code':
        return this.#exchangeCode(parsed);
      case 'refresh_token':
        return this.#refresh(parsed);
      case 'client_credentials':
        return this.#clientCredentials(parsed);
      case DEVICE_CODE_GRANT: {
        const { subject, resource, scopes } = this.#parts.devices.redeem(
          form['device_code'],
          client,
          form['resource'],
        );
        return this.#issue(parsed, this.#grant(client, { subject, resource, scopes }), true);
      }
      case 'urn:ietf:params:oauth:grant-type:jwt-bearer':
        return this.#jwtBearer(parsed);
      default:
        return this.#parts.assertions.exchange(client, form);
    }
  }

  #exchangeCode(request: TokenRequest): Promise<{ readonly [name: string]: unknown }> {
    const { client, form, thumbprint } = request;
    const code = this.#parts.authorization.findCode(form['code'] ?? '');
    if (code === undefined || code.clientId !== client.clientId)
      throw new OAuthError('invalid_grant', 'the code is unknown, expired, or of another client');
    if (code.grantId !== undefined) {
      // RFC 6749, 4.1.2: the tokens of a code that is used twice are revoked.
      const grant = this.#grants.get(code.grantId);
      if (grant !== undefined) grant.isRevoked = true;
      throw new OAuthError('invalid_grant', 'the code was used before');
    }
    if (form['redirect_uri'] !== code.redirectUri)
      throw new OAuthError('invalid_grant', 'another redirect URI');
    if (!isVerified(form['code_verifier'] ?? '', code.challenge))
      throw new OAuthError('invalid_grant', 'the verifier is wrong');
    if (form['resource'] !== code.resource)
      throw new OAuthError('invalid_target', 'another resource');
    if (code.thumbprint !== undefined && code.thumbprint !== thumbprint)
      throw new OAuthError('invalid_dpop_proof', 'the code is bound to another key');
    const grant = this.#grant(client, code);
    code.grantId = grant.id;
    return this.#issue(request, grant, mayUse(client, 'refresh_token'));
  }

  async #refresh(request: TokenRequest): Promise<{ readonly [name: string]: unknown }> {
    const { client, form, thumbprint } = request;
    const { tokens, isRotating } = this.#parts;
    const found = tokens.findRefresh(form['refresh_token'] ?? '');
    if (found === undefined || found.grant.clientId !== client.clientId)
      throw new OAuthError('invalid_grant', 'the refresh token is unknown, or of another client');
    const { grant } = found;
    if (found.isUsed && !grant.isRevoked) grant.isRevoked = true;
    if (grant.isRevoked)
      throw new OAuthError('invalid_grant', 'the refresh token was used before, or is revoked');
    if (found.thumbprint !== undefined && found.thumbprint !== thumbprint)
      throw new OAuthError('invalid_dpop_proof', 'the refresh token is bound to another key');
    if (form['resource'] !== grant.resource)
      throw new OAuthError('invalid_target', 'another resource');
    const asked = form['scope'] === undefined ? grant.scopes : form['scope'].split(' ');
    if (!asked.every((scope) => grant.scopes.includes(scope)))
      throw new OAuthError('invalid_scope', 'the scope was not granted');
    found.isUsed = isRotating();
    return this.#issue(request, grant, isRotating(), asked);
  }

  #clientCredentials(request: TokenRequest): Promise<{ readonly [name: string]: unknown }> {
    const { client, form } = request;
    if (client.authMethod === 'none')
      throw new OAuthError('unauthorized_client', 'the client is public');
    const { options } = this.#parts;
    const resource = checkResource(form['resource'], options);
    const scopes = checkScopes(form['scope'], options);
    const subject = client.clientId;
    return this.#issue(request, this.#grant(client, { subject, resource, scopes }), false);
  }

  async #jwtBearer(request: TokenRequest): Promise<{ readonly [name: string]: unknown }> {
    const { client, form } = request;
    const { options, assertions } = this.#parts;
    const resource = checkResource(form['resource'], options);
    const { subject, scope } = await assertions.accept(client, form['assertion'], resource);
    const scopes = checkScopes(form['scope'] ?? scope, options);
    return this.#issue(request, this.#grant(client, { subject, resource, scopes }), false);
  }

  #grant(
    { clientId }: Client,
    { subject, resource, scopes }: Pick<Grant, 'subject' | 'resource' | 'scopes'>,
  ): Grant {
    const grant = { id: randomUUID(), clientId, subject, resource, scopes, isRevoked: false };
    this.#grants.set(grant.id, grant);
    return grant;
  }

  async #issue(
    { client, thumbprint }: TokenRequest,
    grant: Grant,
    hasRefresh: boolean,
    scopes: readonly string[] = grant.scopes,
  ): Promise<{ readonly [name: string]: unknown }> {
    const { tokens, options } = this.#parts;
    return {
      access_token: await tokens.issueAccess(grant, scopes, thumbprint),
      token_type: thumbprint === undefined ? 'Bearer' : 'DPoP',
      expires_in: options.accessTokenSeconds ?? DEFAULT_SECONDS,
      ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
      ...(hasRefresh ? { refresh_token: tokens.issueRefresh(grant, client, thumbprint) } : {}),
    };
  }
}

/** Seconds for which an access token is valid. */
export const DEFAULT_SECONDS = 3600;

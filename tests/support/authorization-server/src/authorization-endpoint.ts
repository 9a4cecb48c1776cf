import { createHash, randomUUID } from 'node:crypto';
import { mayUse, type Clients } from './clients.ts';
import { OAuthError } from './oauth-error.ts';
import type { AuthorizationServerOptions } from './options.ts';
import { singleParameters } from './received-request.ts';

/** The decision of the user about requests of clients. */
export interface UserDecision {
  /** Default: true. */
  readonly isGranted?: boolean;
  /** Scopes that the user grants. Default: all that are requested. */
  readonly scopes?: readonly string[];
  /** Subject of the tokens. Default: `user`. */
  readonly subject?: string;
}

/** A code that was issued. */
export interface IssuedCode {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly subject: string;
  /** Thumbprint of the key that the code is bound to. */
  readonly thumbprint: string | undefined;
  readonly expiresAt: number;
  /** Identifier of the grant that was made of the code. */
  grantId: string | undefined;
}

const CODE_MS = 60_000;

/** The authorization endpoint (OAuth 2.1): PKCE with S256 and `resource` are mandatory. */
export class AuthorizationEndpoint {
  /** Applies to each request from now on. */
  decision: UserDecision = {};
  readonly #options: AuthorizationServerOptions;
  readonly #clients: Clients;
  readonly #codes = new Map<string, IssuedCode>();

  constructor(options: AuthorizationServerOptions, clients: Clients) {
    this.#options = options;
    this.#clients = clients;
  }

  /**
   * Returns the redirect URI and its parameters but `iss`.
   * @throws OAuthError when the request does not prove to whom it may be redirected
   */
  respond(query: URLSearchParams): {
    readonly redirectUri: string;
    readonly parameters: { [name: string]: string };
  } {
    const asked = singleParameters(query);
    const { client_id: clientId = '', redirect_uri: redirectUri = '', state } = asked;
    const client = this.#clients.find(clientId);
    if (client === undefined) throw new OAuthError('invalid_client', 'the client is unknown');
    if (!client.redirectUris.includes(redirectUri))
      throw new OAuthError('invalid_request', 'the redirect URI is not registered');
    const echoed: { [name: string]: string } = state === undefined ? {} : { state };
    try {
      if (!mayUse(client, 'authorization_code'))
        throw new OAuthError('unauthorized_client', 'the client may not use codes');
      return { redirectUri, parameters: { ...echoed, code: this.#issue(asked) } };
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const { error: code, message } = error;
      return { redirectUri, parameters: { ...echoed, error: code, error_description: message } };
    }
  }

  /** Returns a code that has not expired. */
  findCode(code: string): IssuedCode | undefined {
    const found = this.#codes.get(code);
    return found !== undefined && found.expiresAt > this.#now() ? found : undefined;
  }

  #issue(asked: { readonly [name: string]: string }): string {
    const { client_id: clientId = '', redirect_uri: redirectUri = '' } = asked;
    if (asked['response_type'] !== 'code')
      throw new OAuthError('unsupported_response_type', 'only code is supported');
    const challenge = asked['code_challenge'] ?? '';
    if (asked['code_challenge_method'] !== 'S256' || !/^[\w-]{43}$/u.test(challenge))
      throw new OAuthError('invalid_request', 'PKCE with S256 is required');
    const resource = checkResource(asked['resource'], this.#options);
    const scopes = checkScopes(asked['scope'], this.#options);
    const { isGranted = true, scopes: granted = scopes, subject = 'user' } = this.decision;
    if (!isGranted) throw new OAuthError('access_denied', 'the user refused');
    const code = `code-${randomUUID()}`;
    this.#codes.set(code, {
      clientId,
      redirectUri,
      challenge,
      resource,
      scopes: granted.filter((scope) => scopes.includes(scope)),
      subject,
      thumbprint: asked['dpop_jkt'],
      expiresAt: this.#now() + CODE_MS,
      grantId: undefined,
    });
    return code;
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }
}

/** Whether a verifier has the challenge (RFC 7636, 4.6). */
export function isVerified(verifier: string, challenge: string): boolean {
  if (!/^[\w.~-]{43,128}$/u.test(verifier)) return false;
  return createHash('sha256').update(verifier).digest('base64url') === challenge;
}

/** Returns the resource of a request (RFC 8707). @throws OAuthError `invalid_target` */
export function checkResource(
  resource: string | undefined,
  { resources }: AuthorizationServerOptions,
): string {
  if (resource === undefined || URL.parse(resource) === null || resource.includes('#'))
    throw new OAuthError('invalid_target', 'resource is missing, or no URI without fragment');
  if (resources !== undefined && !resources.includes(resource))
    throw new OAuthError('invalid_target', 'resource is unknown');
  return resource;
}

/** Returns the requested scopes. @throws OAuthError `invalid_scope` */
export function checkScopes(
  text: string | undefined,
  { scopes }: AuthorizationServerOptions,
): readonly string[] {
  const asked = (text ?? '').split(' ').filter((scope) => scope !== '');
  const unknown = asked.find((scope) => scopes !== undefined && !scopes.includes(scope));
  if (unknown !== undefined) throw new OAuthError('invalid_scope', `${unknown} is unknown`);
  return asked;
}

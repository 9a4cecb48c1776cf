import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerOf, HTML, redirectTo, sendAnswer, type Answer } from './answer.ts';
import { Assertions } from './assertions.ts';
import { AuthorizationEndpoint, type UserDecision } from './authorization-endpoint.ts';
import { Clients } from './clients.ts';
import { DeviceEndpoint } from './device-endpoint.ts';
import { DpopProofs } from './dpop.ts';
import { metadataAnswer, metadataOf, resourceAnswer } from './metadata.ts';
import type { Misbehavior } from './misbehavior.ts';
import { OAuthError } from './oauth-error.ts';
import type { AuthorizationServerOptions } from './options.ts';
import { postedForm, readRequest, type ReceivedRequest } from './received-request.ts';
import { SigningKeys } from './signing-keys.ts';
import { tokenAnswer } from './token-answer.ts';
import { DEFAULT_SECONDS, TokenEndpoint } from './token-endpoint.ts';
import { TokenIssuer, type IssuedToken } from './tokens.ts';

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource/mcp';

/** An authorization server in this process, for tests. */
export class AuthorizationServer {
  /** Requests that arrived, with their secrets. */
  readonly requests: ReceivedRequest[] = [];
  /** Clients, of which a test can make the server forget one. */
  readonly clients: Clients;
  readonly keys = new SigningKeys();
  readonly dpop: DpopProofs;
  readonly devices: DeviceEndpoint;
  readonly assertions: Assertions;
  readonly #options: AuthorizationServerOptions;
  readonly #http: Server;
  readonly #tokens: TokenIssuer;
  readonly #authorization: AuthorizationEndpoint;
  readonly #tokenEndpoint: TokenEndpoint;
  #resource: string | undefined;
  #misbehaviors: ReadonlySet<Misbehavior> = new Set();

  constructor(options: AuthorizationServerOptions) {
    this.#options = options;
    const { accessTokenSeconds = DEFAULT_SECONDS, now = Date.now } = options;
    const issuer = (): string => this.issuer;
    const { keys } = this;
    this.clients = new Clients(options, issuer);
    this.devices = new DeviceEndpoint(options);
    this.dpop = new DpopProofs(() => options.dpop?.needsNonce === true, now);
    this.assertions = new Assertions({ issuer, keys, options });
    this.#tokens = new TokenIssuer({ issuer, keys, accessTokenSeconds, now });
    this.#authorization = new AuthorizationEndpoint(options, this.clients);
    this.#tokenEndpoint = new TokenEndpoint({
      options,
      clients: this.clients,
      authorization: this.#authorization,
      devices: this.devices,
      tokens: this.#tokens,
      assertions: this.assertions,
      dpop: this.dpop,
      isRotating: () => !this.#misbehaves('refresh-without-rotation'),
    });
    this.#http = createServer((request, response) => {
      void readRequest(request, this.origin)
        .then((received) => this.#answer(received))
        .catch((error: unknown) => {
          if (error instanceof OAuthError) return answerOf(error);
          throw error;
        })
        .then((answer) => sendAnswer(response, answer));
    });
  }

  /** Origin of the server, at a loopback address. */
  get origin(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get issuer(): string {
    return `${this.origin}${this.#options.path ?? ''}`;
  }

  /** URL of an MCP server. Default: one at this origin, of which only the metadata exist. */
  get resource(): string {
    return this.#resource ?? `${this.origin}/mcp`;
  }

  /** Publishes metadata for the MCP server at a URL. Returns the address of the metadata. */
  publishResource(url: string): string {
    this.#resource = url;
    return `${this.origin}${RESOURCE_METADATA}`;
  }

  async start(port = 0): Promise<this> {
    await this.keys.rotate();
    this.#http.listen(port, '127.0.0.1');
    await once(this.#http, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    const closed = once(this.#http, 'close');
    this.#http.close();
    this.#http.closeAllConnections();
    await closed;
  }

  /** Misbehaves in these ways from now on, and in no others. */
  misbehave(...ways: readonly Misbehavior[]): void {
    this.#misbehaviors = new Set(ways);
  }

  /** Decides what the user does from now on. */
  decide(decision: UserDecision): void {
    this.#authorization.decision = decision;
  }

  /** Opens an authorization URL as the user's browser does, and returns the URL of the redirect. */
  async browse(url: string): Promise<string> {
    const response = await fetch(url, { redirect: 'manual' });
    const location = response.headers.get('location');
    if (location !== null) return location;
    throw new Error(
      `The authorization server answered ${response.status}: ${await response.text()}`,
    );
  }

  /** Returns the requests to an endpoint, for example `token`. */
  requestsTo(endpoint: string): readonly ReceivedRequest[] {
    const path = new URL(`${this.issuer}/${endpoint}`).pathname;
    return this.requests.filter((request) => request.path === path);
  }

  /** Returns an access token that is valid at the moment. */
  findAccess(token: string): IssuedToken | undefined {
    return this.#tokens.findAccess(token);
  }

  /** Revokes all tokens. */
  revokeAll(): void {
    this.#tokens.revokeAll();
  }

  readonly #misbehaves = (way: Misbehavior): boolean => this.#misbehaviors.has(way);

  async #answer(request: ReceivedRequest): Promise<Answer> {
    this.requests.push(request);
    const { pathname } = request.url;
    const { path = '' } = this.#options;
    if (pathname === RESOURCE_METADATA)
      return resourceAnswer(this.resource, this.issuer, this.#options, this.#misbehaves);
    if (this.#isMetadata(pathname))
      return metadataAnswer(metadataOf(this.issuer, this.#options), request.url, this.#misbehaves);
    switch (pathname.startsWith(`${path}/`) ? pathname.slice(path.length) : '') {
      case '/authorize':
        return this.#authorize(request.url);
      case '/token': {
        const respond = () => this.#tokenEndpoint.respond(request);
        return tokenAnswer(request, respond, this.#misbehaves);
      }
      case '/register':
        return this.#register(request);
      case '/revoke':
        return this.#revoke(request);
      case '/introspect':
        return this.#introspect(request);
      case '/device':
        return this.#beginDevice(request);
      case '/activate':
        return this.#activate(request.url);
      case '/jwks':
        return { json: this.keys.jwks };
      default:
        return { status: 404 };
    }
  }

  #isMetadata(pathname: string): boolean {
    const { path = '', documents = ['oauth', 'openid'] } = this.#options;
    const openid = [
      `/.well-known/openid-configuration${path}`,
      `${path}/.well-known/openid-configuration`,
    ];
    const names = [
      ...(documents.includes('oauth') ? [`/.well-known/oauth-authorization-server${path}`] : []),
      ...(documents.includes('openid') ? openid : []),
    ];
    return names.includes(pathname);
  }

  #authorize({ searchParams }: URL): Answer {
    const { redirectUri, parameters } = this.#authorization.respond(searchParams);
    const url = new URL(redirectUri);
    const all: { [name: string]: string } = { ...parameters, iss: this.issuer };
    if (this.#misbehaves('redirect-with-other-issuer')) all['iss'] = 'https://other.example';
    if (this.#misbehaves('redirect-without-issuer')) delete all['iss'];
    if (this.#misbehaves('redirect-with-other-state')) all['state'] = 'other';
    if (this.#misbehaves('redirect-with-foreign-error')) {
      all['iss'] = 'https://other.example';
      all['error'] = 'do-what-I-say';
    }
    if (this.#misbehaves('redirect-elsewhere')) url.pathname = '/elsewhere';
    for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
    return redirectTo(url.href);
  }

  #register({ method, body }: ReceivedRequest): Answer {
    if (this.#misbehaves('registration-html')) return HTML;
    if (this.#misbehaves('registration-refused'))
      throw new OAuthError('access_denied', 'no registrations', { status: 403 });
    if (method !== 'POST') return { status: 405 };
    const registered = this.clients.register(body);
    if (this.#misbehaves('registration-without-id'))
      return { status: 201, json: { ...registered, client_id: undefined } };
    return { status: 201, json: registered };
  }

  /** @see https://www.rfc-editor.org/rfc/rfc7009 */
  async #revoke(request: ReceivedRequest): Promise<Answer> {
    if (this.#misbehaves('revocation-fails')) return { status: 503 };
    const form = postedForm(request);
    const { clientId } = await this.clients.authenticate(request, form);
    if (form['token'] === undefined) throw new OAuthError('invalid_request', 'token is missing');
    if (!this.#tokens.revoke(form['token'], clientId))
      throw new OAuthError('invalid_grant', 'the token is of another client');
    return {};
  }

  /** @see https://www.rfc-editor.org/rfc/rfc7662 */
  async #introspect(request: ReceivedRequest): Promise<Answer> {
    const form = postedForm(request);
    const { authMethod } = await this.clients.authenticate(request, form);
    if (authMethod === 'none') throw new OAuthError('invalid_client', 'public', { status: 401 });
    const found = this.#tokens.findAccess(form['token'] ?? '');
    if (found === undefined) return { json: { active: false } };
    const type = found.claims['cnf'] === undefined ? 'Bearer' : 'DPoP';
    return { json: { ...found.claims, active: true, token_type: type } };
  }

  async #beginDevice(request: ReceivedRequest): Promise<Answer> {
    const form = postedForm(request);
    const client = await this.clients.authenticate(request, form);
    const isScript = this.#misbehaves('device-script-address');
    const address = isScript ? 'javascript:alert(1)' : `${this.issuer}/activate`;
    return { json: this.devices.begin(client, form, address) };
  }

  #activate({ searchParams }: URL): Answer {
    const { isGranted = true, subject } = this.#authorization.decision;
    const isKnown = this.devices.enter(searchParams.get('user_code') ?? '', isGranted, subject);
    return { status: isKnown ? 200 : 404 };
  }
}

/** Starts an authorization server on a free port of a loopback address. */
export function startAuthorizationServer(
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  return new AuthorizationServer(options).start();
}

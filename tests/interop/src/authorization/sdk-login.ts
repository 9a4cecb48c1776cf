import type { AuthorizationServer } from '@signalbox/authorization-server';
import {
  ClientV2,
  HttpClientTransportV2,
  UnauthorizedErrorV2,
  type DpopSessionV2,
  type OAuthClientProviderV2,
} from '../../../peers/src/sdk-v2-clients.ts';

export type Era = 'legacy' | 'modern';

/** Redirect URI of hosts in these tests, at which nothing listens. */
export const REDIRECT_URI = 'http://127.0.0.1:1/callback';

type Stored<Name extends 'saveTokens' | 'saveClientInformation' | 'saveDiscoveryState'> =
  Parameters<NonNullable<OAuthClientProviderV2[Name]>>[0];

/** The storage and the browser of a host on the official SDK. */
class SdkProvider implements OAuthClientProviderV2 {
  readonly redirectUrl = REDIRECT_URI;
  readonly clientMetadata = {
    client_name: 'SDK host',
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
  };
  /** Addresses that the user was asked to open. */
  readonly opened: URL[] = [];
  readonly #dpop: DpopSessionV2 | undefined;
  #discovery: Stored<'saveDiscoveryState'> | undefined;
  #client: Stored<'saveClientInformation'> | undefined;
  #tokens: Stored<'saveTokens'> | undefined;
  #verifier = '';

  constructor(dpop: DpopSessionV2 | undefined) {
    this.#dpop = dpop;
  }

  dpop() {
    return this.#dpop;
  }

  discoveryState() {
    return this.#discovery;
  }

  saveDiscoveryState(state: Stored<'saveDiscoveryState'>): void {
    this.#discovery = state;
  }

  clientInformation() {
    return this.#client;
  }

  saveClientInformation(client: Stored<'saveClientInformation'>): void {
    this.#client = client;
  }

  tokens() {
    return this.#tokens;
  }

  saveTokens(tokens: Stored<'saveTokens'>): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.opened.push(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}

export interface SdkHostOptions {
  readonly url: string;
  readonly era: Era;
  /** Binds the tokens to its key. */
  readonly dpop?: DpopSessionV2;
}

/** A host on the official SDK whose user consents to each request. */
export class SdkHost implements AsyncDisposable {
  readonly #url: URL;
  readonly #era: Era;
  readonly #authorizationServer: AuthorizationServer;
  readonly #provider: SdkProvider;
  #client: ClientV2 | undefined;
  #transport: HttpClientTransportV2 | undefined;

  constructor({ url, era, dpop }: SdkHostOptions, authorizationServer: AuthorizationServer) {
    this.#provider = new SdkProvider(dpop);
    this.#url = new URL(url);
    this.#era = era;
    this.#authorizationServer = authorizationServer;
  }

  /** Scopes of the addresses that the user was asked to open, in order. */
  get requestedScopes(): readonly (string | null)[] {
    return this.#provider.opened.map((url) => url.searchParams.get('scope'));
  }

  get era(): string | undefined {
    return this.#client?.getProtocolEra();
  }

  /** Calls a tool, and logs in when the server demands it, at most twice. */
  async callTool(name: string, args: { readonly [name: string]: unknown } = {}) {
    for (let logins = 0; ; logins += 1) {
      try {
        const client = await this.#connected();
        return await client.callTool({ name, arguments: args });
      } catch (error) {
        if (!(error instanceof UnauthorizedErrorV2) || logins === 2) throw error;
        await this.#finishLogin();
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client?.close();
  }

  async #connected(): Promise<ClientV2> {
    if (this.#client !== undefined) return this.#client;
    const info = { name: 'sdk-host', version: '1.0.0' };
    const client = new ClientV2(
      info,
      this.#era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
    );
    this.#transport = new HttpClientTransportV2(this.#url, { authProvider: this.#provider });
    await client.connect(this.#transport);
    this.#client = client;
    return client;
  }

  async #finishLogin(): Promise<void> {
    const url = this.#provider.opened.at(-1);
    if (url === undefined) throw new Error('the SDK opened no address');
    const redirect = await this.#authorizationServer.browse(url.href);
    await this.#transport?.finishAuth(new URL(redirect).searchParams);
  }
}

import type { MachineGrant } from './machine-grant-options.ts';
import type { RegisteredClient } from './registered-client.ts';
import type { TokenStore } from './token-store.ts';

/** A client that was registered beforehand. It is used at its issuer only. */
export interface PreRegisteredClient extends RegisteredClient {
  /** Issuer of the authorization server, exactly as in its metadata. */
  readonly issuer: string;
}

/**
 * The identity of the host at authorization servers. Tried in this order: a pre-registered client of
 * the issuer, the client ID metadata document, dynamic registration, `ask`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration
 */
export interface ClientRegistrationOptions {
  /** Name of the host, shown to users by dynamic registration. Default: `MCP client`. */
  readonly name?: string | undefined;
  readonly clients?: readonly PreRegisteredClient[] | undefined;
  /** `https:` URL of the client ID metadata document of the host; its path is not `/`. */
  readonly metadataUrl?: string | undefined;
  /** Called when there is no other client; `undefined` fails the request. */
  readonly ask?:
    | ((server: {
        readonly issuer: string;
        readonly resource: string;
      }) => Promise<RegisteredClient | undefined>)
    | undefined;
}

/** A request for the consent of a user. */
export interface UserAuthorizationRequest {
  /** Address to open in the user's browser: `https:`, or `http:` at a loopback address. */
  readonly url: string;
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Aborted after the time limit. */
  readonly signal: AbortSignal;
}

/** The port to the user whose consent the host needs. */
export interface UserAuthorization {
  /**
   * `https:`, or `http:` at a loopback address. Keep it stable: a dynamic registration, and with it its
   * refresh tokens, belongs to it.
   */
  readonly redirectUri: string;
  /**
   * Opens the address in the user's browser, never through a shell, and resolves with the URL that
   * the browser was redirected to. Rejects when the user refuses. Default: nobody is asked, and
   * requests that need a user fail with `user-needed`; the host continues with `beginLogin`.
   */
  readonly authorize?: ((request: UserAuthorizationRequest) => Promise<string>) | undefined;
  /** Milliseconds for `authorize`. Default: 600000. */
  readonly timeoutMs?: number | undefined;
}

/** Limits of the requests to metadata and authorization servers. */
export interface AuthorizationNetwork {
  /**
   * Networks in CIDR notation that are allowed although they are not public. Default: loopback
   * addresses if the MCP server has one, else none.
   */
  readonly allowedNetworks?: readonly string[] | undefined;
  /** Milliseconds for each request. Default: 15000. */
  readonly timeoutMs?: number | undefined;
}

/** Options of `createClientAuthorization`. */
export interface ClientAuthorizationOptions {
  /** Asks the user. Default: nobody is asked, and requests that need a user fail. */
  readonly user?: UserAuthorization | undefined;
  /** Requests tokens without a browser. Excludes `user`. */
  readonly grant?: MachineGrant | undefined;
  readonly registration?: ClientRegistrationOptions | undefined;
  /** Default: a `MemoryTokenStore`. */
  readonly store?: TokenStore | undefined;
  /** User or service that the tokens belong to. Default: the empty text. */
  readonly principal?: string | undefined;
  /**
   * Scopes to request in addition to those that the server demands. Default: those that its metadata
   * list, if it demands none.
   */
  readonly scopes?: readonly string[] | undefined;
  readonly network?: AuthorizationNetwork | undefined;
}

import type { AuthorizationServer } from 'oauth4webapi';
import { DPOP_ALGORITHM } from './dpop-key.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import type { LoginMethod, LoginTarget } from './login-request.ts';
import type { ClientRegistrationOptions } from './options.ts';
import { fetchResourceMetadata } from './resource-metadata.ts';
import { fetchOriginMetadata, fetchServerMetadata } from './server-metadata.ts';

/** The resource that an MCP server is, and its authorization server. */
export interface Target {
  readonly resource: string;
  readonly scopesSupported: readonly string[];
  readonly server: AuthorizationServer;
  /** Whether tokens are bound to a key: the MCP server and the authorization server support it. */
  readonly isDpop: boolean;
}

/**
 * Discovers the resource and the authorization server of an MCP server.
 * @throws AuthorizationError
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery
 */
export async function discover(
  fetch: GuardedFetch,
  { server: url, metadataUrl, isDpop }: LoginTarget,
  { clients = [] }: ClientRegistrationOptions = {},
): Promise<Target> {
  const metadata = await fetchResourceMetadata(fetch, url, metadataUrl);
  if (metadata === undefined) {
    const server = await fetchOriginMetadata(fetch, url);
    const resource = withoutSlash(url);
    return { resource, scopesSupported: [], server, isDpop: isDpop === true && canBind(server) };
  }
  const { resource, authorizationServers, scopesSupported = [], isDpopSupported } = metadata;
  const registered = new Set(clients.map(({ issuer }) => issuer));
  const issuer =
    authorizationServers.find((each) => registered.has(each)) ?? String(authorizationServers[0]);
  const server = await fetchServerMetadata(fetch, issuer);
  const isWanted = isDpop ?? isDpopSupported;
  return { resource, scopesSupported, server, isDpop: isWanted && canBind(server) };
}

/**
 * Fetches the metadata of an authorization server that was discovered before.
 * @throws AuthorizationError
 */
export function fetchKnownServer(
  fetch: GuardedFetch,
  issuer: string,
  resource: string,
): Promise<AuthorizationServer> {
  return issuer === URL.parse(resource)?.origin
    ? fetchOriginMetadata(fetch, resource)
    : fetchServerMetadata(fetch, issuer);
}

/** Returns the ways in which a user can log in at an authorization server. */
export function loginMethods(server: AuthorizationServer): readonly LoginMethod[] {
  const methods: LoginMethod[] = [];
  if (server.authorization_endpoint !== undefined) methods.push('browser');
  if (server.device_authorization_endpoint !== undefined) methods.push('device');
  return methods;
}

function canBind({ dpop_signing_alg_values_supported: algorithms = [] }: AuthorizationServer) {
  return algorithms.includes(DPOP_ALGORITHM);
}

/** Returns the canonical URI of a server: without fragment, and without the slash of an empty path. */
function withoutSlash(server: string): string {
  const { origin, pathname, search } = new URL(server);
  return pathname === '/' && search === '' ? origin : `${origin}${pathname}${search}`;
}

import { shorten } from '../protocol/errors.ts';
import { AuthorizationError } from './authorization-error.ts';
import type { GuardedFetch } from './guarded-fetch.ts';

/** Protected resource metadata of an MCP server that were checked. */
export interface ResourceMetadata {
  /** Identifier of the resource, exactly as published. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopesSupported: readonly string[] | undefined;
  /** Whether the server accepts tokens that are bound to a key (RFC 9449). */
  readonly isDpopSupported: boolean;
}

/**
 * Fetches the protected resource metadata of an MCP server: from the address in the challenge, or
 * else from the well-known address of its path and then of its origin. Returns `undefined` when the
 * challenge names no address and neither exists, as with servers of 2025-03-26.
 * @throws AuthorizationError `metadata-mismatch` when they belong to another server
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements
 */
export async function fetchResourceMetadata(
  fetch: GuardedFetch,
  server: string,
  challengedUrl: string | undefined,
): Promise<ResourceMetadata | undefined> {
  const candidates = challengedUrl === undefined ? wellKnownUrls(server) : [challengedUrl];
  const found = await fetch.firstJson(candidates);
  if (found !== undefined) return checked(found, server);
  if (challengedUrl === undefined) return undefined;
  throw new AuthorizationError(
    'discovery-failed',
    'The server names protected resource metadata that do not exist.',
  );
}

function wellKnownUrls(server: string): readonly string[] {
  const { origin, pathname } = new URL(server);
  const root = `${origin}/.well-known/oauth-protected-resource`;
  const path = pathname.replace(/\/$/u, '');
  return path === '' ? [root] : [`${root}${path}`, root];
}

function checked(found: { readonly [name: string]: unknown }, server: string): ResourceMetadata {
  const {
    resource,
    authorization_servers: servers,
    scopes_supported: scopes,
    dpop_signing_alg_values_supported: algorithms,
  } = found;
  if (typeof resource !== 'string' || !isResourceOf(resource, server))
    throw new AuthorizationError(
      'metadata-mismatch',
      `The protected resource metadata of ${new URL(server).origin} are those of another resource: ${typeof resource === 'string' ? shorten(resource) : 'none'}. Check the URL of the server.`,
    );
  if (!isTextList(servers) || servers.length === 0)
    throw new AuthorizationError(
      'discovery-failed',
      `The protected resource metadata of ${new URL(server).origin} name no authorization server.`,
    );
  return {
    resource,
    authorizationServers: servers,
    scopesSupported: isTextList(scopes) ? scopes : undefined,
    isDpopSupported:
      found['dpop_bound_access_tokens_required'] === true ||
      (isTextList(algorithms) && algorithms.length > 0),
  };
}

/**
 * Whether a resource is the server at a URL, or contains it: the same origin, and the segments of the
 * URL's path begin with those of the resource.
 */
function isResourceOf(resource: string, server: string): boolean {
  const url = new URL(server);
  const given = URL.parse(resource);
  if (given === null || given.origin !== url.origin || resource.includes('#')) return false;
  const path = given.pathname.replace(/\/$/u, '');
  return (
    (given.search === '' || given.search === url.search) &&
    (url.pathname === path || url.pathname.startsWith(`${path}/`))
  );
}

export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

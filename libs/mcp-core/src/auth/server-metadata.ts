import type { AuthorizationServer } from 'oauth4webapi';
import { shorten } from '../protocol/errors.ts';
import { AuthorizationError } from './authorization-error.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import { isSafeUrl } from './safe-url.ts';

const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'device_authorization_endpoint',
  'revocation_endpoint',
];

/**
 * Fetches the metadata of an authorization server: RFC 8414 and OpenID Connect with the path of the
 * issuer inserted, then OpenID Connect with it appended.
 * @throws AuthorizationError `metadata-mismatch` when a document names another issuer
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery
 */
export async function fetchServerMetadata(
  fetch: GuardedFetch,
  issuer: string,
): Promise<AuthorizationServer> {
  const found = await firstMetadata(fetch, issuer, [issuer]);
  if (found !== undefined) return found;
  throw new AuthorizationError(
    'discovery-failed',
    `The authorization server ${shorten(issuer)} publishes no metadata at its well-known addresses.`,
  );
}

/**
 * Returns the authorization server of an MCP server without protected resource metadata: its origin,
 * with the metadata there or the default paths of 2025-03-26. The metadata may name the origin with a
 * slash, as those of the official SDKs do: nothing else names the issuer of such a server.
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#fallbacks-for-servers-without-metadata-discovery
 */
export async function fetchOriginMetadata(
  fetch: GuardedFetch,
  server: string,
): Promise<AuthorizationServer> {
  const { origin } = new URL(server);
  return (
    (await firstMetadata(fetch, origin, [origin, `${origin}/`])) ?? {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ['S256'],
    }
  );
}

async function firstMetadata(
  fetch: GuardedFetch,
  issuer: string,
  names: readonly string[],
): Promise<AuthorizationServer | undefined> {
  const found = await fetch.firstJson(wellKnownUrls(issuer));
  return found && checked(found, issuer, names);
}

function wellKnownUrls(issuer: string): readonly string[] {
  const url = URL.parse(issuer);
  if (url === null || url.search !== '' || url.hash !== '')
    throw new AuthorizationError(
      'discovery-failed',
      `The issuer ${shorten(issuer)} is not a URL without query and fragment.`,
    );
  const path = url.pathname.replace(/\/$/u, '');
  const insert = (suffix: string): string => `${url.origin}/.well-known/${suffix}${path}`;
  const inserted = [insert('oauth-authorization-server'), insert('openid-configuration')];
  return path === ''
    ? inserted
    : [...inserted, `${url.origin}${path}/.well-known/openid-configuration`];
}

function checked(
  found: { readonly [name: string]: unknown },
  issuer: string,
  names: readonly string[],
): AuthorizationServer {
  const { issuer: named } = found;
  // Simple string comparison, as the specification requires.
  if (typeof named !== 'string' || !names.includes(named))
    throw new AuthorizationError(
      'metadata-mismatch',
      `The metadata of the authorization server ${shorten(issuer)} name another issuer: ${typeof named === 'string' ? shorten(named) : 'none'}.`,
    );
  for (const name of ENDPOINTS) {
    const endpoint = found[name];
    if (endpoint !== undefined && !isSafeUrl(endpoint))
      throw new AuthorizationError(
        'address-refused',
        `The ${name} of ${shorten(issuer)} is not an https: address.`,
      );
  }
  return found as unknown as AuthorizationServer; // the library checks the members that it reads
}

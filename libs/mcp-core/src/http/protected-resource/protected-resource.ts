import { GuardedFetch } from '../../auth/guarded-fetch.ts';
import { isScope } from '../../protocol/scopes.ts';
import type { RequestAuthenticator } from '../server/authentication.ts';
import { ALGORITHMS, checkAlgorithms } from './algorithms.ts';
import { Challenges } from './challenges.ts';
import type { ProtectedResourceOptions } from './protected-resource-options.ts';
import { ResourceAccess } from './resource-access.ts';
import { checkUrl, metadataUrlOf } from './well-known.ts';

/**
 * Makes a server a protected resource of an OAuth authorization server: publishes its metadata,
 * challenges requests without a valid access token, and passes the subject, scopes and claims of the
 * token to handlers as `context.auth`. Requests get 503 while the authorization server cannot be
 * reached and the token is not known.
 * @throws Error for an option that cannot be used
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 * @example
 * ```ts
 * import { protectedResource } from '@signalbox/mcp-core/http/protected-resource';
 * import { serveHttp } from '@signalbox/mcp-core/http/server';
 * import { createServer } from '@signalbox/mcp-core/server';
 *
 * const server = createServer({ info: { name: 'notes', version: '1.0.0' } });
 * await serveHttp(server, {
 *   port: 8031,
 *   access: {
 *     allowedHosts: ['notes.example'],
 *     authenticate: protectedResource({
 *       issuer: 'https://login.example',
 *       resource: 'https://notes.example/mcp',
 *       scopes: ['notes'],
 *     }),
 *   },
 * });
 * ```
 */
export function protectedResource(options: ProtectedResourceOptions): RequestAuthenticator {
  const { scopes = [], impliedScopes = {}, introspection, dpop, network } = options;
  const issuer = checkUrl('issuer', options.issuer);
  const resource = checkUrl('resource', options.resource);
  const audience = options.audience ?? resource;
  const algorithms = checkAlgorithms(options.algorithms ?? ALGORITHMS);
  checkScopes(scopes);
  if (introspection?.endpoint !== undefined)
    checkUrl('introspection.endpoint', introspection.endpoint);
  const isDpopRequired = dpop?.isRequired === true;
  const metadataUrl = metadataUrlOf(resource);
  const challenges = new Challenges({
    metadataUrl: metadataUrl.href,
    scopes,
    schemes: isDpopRequired ? ['DPoP'] : dpop === undefined ? ['Bearer'] : ['Bearer', 'DPoP'],
    algorithms,
  });
  const access = new ResourceAccess({
    tokens: {
      fetch: new GuardedFetch(issuer, network),
      issuer,
      audience,
      algorithms,
      introspection,
    },
    proofs: { resource, algorithms, needsNonce: dpop?.needsNonce === true },
    isDpopRequired,
    impliedScopes,
    challenges,
  });
  const metadata = {
    resource,
    authorization_servers: [issuer],
    ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: algorithms,
    ...(isDpopRequired ? { dpop_bound_access_tokens_required: true } : {}),
  };
  return {
    authenticate: (headers, target) => access.decide(headers, target),
    requiredScopes: scopes,
    scopeChallenge: (needed, auth) => challenges.lacking(needed, auth),
    documents: { [metadataUrl.pathname]: JSON.stringify(metadata) },
  };
}

/** @throws Error for a scope that no token can have, or that is not a right at this server */
function checkScopes(scopes: readonly string[]): void {
  for (const scope of scopes) {
    if (!isScope(scope))
      throw new Error(
        `scopes: ${JSON.stringify(scope)} is not a name of printable ASCII without space, " and \\`,
      );
    if (scope === 'offline_access')
      throw new Error(
        'scopes: offline_access is no right at this server. Clients request it by themselves',
      );
  }
}

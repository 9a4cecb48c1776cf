import { isScope } from '../../protocol/scopes.ts';
import { parseNetwork } from '../addresses/refused-networks.ts';
import type { Authenticate, RequestAuthenticator } from '../server/authentication.ts';
import { ALGORITHMS, checkAlgorithms } from './algorithms.ts';
import { Challenges } from './challenges.ts';
import type { ProtectedResourceOptions } from './protected-resource-options.ts';
import type { ResourceAccess, ResourceAccessOptions } from './resource-access.ts';
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
  checkNetworks(network?.allowedNetworks);
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
  const authenticate = loadedByFirstToken({
    tokens: { issuer, audience, algorithms, introspection, network },
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
    authenticate,
    requiredScopes: scopes,
    scopeChallenge: (needed, auth) => challenges.lacking(needed, auth),
    documents: { [metadataUrl.pathname]: JSON.stringify(metadata) },
  };
}

/** Returns a function that loads the code of tokens for the first request with credentials. */
function loadedByFirstToken(options: ResourceAccessOptions): Authenticate {
  let access: ResourceAccess | undefined;
  let loading: Promise<ResourceAccess> | undefined;
  const load = async (): Promise<ResourceAccess> => {
    const loaded = await import('./resource-access.ts');
    access = new loaded.ResourceAccess(options);
    return access;
  };
  return (headers, target) => {
    if (access !== undefined) return access.decide(headers, target);
    if (headers['authorization'] === undefined)
      return { refused: 401, challenge: options.challenges.withoutToken };
    loading ??= load();
    return loading.then((loaded) => loaded.decide(headers, target));
  };
}

/** @throws Error for a text that is not a network in CIDR notation */
function checkNetworks(networks: readonly string[] = []): void {
  const unknown = networks.find((network) => parseNetwork(network) === undefined);
  if (unknown !== undefined)
    throw new Error(
      `network.allowedNetworks: ${JSON.stringify(unknown)} is not a network in CIDR notation, such as 10.0.0.0/8`,
    );
}

/** @throws Error for a scope that no token can have, and for offline_access, which is not a right at a server */
function checkScopes(scopes: readonly string[]): void {
  for (const scope of scopes) {
    if (!isScope(scope))
      throw new Error(
        `scopes: ${JSON.stringify(scope)} is not a name of printable ASCII without space, " and \\`,
      );
    if (scope === 'offline_access')
      throw new Error(
        'scopes: offline_access is not a right at this server: remove it. Clients request it without being asked',
      );
  }
}

import { AUTH_METHODS } from './clients.ts';
import { HTML, HUGE, redirectTo, type Answer } from './answer.ts';
import type { Misbehavior } from './misbehavior.ts';
import type { AuthorizationServerOptions } from './options.ts';
import { GRANT_TYPES } from './token-endpoint.ts';

type Metadata = { readonly [name: string]: unknown };

const SIGNATURES = ['ES256', 'RS256', 'PS256', 'EdDSA'];

/** Returns the metadata of the authorization server (RFC 8414 and OpenID Connect Discovery). */
export function metadataOf(issuer: string, options: AuthorizationServerOptions): Metadata {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    introspection_endpoint: `${issuer}/introspect`,
    device_authorization_endpoint: `${issuer}/device`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    grant_types_supported: GRANT_TYPES,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    token_endpoint_auth_signing_alg_values_supported: SIGNATURES,
    dpop_signing_alg_values_supported: ['ES256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: options.clientDocuments !== undefined,
    ...(options.scopes === undefined ? {} : { scopes_supported: options.scopes }),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}

/** Returns the metadata of the resource at the origin of the authorization server. */
export function resourceAnswer(
  resource: string,
  issuer: string,
  { scopes, dpop }: AuthorizationServerOptions,
  misbehaves: (way: Misbehavior) => boolean,
): Answer {
  if (misbehaves('resource-html')) return HTML;
  const servers = misbehaves('resource-names-http-server') ? ['http://203.0.113.5'] : [issuer];
  return {
    json: {
      resource: misbehaves('resource-mismatch') ? 'https://other.example/mcp' : resource,
      authorization_servers: misbehaves('resource-without-servers') ? [] : servers,
      ...(scopes === undefined ? {} : { scopes_supported: scopes }),
      ...(dpop === undefined
        ? {}
        : {
            dpop_signing_alg_values_supported: ['ES256'],
            dpop_bound_access_tokens_required: true,
          }),
    },
  };
}

/** Returns the answer to a request for metadata. */
export function metadataAnswer(
  metadata: Metadata,
  url: URL,
  misbehaves: (way: Misbehavior) => boolean,
): Answer {
  if (misbehaves('metadata-hangs')) return 'never';
  if (misbehaves('metadata-huge')) return HUGE;
  if (misbehaves('metadata-html')) return HTML;
  if (misbehaves('metadata-fails')) return { status: 503 };
  if (misbehaves('metadata-redirects-forever')) return redirectTo(url.href);
  if (misbehaves('metadata-redirects-to-private-address'))
    return redirectTo('https://169.254.169.254/latest/meta-data/');
  const { code_challenge_methods_supported: _methods, ...withoutPkce } = metadata;
  const changes: [Misbehavior, Metadata][] = [
    ['issuer-mismatch', { issuer: 'https://other.example' }],
    ['issuer-slash', { issuer: `${String(metadata['issuer'])}/` }],
    ['plain-pkce', { code_challenge_methods_supported: ['plain'] }],
    ['http-token-endpoint', { token_endpoint: 'http://as.example/token' }],
    ['script-authorization-endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
  ];
  const changed = changes.filter(([way]) => misbehaves(way)).map(([, members]) => members);
  const base = misbehaves('no-pkce') ? withoutPkce : metadata;
  return { json: Object.assign({}, base, ...changed) as Metadata };
}

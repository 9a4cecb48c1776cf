import { HTTP, MODERN, must, review, should, since, type Chapter } from './requirement.ts';

const page = 'basic/authorization';
const discovery = `${page}/authorization-server-discovery`;
const security = `${page}/security-considerations`;
const on = HTTP;
/** The revisions in which a server is a protected resource of an authorization server. */
const versions = since('2025-06-18');
const withScopes = since('2025-11-25');

/** The authorization of a server: OAuth over HTTP. */
export const serverAuthorization = {
  'auth.metadata': must(
    'server',
    'Protected resource metadata name at least one authorization server.',
    { page: discovery, versions, on },
  ),
  'auth.metadata-found': must(
    'server',
    'The metadata are at the address in WWW-Authenticate of a 401, or at a well-known path.',
    { page: discovery, versions, on },
  ),
  'auth.unauthorized': must(
    'server',
    'A request without a token, or with an invalid or expired one, gets 401.',
    { page: `${page}#error-handling`, versions: since('2025-03-26'), on },
  ),
  'auth.forbidden': must('server', 'A token without the needed scopes gets 403.', {
    page: `${page}#error-handling`,
    versions: since('2025-03-26'),
    on,
  }),
  'auth.malformed': must('server', 'A malformed authorization request gets 400.', {
    page: `${page}#error-handling`,
    versions: since('2025-03-26'),
    on,
  }),
  'auth.audience': must('server', 'Only tokens that were issued for the server are accepted.', {
    page: `${security}#access-token-privilege-restriction`,
    versions,
    on,
  }),
  'auth.own-issuer': must('server', 'Tokens of other authorization servers are not accepted.', {
    page: `${page}#token-handling`,
    versions,
    on,
  }),
  'auth.before-processing': must(
    'server',
    'A token is validated before the request is processed, and nothing is returned to others.',
    { page: `${security}#access-token-privilege-restriction`, versions, on },
  ),
  'auth.no-session-login': must('server', 'A session is no authentication.', {
    page: 'basic/security_best_practices#session-hijacking',
    versions: since('2025-06-18', 'legacy'),
    on,
  }),
  'auth.challenge-scope': should('server', 'A 401 names the scopes that a client should request.', {
    page: `${page}#scope-selection-strategy`,
    versions: withScopes,
    on,
  }),
  'auth.insufficient-scope': should(
    'server',
    'The 403 has insufficient_scope, scope and resource_metadata.',
    { page: `${page}#runtime-insufficient-scope-errors`, versions: withScopes, on },
  ),
  'auth.all-scopes': should('server', 'One challenge names all scopes of an operation.', {
    page: `${page}#runtime-insufficient-scope-errors`,
    versions: MODERN,
    on,
  }),
  'auth.scope-hierarchy': must('server', 'A broader scope implies its narrower ones.', {
    page: `${page}#step-up-authorization-flow`,
    versions: MODERN,
    on,
  }),
  'auth.no-offline-access': should(
    'server',
    'Neither challenges nor metadata list offline_access.',
    { page: `${page}#refresh-tokens`, versions: MODERN, on },
  ),
  'auth.no-passthrough': review(
    must('server', 'The token of a client is not passed to other servers.', {
      page: `${security}#access-token-privilege-restriction`,
      versions,
      on,
    }),
    'Handlers get the claims of a token and never the token itself.',
  ),
} satisfies Chapter;

const registration = `${page}/client-registration`;
const onlyModern = { versions: MODERN, on };
const flow = `${page}#authorization-flow-steps`;

/** The authorization of a client: OAuth over HTTP. */
export const clientAuthorization = {
  'auth-client.header': must(
    'client',
    'The token is in the Authorization header of every request, and never in the query.',
    { page: `${page}#token-requirements`, versions: since('2025-03-26'), on },
  ),
  'auth-client.resource-metadata': must(
    'client',
    'The authorization server is the one in the protected resource metadata.',
    { page: discovery, versions, on },
  ),
  'auth-client.well-known': must(
    'client',
    'Without an address in the challenge, the metadata come from the well-known path of the endpoint, else of the root.',
    { page: discovery, versions: withScopes, on },
  ),
  'auth-client.metadata-order': must(
    'client',
    'The well-known addresses of RFC 8414 and OpenID Connect are tried in the prescribed order.',
    { page: discovery, versions: withScopes, on },
  ),
  'auth-client.issuer': must('client', 'Metadata that name another issuer are not used.', {
    page: discovery,
    ...onlyModern,
  }),
  'auth-client.default-paths': must(
    'client',
    'Without any metadata, the authorization server is the origin with the default paths.',
    {
      page: `${page}#fallbacks-for-servers-without-metadata-discovery`,
      versions: ['2025-03-26'],
      on,
    },
  ),
  'auth-client.pkce': must('client', 'An authorization code is protected by PKCE.', {
    page: `${security}#authorization-code-protection`,
    versions: since('2025-03-26'),
    on,
  }),
  'auth-client.pkce-listed': must(
    'client',
    'The client does not proceed when the metadata list no method of PKCE.',
    { page: `${security}#authorization-code-protection`, versions: withScopes, on },
  ),
  'auth-client.resource': must('client', 'Authorization and token requests contain the resource.', {
    page: `${page}#resource-parameter-implementation`,
    versions,
    on,
  }),
  'auth-client.iss': must(
    'client',
    'A redirect with another iss, or without an advertised one, is refused before its code is sent.',
    { page: `${page}#authorization-response-validation`, ...onlyModern },
  ),
  'auth-client.iss-error': must(
    'client',
    'The error in a redirect with another iss is neither acted on nor shown.',
    { page: `${page}#authorization-response-validation`, ...onlyModern },
  ),
  'auth-client.state': should('client', 'A redirect with another state is discarded.', {
    page: `${security}#open-redirection`,
    versions,
    on,
  }),
  'auth-client.registration-order': should(
    'client',
    'The client is pre-registered, else its metadata document, else registered, else asked for.',
    { page: registration, versions: withScopes, on },
  ),
  'auth-client.metadata-document': must(
    'client',
    'The client ID of a metadata document is an https URL with a path.',
    { page: `${registration}#client-id-metadata-documents`, versions: withScopes, on },
  ),
  'auth-client.application-type': must('client', 'A registration names the application type.', {
    page: `${registration}#application-type-and-redirect-uri-constraints`,
    ...onlyModern,
  }),
  'auth-client.own-credentials': must(
    'client',
    'Another authorization server gets another registration, and no credentials of the first one.',
    { page: `${registration}#authorization-server-binding`, ...onlyModern },
  ),
  'auth-client.own-tokens': must(
    'client',
    'A server gets only tokens that its own authorization server issued.',
    { page: `${page}#token-handling`, versions, on },
  ),
  'auth-client.scopes': should(
    'client',
    'The requested scopes are those of the challenge, else those of the metadata, else none.',
    { page: `${page}#scope-selection-strategy`, versions: withScopes, on },
  ),
  'auth-client.step-up': should(
    'client',
    'A 403 with insufficient_scope leads to a request for more scopes.',
    { page: `${page}#step-up-authorization-flow`, versions: withScopes, on },
  ),
  'auth-client.step-up-union': should(
    'client',
    'The requested scopes of a step-up contain those that were requested before.',
    { page: `${page}#step-up-authorization-flow`, ...onlyModern },
  ),
  'auth-client.retries': should('client', 'The attempts of a step-up are limited.', {
    page: `${page}#step-up-authorization-flow`,
    versions: withScopes,
    on,
  }),
  'auth-client.no-refresh-token': must('client', 'The client works without refresh tokens.', {
    page: `${page}#refresh-tokens`,
    ...onlyModern,
  }),
  'auth-client.redirect-uri': must('client', 'A redirect URI is localhost or https.', {
    page: `${security}#communication-security`,
    versions: since('2025-03-26'),
    on,
  }),
  'auth-client.https': must('client', 'Endpoints of an authorization server are https.', {
    page: `${security}#communication-security`,
    versions: since('2025-03-26'),
    on,
  }),
  'auth-client.storage': review(
    must('client', 'Tokens are stored securely.', {
      page: `${security}#token-theft`,
      versions,
      on,
    }),
    'Storing is a port; the service encrypts its store, and the default is the memory of the process.',
  ),
  'auth-client.flow': review(
    must('client', 'The issuer is recorded before the user is redirected.', {
      page: flow,
      ...onlyModern,
    }),
    'It is a member of each pending login; that it is compared is proved by auth-client.iss.',
  ),
} satisfies Chapter;

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

import { HTTP, LEGACY, MODERN, must, review, should, since, type Chapter } from './requirement.ts';

const loggingPage = 'server/utilities/logging';
const cachingPage = 'server/utilities/caching';
const progressPage = 'basic/patterns/progress';
const cancellationPage = 'basic/patterns/cancellation';
const pingPage = 'basic/utilities/ping';

/** Logging. */
export const logging = {
  'logging.declared': must(
    'server',
    'A server that sends log messages declares the capability logging.',
    { page: loggingPage },
  ),
  'logging.set-level': must('server', 'logging/setLevel sets the least level of the session.', {
    page: `${loggingPage}#setting-log-level`,
    versions: LEGACY,
  }),
  'logging.unknown-level': should('server', 'An unknown level is refused with -32602.', {
    page: `${loggingPage}#error-handling`,
  }),
  'logging.silent': must('server', 'A request without logLevel gets no log messages.', {
    page: loggingPage,
    versions: MODERN,
  }),
  'logging.level': must(
    'server',
    'A request with logLevel gets messages of that level and above, before its response.',
    { page: loggingPage, versions: MODERN },
  ),
  'logging.own-stream': must(
    'server',
    'Log messages are on the response stream of their request only.',
    { page: loggingPage, versions: MODERN, on: HTTP },
  ),
  'logging.secrets': review(
    must(
      'server',
      'Log messages have no secrets, personal data or internals that help an attacker.',
      { page: `${loggingPage}#security`, on: 'any' },
    ),
    'Only the author of a handler knows what it logs; the library logs nothing by itself.',
  ),
} satisfies Chapter;

/** Cache hints. */
export const caching = {
  'cache.hints': must(
    'server',
    'Complete results of server/discover, the four lists and resources/read have ttlMs of 0 or more and cacheScope; others have neither.',
    {
      page: cachingPage,
      versions: MODERN,
    },
  ),
  'cache.one-scope': must('server', 'All pages of a list have the same cacheScope.', {
    page: cachingPage,
    versions: MODERN,
    on: 'any',
  }),
  'cache.key': must('client', 'A cached result is used only for the same method and parameters.', {
    page: cachingPage,
    versions: MODERN,
    on: 'any',
  }),
  'cache.no-retries': must('client', 'Results of retries with answers or state are not cached.', {
    page: cachingPage,
    versions: MODERN,
    on: 'any',
  }),
  'cache.private': must('client', 'Private results are not shared between principals.', {
    page: cachingPage,
    versions: MODERN,
    on: 'any',
  }),
  'cache.freshness': should(
    'client',
    'A result is fresh for ttlMs; absent and negative are 0; an announced change ends it at once.',
    { page: cachingPage, versions: MODERN, on: 'any' },
  ),
  'cache.no-polling': should('client', 'The end of ttlMs starts no request.', {
    page: cachingPage,
    versions: MODERN,
    on: 'any',
  }),
  'cache.no-access-control': review(
    must('server', 'cacheScope is not what protects data.', {
      page: cachingPage,
      versions: MODERN,
      on: 'any',
    }),
    'Access is decided before a handler runs; cacheScope is only written.',
  ),
} satisfies Chapter;

/** Progress. */
export const progress = {
  'progress.token': must(
    'client',
    'A progress token is a string or an integer, and no two running requests share one.',
    { page: progressPage },
  ),
  'progress.known-token': must('server', 'Progress is sent only for tokens of running requests.', {
    page: progressPage,
  }),
  'progress.increases': must('server', 'progress grows with each notification.', {
    page: progressPage,
  }),
  'progress.stops': must('server', 'After the response no progress follows.', {
    page: progressPage,
  }),
  'progress.rate': should('server', 'Progress is limited in rate.', {
    page: progressPage,
    on: 'any',
  }),
  'progress.tracked': should('client', 'Progress of an unknown token is ignored.', {
    page: progressPage,
  }),
} satisfies Chapter;

/** Cancellation and ping. */
export const cancellation = {
  'cancel.own-running': must(
    'client',
    'Only requests of the client that are not answered yet are cancelled.',
    { page: cancellationPage },
  ),
  'cancel.server-own-running': must(
    'server',
    'The server cancels only its own requests that are not answered yet.',
    { page: cancellationPage, versions: LEGACY },
  ),
  'cancel.not-initialize': must('client', 'initialize is never cancelled.', {
    page: 'basic/utilities/cancellation',
    versions: LEGACY,
  }),
  'cancel.race': must(
    'both',
    'A cancellation that comes too late, and an answer that comes after one, are survived.',
    { page: cancellationPage },
  ),
  'cancel.stops': should(
    'server',
    'A cancelled handler is told to stop and its request is not answered.',
    { page: cancellationPage },
  ),
  'cancel.unknown': should(
    'server',
    'A cancellation of an unknown request, or a malformed one, is ignored.',
    { page: cancellationPage },
  ),
  'cancel.client-stops': should(
    'client',
    'An input request that the server withdraws is not answered.',
    {
      page: 'basic/utilities/cancellation',
      versions: LEGACY,
    },
  ),
  'cancel.task': must('client', 'A request that became a task is cancelled with tasks/cancel.', {
    page: 'basic/utilities/cancellation',
    versions: since('2025-11-25', 'legacy'),
  }),

  'ping.answer': must('both', 'ping is answered at once with an empty result.', {
    page: pingPage,
    versions: LEGACY,
  }),
  'ping.sent': should('client', 'A connection can be checked with ping.', {
    page: pingPage,
    versions: LEGACY,
  }),
} satisfies Chapter;

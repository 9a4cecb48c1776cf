import { LEGACY, MODERN, must, review, should, since, type Chapter } from './requirement.ts';

const page = 'server/resources';
const listen = 'basic/patterns/subscriptions';

/** Resources and their changes. */
export const resources = {
  'resources.declared': must(
    'server',
    'A server with resources declares the capability resources.',
    { page },
  ),
  'resources.list': must(
    'server',
    'With the capability, resources/list is answered, also with an empty list.',
    { page, versions: MODERN },
  ),
  'resources.list-stable': must(
    'server',
    'The list does not depend on the connection or on requests before.',
    { page, versions: MODERN },
  ),
  'resources.changed': should(
    'server',
    'A changed list is announced when listChanged was declared, in 2026-07-28 to the streams that asked for it.',
    { page },
  ),
  'resources.missing': must('server', 'A resource that does not exist is refused with -32602.', {
    page: `${page}#error-handling`,
    versions: MODERN,
  }),
  'resources.missing-legacy': should(
    'server',
    'A resource that does not exist is refused with -32002 and its URI in data.',
    { page: `${page}#error-handling`, versions: LEGACY },
  ),
  'resources.missing-codes': should(
    'client',
    '-32602 and -32002 are both read as a missing resource.',
    { page: `${page}#error-handling`, versions: MODERN, on: 'any' },
  ),
  'resources.internal': should('server', 'A failure of the server is -32603.', {
    page: `${page}#error-handling`,
  }),
  'resources.not-empty': must('server', 'A missing resource is never an empty list of contents.', {
    page: `${page}#error-handling`,
    versions: MODERN,
  }),
  'resources.uri-validated': must('server', 'A read without a valid URI is refused.', {
    page: `${page}#security-considerations`,
  }),
  'resources.binary': must('server', 'Binary contents are Base64 in blob.', {
    page: `${page}#security-considerations`,
  }),
  'resources.contents': must(
    'server',
    'Each entry of the contents has its uri and either text or blob.',
    { page: `${page}#resource-contents` },
  ),
  'resources.traversal': must(
    'server',
    'Paths of file URIs cannot leave the folders that are served.',
    { page: `${page}#security-considerations`, versions: MODERN, on: 'any' },
  ),
  'resources.schemes': review(
    must('server', 'Schemes of our own conform to RFC 3986.', {
      page: `${page}#common-uri-schemes`,
      versions: since('2025-06-18'),
      on: 'any',
    }),
    'The library has no scheme of its own.',
  ),
  'resources.https': review(
    should('server', 'https URIs are for what the client can fetch itself.', {
      page: `${page}#https://`,
      on: 'any',
    }),
    'Only the author of a resource knows.',
  ),

  'subscribe.updates': must(
    'server',
    'After resources/subscribe changes of that URI are announced until resources/unsubscribe.',
    { page: `${page}#subscriptions`, versions: LEGACY },
  ),
  'subscribe.capability': must(
    'server',
    'Without resources.subscribe in the capabilities resources/subscribe is -32601.',
    { page: `${page}#subscriptions`, versions: LEGACY },
  ),
} satisfies Chapter;

/** Listen streams. */
export const subscriptions = {
  'listen.only-wanted': must(
    'server',
    'A stream carries only kinds of notification its filter asks for.',
    { page: listen, versions: MODERN },
  ),
  'listen.acknowledged': must(
    'server',
    'The first message of a stream is the acknowledgment, with the part of the filter that is honoured.',
    { page: listen, versions: MODERN },
  ),
  'listen.tagged': must(
    'server',
    'Every notification of a stream has the id of its listen request as subscriptionId, with its type.',
    { page: listen, versions: MODERN },
  ),
  'listen.compared': should(
    'client',
    'The acknowledged filter is compared with the one asked for.',
    { page: listen, versions: MODERN },
  ),
  'listen.several': should('both', 'Several streams may be open at a time.', {
    page: listen,
    versions: MODERN,
  }),
  'listen.graceful': should(
    'server',
    'A stream that the server ends is answered with a result that has the subscriptionId.',
    { page: listen, versions: MODERN },
  ),
  'listen.cancelled': must(
    'server',
    'A stream that the server ends is cancelled with the id of its listen request.',
    { page: 'basic/patterns/cancellation', versions: MODERN, on: ['stdio'] },
  ),
  'listen.server-cancels-nothing-else': must(
    'server',
    'notifications/cancelled of the server names listen requests only.',
    { page: 'basic/patterns/cancellation', versions: MODERN },
  ),
  'listen.no-request-notifications': must(
    'server',
    'Progress and log messages are never on a listen stream.',
    { page: 'server/utilities/logging', versions: MODERN },
  ),
} satisfies Chapter;

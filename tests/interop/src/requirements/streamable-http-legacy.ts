import {
  HTTP,
  LEGACY_HTTP,
  LEGACY_SSE,
  must,
  review,
  should,
  since,
  type Chapter,
} from './requirement.ts';

const page = 'basic/transports#streamable-http';
const versions = LEGACY_HTTP;
const from2025June = since('2025-06-18', 'legacy');
const from2025November = since('2025-11-25', 'legacy');
const on = HTTP;

/** Streamable HTTP with sessions, 2025-03-26 to 2025-11-25. */
export const streamableHttpLegacy = {
  'session-http.endpoint': must('server', 'One path takes POST and GET.', { page, versions, on }),
  'session-http.origin': must(
    'server',
    'A foreign Origin is refused, since 2025-11-25 with status 403.',
    { page, versions, on },
  ),
  'session-http.loopback': should(
    'server',
    'A local server listens on the loopback interface only.',
    { page, versions, on },
  ),
  'session-http.post-each': must('client', 'Each message is a POST of its own.', {
    page,
    versions,
    on,
  }),
  'session-http.accept': must('client', 'A POST accepts application/json and text/event-stream.', {
    page,
    versions,
    on,
  }),
  'session-http.accepted-202': must(
    'server',
    'A notification or response that is taken is answered with 202 and no body.',
    { page, versions, on },
  ),
  'session-http.refused-4xx': must(
    'server',
    'A notification or response that is not taken is answered with an error status.',
    { page, versions, on },
  ),
  'session-http.answer-type': must(
    'server',
    'A request is answered as application/json or text/event-stream.',
    { page, versions, on },
  ),
  'session-http.both-types': must('client', 'Answers of both types are understood.', {
    page,
    versions,
    on,
  }),
  'session-http.related-first': should(
    'server',
    'What belongs to a request precedes its response on its stream, which then ends.',
    { page, versions, on },
  ),
  'session-http.priming': should(
    'server',
    'A stream begins with an event that has an id and no data.',
    { page, versions: from2025November, on },
  ),
  'session-http.retry-sent': should(
    'server',
    'A stream that is closed early tells the time to wait with retry.',
    { page, versions: from2025November, on },
  ),
  'session-http.retry-kept': must(
    'client',
    'The client waits as long as retry says before it connects again.',
    { page, versions: from2025November, on },
  ),
  'session-http.disconnect': should('server', 'A disconnect is not taken for a cancellation.', {
    page,
    versions,
    on,
  }),
  'session-http.cancel': should('client', 'A request is cancelled with notifications/cancelled.', {
    page,
    versions,
    on,
  }),
  'session-http.get-accept': must('client', 'A GET accepts text/event-stream.', {
    page,
    versions,
    on,
  }),
  'session-http.get-answer': must('server', 'A GET is answered with an event stream or with 405.', {
    page,
    versions,
    on,
  }),
  'session-http.get-no-response': must(
    'server',
    'A GET stream carries no response unless it resumes another.',
    { page, versions, on },
  ),
  'session-http.one-stream': must('server', 'Each message goes out on one stream only.', {
    page,
    versions,
    on,
  }),
  'session-http.event-ids': must('server', 'Event ids are unique in the session.', {
    page,
    versions,
    on,
  }),
  'session-http.replay': must('server', 'Only messages of the same stream are replayed.', {
    page,
    versions,
    on,
  }),
  'session-http.resume': should(
    'client',
    'A broken stream is resumed by GET with Last-Event-ID, whatever opened it.',
    { page, versions, on },
  ),
  'session-http.id-characters': must('server', 'A session id has visible ASCII characters only.', {
    page,
    versions,
    on,
  }),
  'session-http.id-random': should('server', 'Session ids are unique and cannot be guessed.', {
    page,
    versions,
    on,
  }),
  'session-http.id-echoed': must('client', 'The session id is on every request after initialize.', {
    page,
    versions,
    on,
  }),
  'session-http.id-missing': should(
    'server',
    'A request without the session id it needs is answered with 400.',
    { page, versions, on },
  ),
  'session-http.id-ended': must('server', 'A session that has ended is answered with 404.', {
    page,
    versions,
    on,
  }),
  'session-http.id-lost': must(
    'client',
    'After 404 a new session is opened with initialize, without the old id.',
    { page, versions, on },
  ),
  'session-http.delete': should(
    'client',
    'A session that is no longer needed is ended with DELETE.',
    { page, versions, on },
  ),
  'session-http.id-no-auth': must(
    'server',
    'A session id is no proof of who asks: another principal cannot use it.',
    {
      page: 'https://modelcontextprotocol.io/specification/2025-11-25/basic/security_best_practices#session-hijacking',
      versions: from2025June,
      on,
    },
  ),
  'session-http.version-header': must(
    'client',
    'Every request after initialize has the header MCP-Protocol-Version.',
    { page, versions: from2025June, on },
  ),
  'session-http.version-agreed': should('client', 'That version is the one agreed on.', {
    page,
    versions: from2025June,
    on,
  }),
  'session-http.version-invalid': must(
    'server',
    'An unknown version in that header is answered with 400.',
    { page, versions: from2025June, on },
  ),
  'session-http.version-missing': should(
    'server',
    'Without the header, and without anything else to go by, the version is 2025-03-26.',
    { page, versions: from2025June, on },
  ),
  'session-http.old-server': should(
    'client',
    'When the POST of initialize fails with 400, 404 or 405 the client tries GET and expects an endpoint event.',
    { page, versions, on: LEGACY_SSE },
  ),
  'session-http.authentication': review(
    should('server', 'Connections are authenticated.', { page, versions, on }),
    'The deployment decides; the token check is covered with authorization.',
  ),
} satisfies Chapter;

const ssePage = 'basic/transports#http-with-sse';

/** The two endpoints of 2024-11-05. */
export const httpSse = {
  'http-sse.endpoints': must('server', 'There is an endpoint for the stream and one for POST.', {
    page: ssePage,
    versions: ['2024-11-05'],
    on: LEGACY_SSE,
  }),
  'http-sse.endpoint-event': must(
    'server',
    'The first event is endpoint and has the URI for POST.',
    { page: ssePage, versions: ['2024-11-05'], on: LEGACY_SSE },
  ),
  'http-sse.message-events': must(
    'server',
    'Messages of the server are message events with JSON data.',
    { page: ssePage, versions: ['2024-11-05'], on: LEGACY_SSE },
  ),
  'http-sse.posts': must('client', 'Every message is POSTed to the URI of the endpoint event.', {
    page: ssePage,
    versions: ['2024-11-05'],
    on: LEGACY_SSE,
  }),
} satisfies Chapter;

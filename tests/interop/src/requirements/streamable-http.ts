import { HTTP, MODERN, must, review, should, type Chapter } from './requirement.ts';

const page = 'basic/transports/streamable-http';
const headers = `${page}#request-metadata`;
const parameters = `${page}#custom-headers-from-tool-parameters`;
const versions = MODERN;
const on = HTTP;

/** Streamable HTTP without sessions. */
export const streamableHttp = {
  'http.endpoint': must('server', 'One path takes POST.', { page, versions, on }),
  'http.other-methods': should(
    'server',
    'Where only the modern era is served, GET and DELETE are answered with 405 and no session id is given out.',
    { page, versions, on },
  ),
  'http.origin': must('server', 'A foreign Origin is answered with 403.', { page, versions, on }),
  'http.loopback': should('server', 'A local server listens on the loopback interface only.', {
    page,
    versions,
    on,
  }),
  'http.post-each': must(
    'client',
    'Each message is a POST of its own with one request or notification.',
    { page, versions, on },
  ),
  'http.accept': must('client', 'A POST accepts application/json and text/event-stream.', {
    page,
    versions,
    on,
  }),
  'http.version-header': must(
    'client',
    'Every POST has MCP-Protocol-Version, with the version of its _meta.',
    { page: headers, versions, on },
  ),
  'http.method-header': must('client', 'Every request has Mcp-Method, with its method.', {
    page: headers,
    versions,
    on,
  }),
  'http.name-header': must(
    'client',
    'tools/call, prompts/get and resources/read have Mcp-Name, with the name or URI.',
    { page: headers, versions, on },
  ),
  'http.name-encoded': must(
    'client',
    'A name that is no plain header value is Base64 between =?base64? and ?=.',
    { page: headers, versions, on },
  ),
  'http.version-mismatch': must(
    'server',
    'A version header that differs from _meta is refused with 400 and -32020.',
    { page: headers, versions, on },
  ),
  'http.version-missing': must(
    'server',
    'A modern request without the version header is refused with 400 and -32020.',
    { page: headers, versions, on },
  ),
  'http.method-mismatch': must(
    'server',
    'A missing or different Mcp-Method is refused with 400 and -32020.',
    { page: headers, versions, on },
  ),
  'http.name-mismatch': must(
    'server',
    'A missing or different Mcp-Name is refused with 400 and -32020.',
    { page: headers, versions, on },
  ),
  'http.name-decoded': must('server', 'An encoded Mcp-Name is decoded before it is compared.', {
    page: headers,
    versions,
    on,
  }),
  'http.method-unknown': must('server', 'An unknown method is answered with 404 and -32601.', {
    page: headers,
    versions,
    on,
  }),
  'http.notification-202': must(
    'server',
    'A notification that is taken is answered with 202 and no body.',
    { page, versions, on },
  ),
  'http.notification-refused': must(
    'server',
    'A notification that is not taken is answered with an error status.',
    { page, versions, on },
  ),
  'http.answer-type': must(
    'server',
    'A request is answered as application/json or text/event-stream.',
    { page, versions, on },
  ),
  'http.both-types': must('client', 'Answers of both types are understood.', {
    page,
    versions,
    on,
  }),
  'http.own-stream': must(
    'server',
    'A response stream carries only notifications of its request, and no requests.',
    { page, versions, on },
  ),
  'http.stream-ends': should('server', 'The response ends the stream.', { page, versions, on }),
  'http.no-buffering': should('server', 'An event stream has X-Accel-Buffering: no.', {
    page,
    versions,
    on,
  }),
  'http.comments': must('client', 'Comment lines in a stream are ignored.', { page, versions, on }),
  'http.disconnect': must(
    'server',
    'Closing the stream cancels the request, and nothing more is sent for it.',
    { page, versions, on },
  ),
  'http.cancel': must(
    'client',
    'A request is cancelled by closing its stream; no notification is sent.',
    { page: 'basic/patterns/cancellation#transport-specific-cancellation', versions, on },
  ),
  'http.ask-again': must(
    'client',
    'After a broken stream a request that may be repeated is sent anew with a new id; nothing is resumed.',
    { page: 'changelog', versions, on },
  ),
  'http.param-mirrored': must(
    'client',
    'Arguments marked x-mcp-header are mirrored as Mcp-Param headers, at any depth of properties.',
    { page: parameters, versions, on },
  ),
  'http.param-omitted': must('client', 'Absent and null arguments have no header.', {
    page: parameters,
    versions,
    on,
  }),
  'http.param-encoded': must(
    'client',
    'Integers are decimal, booleans lowercase, and text that is unsafe or looks encoded is Base64.',
    { page: `${page}#value-encoding`, versions, on },
  ),
  'http.param-invalid-tool': must(
    'client',
    'A tool whose x-mcp-header is empty, no token, a duplicate, on a wrong type or not reachable is left out of the list.',
    { page: parameters, versions, on },
  ),
  'http.param-warning': should(
    'client',
    'A tool left out is reported with its name and the reason.',
    { page: parameters, versions, on },
  ),
  'http.param-valid-tools': must(
    'server',
    'Marks x-mcp-header on published tools obey the same rules.',
    { page: parameters, versions, on: 'any' },
  ),
  'http.param-compared': must(
    'server',
    'A Mcp-Param header is decoded and compared with the argument; a difference is refused with 400 and -32020.',
    { page: parameters, versions, on },
  ),
  'http.param-missing': must(
    'server',
    'An argument without its header is refused with 400 and -32020.',
    { page: parameters, versions, on },
  ),
  'http.param-null': must('server', 'No header is expected of an absent or null argument.', {
    page: parameters,
    versions,
    on,
  }),
  'http.param-characters': must(
    'server',
    'A Mcp-Param header with invalid characters is refused.',
    { page: parameters, versions, on },
  ),
  'http.param-integers': should('server', 'Integers are compared as numbers: 42.0 is 42.', {
    page: parameters,
    versions,
    on,
  }),
  'http.param-relist': should(
    'client',
    'After -32020 for a parameter the tools are listed again and the call is repeated.',
    { page: parameters, versions, on },
  ),
  'http.header-names': must('both', 'Header names are compared without regard to case.', {
    page: `${page}#case-sensitivity`,
    versions,
    on,
  }),
  'http.header-values': must('server', 'Header values are compared with regard to case.', {
    page: `${page}#case-sensitivity`,
    versions,
    on,
  }),
  'http.param-secrets': review(
    should('server', 'Secrets and personal data are not marked x-mcp-header.', {
      page: 'server/tools#x-mcp-header',
      versions,
      on: 'any',
    }),
    'Only the author of a tool knows what is secret.',
  ),
  'http.authentication': review(
    should('server', 'Connections are authenticated.', { page, versions, on }),
    'The deployment decides; the token check is covered with authorization.',
  ),
  'http.sse-not-new': review(
    should('both', 'HTTP+SSE is not adopted anew.', { page, versions, on: 'any' }),
    'It is there for old peers only.',
  ),
} satisfies Chapter;

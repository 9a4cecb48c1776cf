import { LEGACY, MODERN, must, review, should, since, type Chapter } from './requirement.ts';

/** JSON-RPC, `_meta`, error codes, statelessness. */
export const base = {
  'rpc.version': must('both', 'Every message has the member jsonrpc with the value "2.0".', {
    page: 'basic#messages',
  }),
  'rpc.utf-8': must('both', 'Messages are UTF-8: any character arrives as it was sent.', {
    page: 'basic/transports',
  }),
  'rpc.request-id': must('client', 'A request has an id, which is a string or an integer.', {
    page: 'basic#requests',
  }),
  'rpc.server-request-id': must(
    'server',
    'A request of the server has an id, which is a string or an integer.',
    { page: 'basic#requests', versions: LEGACY },
  ),
  'rpc.id-null': must(
    'server',
    'A request whose id is null is no request and is not carried out.',
    { page: 'basic#requests' },
  ),
  'rpc.id-once': must('both', 'A sender uses each request id once in a session.', {
    page: 'basic#requests',
    versions: LEGACY,
  }),
  'rpc.id-in-flight': must('client', 'No two unanswered requests of the client share an id.', {
    page: 'basic#requests',
    versions: MODERN,
  }),
  'rpc.answer-id': must(
    'server',
    'A response has the id of its request, with its type; 0 and "" are ids.',
    { page: 'basic#responses' },
  ),
  'rpc.client-answer-id': must(
    'client',
    'A response of the client has the id of its request, with its type.',
    { page: 'basic#responses', versions: LEGACY },
  ),
  'rpc.answer-shape': must('server', 'A response has a result or an error and never both.', {
    page: 'basic#responses',
  }),
  'rpc.client-answer-shape': must(
    'client',
    'A response of the client has a result or an error and never both.',
    { page: 'basic#responses', versions: LEGACY },
  ),
  'rpc.error-shape': must('server', 'An error has an integer code and a message.', {
    page: 'basic#error-responses',
  }),
  'rpc.client-error-shape': must(
    'client',
    'An error of the client has an integer code and a message.',
    { page: 'basic#error-responses', versions: LEGACY },
  ),
  'rpc.notification-unanswered': must(
    'both',
    'A notification is never answered, whatever is wrong with it.',
    { page: 'basic#notifications' },
  ),
  'rpc.notification-no-id': must('both', 'A notification has no id.', {
    page: 'basic#notifications',
  }),
  'rpc.batch': must('both', 'A batch is received: each of its requests is answered.', {
    page: 'basic',
    versions: ['2025-03-26'],
  }),
  'rpc.batch-initialize': must('client', 'initialize travels alone, never in a batch.', {
    page: 'basic/lifecycle#initialization',
    versions: ['2025-03-26'],
  }),
  'rpc.method-unknown': must(
    'server',
    'A request for a method the server does not have is answered with -32601.',
    { page: 'basic#messages' },
  ),
  'rpc.client-method-unknown': must(
    'client',
    'A request for a method the client does not have is answered with -32601.',
    { page: 'basic#messages', versions: LEGACY },
  ),
  'rpc.capability-off': must(
    'server',
    'A request for a feature whose capability is not advertised is answered with -32601.',
    { page: 'schema#methodnotfounderror', versions: MODERN },
  ),

  'result.type': must('server', 'Every result has a resultType.', {
    page: 'basic#result-responses',
    versions: MODERN,
  }),
  'result.type-absent': must('client', 'A result without resultType is read as complete.', {
    page: 'basic#result-responses',
    versions: MODERN,
  }),
  'result.type-unknown': must(
    'client',
    'A result whose resultType is neither of the core nor of an extension in use is an invalid response.',
    { page: 'basic#result-responses', versions: MODERN },
  ),

  'code.reserved': must(
    'server',
    'No error has a code of -32099 to -32020 that the specification does not define, nor -32002 or -32042.',
    { page: 'basic#error-codes', versions: MODERN, on: 'any' },
  ),
  'code.no-meaning': must(
    'client',
    'A received code of -32019 to -32000 other than -32002 has no meaning of its own.',
    { page: 'basic#error-codes', versions: MODERN, on: 'any' },
  ),
  'code.own': review(
    should('both', 'Codes for purposes of our own lie outside -32768 to -32000.', {
      page: 'basic#error-codes',
      versions: MODERN,
      on: 'any',
    }),
    'The library defines no code of its own.',
  ),

  'stateless.no-server-request': must('server', 'The server sends no request.', {
    page: 'basic/patterns',
    versions: MODERN,
  }),
  'stateless.no-client-response': must(
    'client',
    'The client sends no response, even to a request of the server.',
    { page: 'basic/patterns', versions: MODERN },
  ),
  'stateless.no-inference': must(
    'server',
    'Version, capabilities and identity of a request come from that request alone, not from an earlier one of the connection.',
    { page: 'basic#statelessness', versions: MODERN },
  ),
  'stateless.interleaved': should(
    'server',
    'Requests of several conversations are served side by side on one connection.',
    { page: 'basic#statelessness', versions: MODERN },
  ),
  'stateless.no-affinity': should(
    'server',
    'Related requests may come over different connections.',
    { page: 'basic#statelessness', versions: MODERN },
  ),
  'stateless.client-process': review(
    should(
      'client',
      'The life of a server process is not tied to one conversation, thread or task.',
      { page: 'basic#statelessness', versions: MODERN, on: 'any' },
    ),
    'The host decides when it connects and closes.',
  ),

  'meta.key-names': must('both', 'Keys we put into _meta have a valid prefix and name.', {
    page: 'basic#meta',
    versions: since('2025-06-18'),
    on: 'any',
  }),
  'meta.reserved-keys': must(
    'both',
    'Nothing is assumed of reserved keys that the specification does not define: they pass through.',
    { page: 'basic#meta', versions: since('2025-06-18'), on: 'any' },
  ),
  'meta.reverse-dns': should('server', 'Prefixes of our own are reversed domain names.', {
    page: 'basic#meta',
    versions: since('2025-11-25'),
    on: 'any',
  }),
  'meta.client-keys': must(
    'client',
    'Every request says its protocol version and the client capabilities in _meta.',
    { page: 'basic#request-metadata', versions: MODERN },
  ),
  'meta.client-info': should('client', 'Every request says who the client is in _meta.', {
    page: 'basic#request-metadata',
    versions: MODERN,
  }),
  'meta.missing-key': must(
    'server',
    'A request without one of the required keys is refused with -32602, over HTTP with status 400.',
    { page: 'basic#request-metadata', versions: MODERN },
  ),
  'meta.client-info-absent': must('server', 'A request without clientInfo is served.', {
    page: 'basic#request-metadata',
    versions: MODERN,
  }),
  'meta.missing-capability': must(
    'server',
    'What needs a client capability that the request does not declare is refused with -32021 and data.requiredCapabilities, over HTTP with status 400.',
    {
      page: 'basic#request-metadata',
      versions: MODERN,
    },
  ),
  'meta.server-info': should('server', 'Every result says who the server is in _meta.', {
    page: 'basic#response-metadata',
    versions: MODERN,
  }),
  'meta.info-is-display': should('server', 'What clientInfo says changes nothing.', {
    page: 'basic#response-metadata',
    versions: MODERN,
    on: 'any',
  }),
  'meta.trace-context': must(
    'both',
    'traceparent, tracestate and baggage keep the W3C form: what the caller gives is passed on unchanged.',
    { page: 'basic#meta', versions: MODERN, on: 'any' },
  ),

  'icon.rendering': review(
    must(
      'client',
      'Whoever renders icons supports PNG and JPEG, accepts only https and data URIs, fetches without credentials and treats SVG with care.',
      {
        page: 'basic#icons',
        versions: since('2025-11-25'),
        on: 'any',
      },
    ),
    'The client fetches and renders no icon; it hands them to the host.',
  ),
  'feature.deprecated': review(
    should('both', 'Deprecated features are not adopted anew.', {
      page: 'deprecated',
      versions: MODERN,
      on: 'any',
    }),
    'Roots, sampling and logging are there for the peers that use them.',
  ),
} satisfies Chapter;

/** Use of JSON Schema. */
export const schema = {
  'schema.default-dialect': must(
    'both',
    'A schema without $schema is read as JSON Schema 2020-12.',
    { page: 'basic#json-schema-usage', versions: since('2025-11-25'), on: 'any' },
  ),
  'schema.declared-dialect': must('both', 'A schema with $schema is read in that dialect.', {
    page: 'basic#json-schema-usage',
    versions: since('2025-11-25'),
    on: 'any',
  }),
  'schema.unknown-dialect': must('both', 'An unsupported dialect leads to an error that says so.', {
    page: 'basic#json-schema-usage',
    versions: since('2025-11-25'),
    on: 'any',
  }),
  'schema.no-fetch': must('both', 'A $ref to another host is not fetched.', {
    page: 'basic#ref-resolution',
    versions: MODERN,
    on: 'any',
  }),
  'schema.unresolved-ref': should(
    'both',
    'A schema with an unresolved external $ref is refused, not taken to accept everything.',
    { page: 'basic#ref-resolution', versions: MODERN, on: 'any' },
  ),
  'schema.bounds': should('both', 'Depth, size or time of validation is bounded.', {
    page: 'basic#json-schema-usage',
    versions: MODERN,
    on: 'any',
  }),
  'schema.documented': review(
    should('both', 'The supported dialects are documented.', {
      page: 'basic#json-schema-usage',
      versions: since('2025-11-25'),
      on: 'any',
    }),
    'It is a sentence in the documentation.',
  ),
} satisfies Chapter;

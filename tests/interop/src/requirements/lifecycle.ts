import {
  HTTP,
  LEGACY,
  MODERN,
  STDIO,
  must,
  review,
  should,
  since,
  type Chapter,
} from './requirement.ts';

/** `initialize` and the session it opens; timeouts. */
export const lifecycle = {
  'initialize.first': must(
    'client',
    'The first message is initialize with a protocol version, capabilities and clientInfo.',
    { page: 'basic/lifecycle#initialization', versions: LEGACY },
  ),
  'initialize.newest': should(
    'client',
    'initialize offers the newest legacy revision the client speaks.',
    { page: 'basic/lifecycle#version-negotiation', versions: LEGACY },
  ),
  'initialize.same-version': must(
    'server',
    'A supported version is answered with the same version.',
    { page: 'basic/lifecycle#version-negotiation', versions: LEGACY },
  ),
  'initialize.other-version': must(
    'server',
    'An unsupported version is answered with a version the server speaks.',
    { page: 'basic/lifecycle#version-negotiation', versions: LEGACY },
  ),
  'initialize.other-newest': should('server', 'That version is the newest legacy one.', {
    page: 'basic/lifecycle#version-negotiation',
    versions: LEGACY,
  }),
  'initialize.result': must(
    'server',
    'The result of initialize has the capabilities and serverInfo.',
    { page: 'basic/lifecycle#initialization', versions: LEGACY },
  ),
  'initialize.foreign-version': should(
    'client',
    'A version in the answer that the client does not speak ends the connection.',
    { page: 'basic/lifecycle#version-negotiation', versions: LEGACY },
  ),
  'initialize.initialized': must(
    'client',
    'notifications/initialized follows the answer to initialize.',
    { page: 'basic/lifecycle#initialization', versions: LEGACY },
  ),
  'initialize.client-waits': should(
    'client',
    'No request but ping is sent before initialize is answered.',
    { page: 'basic/lifecycle#initialization', versions: LEGACY },
  ),
  'initialize.server-waits': should(
    'server',
    'Nothing but ping and log messages is sent before notifications/initialized came.',
    { page: 'basic/lifecycle#initialization', versions: LEGACY },
  ),
  'operation.version': must(
    'both',
    'After the handshake only what the agreed revision has is sent.',
    { page: 'basic/lifecycle#operation', versions: since('2025-06-18', 'legacy') },
  ),
  'operation.capabilities': must(
    'both',
    'After the handshake only features whose capability the peer declared are used.',
    { page: 'basic/lifecycle#operation', versions: since('2025-06-18', 'legacy') },
  ),
  'capability.server': must(
    'server',
    'The capability of every feature offered is declared: tools, resources, prompts, logging and, since 2025-03-26, completions.',
    {
      page: 'basic/lifecycle#capability-negotiation',
      versions: LEGACY,
    },
  ),
  'capability.client': must(
    'client',
    'The capability of every kind of input request the client answers is declared: roots, sampling and, since 2025-06-18, elicitation.',
    {
      page: 'basic/lifecycle#capability-negotiation',
      versions: LEGACY,
    },
  ),

  'timeout.requests': should(
    'client',
    'A request that is not answered in time is no longer waited for.',
    { page: 'basic/patterns/cancellation' },
  ),
  'timeout.server-requests': should(
    'server',
    'A request of the server that is not answered in time is no longer waited for.',
    { page: 'basic/lifecycle#timeouts', versions: LEGACY },
  ),
  'timeout.cancels': should(
    'client',
    'A request that ran out of time is cancelled at the server.',
    { page: 'basic/patterns/cancellation', versions: since('2025-03-26') },
  ),
  'timeout.per-request': should('client', 'The time limit can be set for each request.', {
    page: 'basic/patterns/cancellation',
    versions: since('2025-03-26'),
  }),
  'timeout.maximum': should('client', 'A hard limit holds whatever the progress.', {
    page: 'basic/patterns/cancellation',
    versions: since('2025-03-26'),
  }),
} satisfies Chapter;

/** Revisions and eras. */
export const versioning = {
  'version.unsupported': must(
    'server',
    'A version the server does not speak is refused with -32022, data.supported and data.requested, over HTTP with status 400.',
    {
      page: 'basic/versioning#protocol-version-negotiation',
      versions: MODERN,
    },
  ),
  'version.retry': should(
    'client',
    'After -32022 the client asks again in a version both speak, or fails with the versions of the server.',
    {
      page: 'basic/versioning#protocol-version-negotiation',
      versions: MODERN,
    },
  ),
  'discover.method': must(
    'server',
    'server/discover is answered with the supported versions and the capabilities.',
    { page: 'server/discover', versions: MODERN },
  ),
  'extension.id': must(
    'both',
    'Ids of extensions in the capabilities are _meta keys with a prefix.',
    { page: 'basic/versioning#extension-negotiation', versions: MODERN, on: 'any' },
  ),
  'extension.one-sided': must(
    'both',
    'An extension that only one side has is left unused, or the request that needs it is refused.',
    {
      page: 'basic/versioning#extension-negotiation',
      versions: MODERN,
      on: 'any',
    },
  ),
  'era.server-choice': must(
    'server',
    'Modern _meta makes a request stand alone, initialize opens a legacy session, and both may be in use at a time.',
    {
      page: 'basic/versioning#backward-compatibility-with-initialization-based-versions',
    },
  ),
  'era.cached': should('client', 'The era is found out once for a process or origin.', {
    page: 'basic/versioning#backward-compatibility-with-initialization-based-versions',
    versions: MODERN,
  }),
  'era.probe': should(
    'client',
    'A client of both eras sends server/discover before anything else.',
    { page: 'basic/transports/stdio#backward-compatibility', versions: MODERN, on: STDIO },
  ),
  'era.modern-error': must(
    'client',
    'An error that only a modern server can send never leads to initialize.',
    { page: 'basic/transports/stdio#backward-compatibility', versions: MODERN },
  ),
  'era.other-error': must(
    'client',
    'Any other error to the probe, whatever its code, leads to initialize.',
    { page: 'basic/transports/stdio#backward-compatibility', versions: MODERN, on: STDIO },
  ),
  'era.silence': must('client', 'Silence after the probe leads to initialize.', {
    page: 'basic/transports/stdio#backward-compatibility',
    versions: MODERN,
    on: STDIO,
  }),
  'era.body-of-400': should(
    'client',
    'After a status 400 its body decides: a modern error is heeded, anything else leads to initialize.',
    {
      page: 'basic/transports/streamable-http#backward-compatibility',
      versions: MODERN,
      on: HTTP,
    },
  ),
  'era.modern-only': review(
    should(
      'server',
      'A server of the modern era alone names its versions in the error to initialize.',
      { page: 'basic/versioning', versions: MODERN, on: 'any' },
    ),
    'Every server of the library speaks both eras.',
  ),
} satisfies Chapter;

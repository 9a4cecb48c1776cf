import { MODERN, must, review, should, since, type Chapter } from './requirement.ts';

const page = 'server/tools';
const errors = 'server/tools#error-handling';

/** Tools. */
export const tools = {
  'tools.declared': must('server', 'A server with tools declares the capability tools.', { page }),
  'tools.list': must(
    'server',
    'With the capability, tools/list is answered, also with an empty list.',
    { page, versions: MODERN },
  ),
  'tools.list-stable': must(
    'server',
    'The list does not depend on the connection or on requests before.',
    { page, versions: MODERN },
  ),
  'tools.order': should('server', 'The order of the list is the same each time.', {
    page,
    versions: MODERN,
  }),
  'tools.changed': should(
    'server',
    'A changed list is announced when listChanged was declared, in 2026-07-28 to the streams that asked for it.',
    { page },
  ),
  'tools.name-characters': should('server', 'A name has 1 to 128 of A-Z a-z 0-9 _ - and dot.', {
    page: `${page}#tool-names`,
    versions: since('2025-11-25'),
    on: 'any',
  }),
  'tools.name-unique': should('server', 'A name is unique in the server.', {
    page: `${page}#tool-names`,
    versions: since('2025-11-25'),
    on: 'any',
  }),
  'tools.name-case': should('server', 'Names that differ in case are different tools.', {
    page: `${page}#tool-names`,
    versions: since('2025-11-25'),
    on: 'any',
  }),
  'tools.input-schema': must(
    'server',
    'inputSchema is an object schema, never null, also without parameters.',
    { page: `${page}#tool`, on: 'any' },
  ),
  'tools.unknown': must('server', 'A call of an unknown tool is refused with -32602.', {
    page: errors,
  }),
  'tools.malformed': must(
    'server',
    'A call without a name, or with arguments that are no object, is refused with -32602.',
    { page: errors },
  ),
  'tools.bad-arguments-refused': must(
    'server',
    'Arguments that do not match the schema are refused with -32602.',
    { page: errors, versions: ['2024-11-05', '2025-03-26', '2025-06-18'] },
  ),
  'tools.bad-arguments-told': must(
    'server',
    'Arguments that do not match the schema lead to a result with isError and a text the model can act on.',
    { page: errors, versions: since('2025-11-25') },
  ),
  'tools.failure': should(
    'server',
    'A failure of the tool is a result with isError and its text.',
    { page: errors },
  ),
  'tools.inputs-validated': must('server', 'Arguments are validated before the tool runs.', {
    page: `${page}#security-considerations`,
    on: 'any',
  }),
  'tools.output-conforms': must(
    'server',
    'With outputSchema the result has structuredContent that conforms to it.',
    { page: `${page}#output-schema`, versions: since('2025-06-18') },
  ),
  'tools.output-text': should('server', 'structuredContent is also there as JSON text.', {
    page: `${page}#structured-content`,
    versions: since('2025-06-18'),
  }),
  'tools.output-validated': should(
    'client',
    'structuredContent is validated against outputSchema.',
    { page: `${page}#output-schema`, versions: since('2025-06-18'), on: 'any' },
  ),
  'tools.embedded-resources': review(
    should('server', 'A server that embeds resources has the capability resources.', {
      page: `${page}#embedded-resources`,
      versions: since('2025-06-18'),
      on: 'any',
    }),
    'Only the author of a server knows what its tools embed.',
  ),
  'tools.annotations-untrusted': review(
    must('client', 'Annotations are not trusted unless the server is.', {
      page: `${page}#tool`,
      versions: since('2025-03-26'),
      on: 'any',
    }),
    'The client passes annotations on and acts on none of them.',
  ),
  'tools.access': review(
    must(
      'server',
      'Access to tools is controlled, calls are limited in rate, outputs are sanitized.',
      { page: `${page}#security-considerations`, on: 'any' },
    ),
    'Each server does it with its tools; the library has no policy of its own.',
  ),
} satisfies Chapter;

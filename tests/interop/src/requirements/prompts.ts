import { LEGACY, MODERN, must, review, should, since, type Chapter } from './requirement.ts';

const page = 'server/prompts';
const completionPage = 'server/utilities/completion';
const paginationPage = 'server/utilities/pagination';

/** Prompts. */
export const prompts = {
  'prompts.declared': must('server', 'A server with prompts declares the capability prompts.', {
    page,
  }),
  'prompts.list': must(
    'server',
    'With the capability, prompts/list is answered, also with an empty list.',
    { page, versions: MODERN },
  ),
  'prompts.list-stable': must(
    'server',
    'The list does not depend on the connection or on requests before.',
    { page, versions: MODERN },
  ),
  'prompts.changed': should(
    'server',
    'A changed list is announced when listChanged was declared, in 2026-07-28 to the streams that asked for it.',
    { page },
  ),
  'prompts.unknown': should('server', 'An unknown prompt is refused with -32602.', {
    page: `${page}#error-handling`,
  }),
  'prompts.missing-argument': should(
    'server',
    'A missing required argument is refused with -32602.',
    { page: `${page}#error-handling` },
  ),
  'prompts.internal': should('server', 'A failure of the server is -32603.', {
    page: `${page}#error-handling`,
  }),
  'prompts.arguments-validated': must(
    'server',
    'Arguments are validated before the prompt runs: they are strings and known.',
    { page: `${page}#security`, on: 'any' },
  ),
  'prompts.media': must('server', 'Images and audio are Base64 with a MIME type.', {
    page: `${page}#image-content`,
    on: 'any',
  }),
  'prompts.embedded': must(
    'server',
    'An embedded resource has a URI, a MIME type and text or blob.',
    { page: `${page}#embedded-resources`, on: 'any' },
  ),
  'prompts.pages': should('client', 'All pages of the list are read.', {
    page: `${page}#implementation-considerations`,
  }),
} satisfies Chapter;

/** Completion. */
export const completion = {
  'completion.declared': must(
    'server',
    'A server that completes declares the capability completions.',
    { page: completionPage, versions: since('2025-03-26') },
  ),
  'completion.limit': must(
    'server',
    'At most 100 values are sent, with total and hasMore where there are more.',
    { page: `${completionPage}#completion-results`, on: 'any' },
  ),
  'completion.unsupported': should(
    'server',
    'Without the capability completion/complete is -32601.',
    { page: `${completionPage}#error-handling`, versions: since('2025-03-26') },
  ),
  'completion.bad-reference': should(
    'server',
    'An unknown prompt or template is refused with -32602.',
    { page: `${completionPage}#error-handling`, versions: since('2025-03-26') },
  ),
  'completion.missing-argument': should(
    'server',
    'A request without an argument is refused with -32602.',
    { page: `${completionPage}#error-handling`, versions: since('2025-03-26') },
  ),
  'completion.validated': must('server', 'What is completed is validated first.', {
    page: `${completionPage}#security`,
    on: 'any',
  }),
  'completion.context': must('client', 'Arguments chosen before are sent in context.arguments.', {
    page: completionPage,
    versions: since('2025-06-18'),
    on: 'any',
  }),
  'completion.protected': review(
    must('server', 'Suggestions are limited in rate and reveal nothing they should not.', {
      page: `${completionPage}#security`,
      on: 'any',
    }),
    'Only the author of a completion knows what is sensitive.',
  ),
} satisfies Chapter;

/** Pages of lists. */
export const pagination = {
  'pages.opaque': must('client', 'A cursor is sent back exactly as it came.', {
    page: paginationPage,
  }),
  'pages.empty-cursor': must('client', '"" is a cursor like any other.', {
    page: paginationPage,
    versions: MODERN,
  }),
  'pages.any-size': must('client', 'Pages of any size are accepted, empty ones as well.', {
    page: paginationPage,
  }),
  'pages.end': should('client', 'A page without nextCursor is the last.', { page: paginationPage }),
  'pages.session': must('client', 'A cursor is not used in another session.', {
    page: paginationPage,
    versions: LEGACY,
    on: 'any',
  }),
  'pages.invalid-cursor': should('server', 'An invalid cursor is refused with -32602.', {
    page: paginationPage,
  }),
  'pages.stable': should('server', 'A cursor goes on where its page ended.', {
    page: paginationPage,
  }),
} satisfies Chapter;

import { MODERN, STDIO, must, review, should, since, type Chapter } from './requirement.ts';

const page = 'basic/transports/stdio';

/** Newline-delimited JSON over standard streams, and custom transports. */
export const stdio = {
  'stdio.line': must('both', 'Each message is one line without a newline inside.', {
    page,
    on: STDIO,
  }),
  'stdio.stdout': must('server', 'Nothing but messages is written to stdout.', { page, on: STDIO }),
  'stdio.stdin': must('client', 'Nothing but messages is written to the stdin of the server.', {
    page,
    on: STDIO,
  }),
  'stdio.stderr': should('client', 'What the server writes to stderr is not taken for a failure.', {
    page,
    on: STDIO,
    versions: since('2025-11-25'),
  }),
  'stdio.shutdown': should(
    'client',
    'The server is stopped by closing its stdin, then by SIGTERM, then by SIGKILL, with time between.',
    { page, on: STDIO },
  ),
  'stdio.end-of-input': should('server', 'The server exits soon after the end of its stdin.', {
    page,
    on: STDIO,
    versions: MODERN,
  }),
  'stdio.subscription-id': must(
    'client',
    'Notifications of a subscription are told apart by their subscriptionId.',
    { page, on: STDIO, versions: MODERN },
  ),
  'stdio.cancel': must(
    'client',
    'A request is cancelled with notifications/cancelled and its id.',
    { page, on: STDIO, versions: MODERN },
  ),
  'stdio.cancelled-silent': must('server', 'Nothing more is sent for a cancelled request.', {
    page,
    on: STDIO,
    versions: MODERN,
  }),
  'stdio.restart': should('client', 'A server process that ends unexpectedly is started again.', {
    page,
    on: STDIO,
    versions: MODERN,
  }),
  'stdio.listen-again': must('client', 'After a new start the subscriptions are opened again.', {
    page: 'basic/patterns/subscriptions',
    on: STDIO,
    versions: MODERN,
  }),
  'stdio.no-oauth': review(
    should('both', 'Credentials come from the environment, not from OAuth.', {
      page: 'basic#auth',
      on: STDIO,
      versions: since('2025-03-26'),
    }),
    'The stdio modules have no authorization.',
  ),
  'custom.messages': must('both', "A transport of one's own carries the same messages.", {
    page: 'basic/transports#custom-transports',
    on: 'any',
  }),
  'custom.byte-stream': should('both', 'A transport over a byte stream has the framing of stdio.', {
    page: 'basic/transports#custom-transports',
    on: 'any',
    versions: MODERN,
  }),
} satisfies Chapter;

import { LEGACY, MODERN, must, review, should, since, type Chapter } from './requirement.ts';

const rootsPage = 'client/roots';
const samplingPage = 'client/sampling';
const elicitationPage = 'client/elicitation';
const mrtrPage = 'basic/patterns/mrtr';
const urlVersions = since('2025-11-25');

/** Roots. */
export const roots = {
  'roots.declared': must(
    'client',
    'A client that answers roots/list declares the capability roots.',
    { page: rootsPage },
  ),
  'roots.changed': must(
    'client',
    'With listChanged declared, a change of the roots is announced.',
    { page: rootsPage, versions: LEGACY },
  ),
  'roots.file': must('client', 'The URI of a root is a file URI.', { page: rootsPage, on: 'any' }),
  'roots.unsupported': should('client', 'Without the capability roots/list is -32601.', {
    page: `${rootsPage}#error-handling`,
    versions: LEGACY,
  }),
  'roots.internal': should('client', 'A failure of the client is -32603.', {
    page: `${rootsPage}#error-handling`,
    versions: LEGACY,
  }),
  'roots.checked': should('server', 'Without the capability the server does not ask.', {
    page: rootsPage,
  }),
  'roots.permitted': review(
    must('client', 'Only permitted roots are exposed.', {
      page: `${rootsPage}#security-considerations`,
      on: 'any',
    }),
    'The host chooses the roots.',
  ),
} satisfies Chapter;

/** Sampling. */
export const sampling = {
  'sampling.declared': must('client', 'A client that samples declares the capability sampling.', {
    page: samplingPage,
  }),
  'sampling.tools-undeclared': must(
    'server',
    'Tools are not sent to a client without sampling.tools.',
    { page: samplingPage, versions: urlVersions },
  ),
  'sampling.tools-refused': must(
    'client',
    'Tools are refused when sampling.tools was not declared.',
    { page: samplingPage, versions: urlVersions, on: 'any' },
  ),
  'sampling.tool-results-alone': must('server', 'A message with tool results has nothing else.', {
    page: samplingPage,
    versions: urlVersions,
    on: 'any',
  }),
  'sampling.tool-results-match': must(
    'server',
    'Every tool use is followed by a message with its results.',
    { page: samplingPage, versions: urlVersions, on: 'any' },
  ),
  'sampling.tool-results-checked': should(
    'client',
    'Missing or mixed tool results are refused with -32602.',
    { page: `${samplingPage}#error-handling`, versions: ['2025-11-25'] },
  ),
  'sampling.refused': should('client', 'A refusal of the user is the error -1.', {
    page: `${samplingPage}#error-handling`,
    versions: LEGACY,
  }),
  'sampling.include-context': should(
    'server',
    'includeContext thisServer and allServers are not sent without sampling.context.',
    { page: samplingPage, versions: urlVersions },
  ),
  'sampling.content': must('both', 'Each message has the role user or assistant and content.', {
    page: samplingPage,
    versions: MODERN,
    on: 'any',
  }),
  'sampling.model': review(
    must(
      'client',
      'Hints are taken in order, maxTokens is kept, sensitive data is handled with care.',
      { page: samplingPage, on: 'any' },
    ),
    'The handler of the host calls the model; it gets the parameters unchanged.',
  ),
} satisfies Chapter;

/** Elicitation. */
export const elicitation = {
  'elicitation.declared': must(
    'client',
    'A client that answers input requests to the user declares the capability elicitation, with at least one mode.',
    { page: elicitationPage, versions: since('2025-06-18') },
  ),
  'elicitation.mode-undeclared': must(
    'server',
    'A mode the client did not declare is not used; {} declares forms.',
    { page: elicitationPage, versions: since('2025-06-18') },
  ),
  'elicitation.mode-absent': must('client', 'An input request without mode is a form.', {
    page: elicitationPage,
    versions: urlVersions,
  }),
  'elicitation.mode-refused': must(
    'client',
    'A mode that was not declared is refused with -32602.',
    { page: `${elicitationPage}#error-handling`, versions: ['2025-11-25'] },
  ),
  'elicitation.form': must('server', 'A form has a message and a flat schema of primitives.', {
    page: elicitationPage,
    versions: since('2025-06-18'),
  }),
  'elicitation.url': must(
    'server',
    'An input request with a URL has mode url, a message, a valid URL and, in 2025-11-25, an id.',
    { page: elicitationPage, versions: urlVersions },
  ),
  'elicitation.validated-client': should(
    'client',
    'An answer is checked against the schema before it is sent.',
    { page: elicitationPage, versions: since('2025-06-18'), on: 'any' },
  ),
  'elicitation.validated-server': should(
    'server',
    'An answer is checked against the schema when it came.',
    { page: elicitationPage, versions: since('2025-06-18') },
  ),
  'elicitation.refusals': must(
    'server',
    'Decline, cancel and a client that never comes back are dealt with.',
    { page: elicitationPage, versions: MODERN },
  ),
  'elicitation.complete-id': must(
    'server',
    'The notification of completion has the id of the input request.',
    { page: elicitationPage, versions: ['2025-11-25'] },
  ),
  'elicitation.complete-unknown': must('client', 'A completion with an unknown id is ignored.', {
    page: elicitationPage,
    versions: ['2025-11-25'],
  }),
  'elicitation.required-error': must(
    'server',
    '-32042 is sent only for url input requests, and lists them with their ids.',
    { page: elicitationPage, versions: ['2025-11-25'] },
  ),
  'elicitation.secrets': review(
    must(
      'server',
      'Secrets are asked for by URL, never by form, and a URL carries no user data and no access.',
      {
        page: `${elicitationPage}#security-considerations`,
        versions: since('2025-06-18'),
        on: 'any',
      },
    ),
    'Only the author of an input request knows what it asks for.',
  ),
  'elicitation.user': review(
    must(
      'server',
      'What was asked is bound to the verified user, who must be the one that opens the URL.',
      { page: `${elicitationPage}#security-considerations`, versions: urlVersions, on: 'any' },
    ),
    'The page behind the URL is not part of the library; requestState binds the principal, see mrtr.state-principal.',
  ),
} satisfies Chapter;

/** Multi round-trip requests. */
export const mrtr = {
  'mrtr.methods': must(
    'server',
    'Only tools/call, prompts/get and resources/read are answered with input_required.',
    { page: mrtrPage, versions: MODERN },
  ),
  'mrtr.content': must('server', 'input_required has inputRequests or requestState.', {
    page: mrtrPage,
    versions: MODERN,
  }),
  'mrtr.kinds': must('server', 'Input requests are elicitation, sampling or roots requests.', {
    page: mrtrPage,
    versions: MODERN,
  }),
  'mrtr.keys': must(
    'server',
    'Keys of input requests are unique in the request, over all rounds.',
    { page: mrtrPage, versions: MODERN, on: 'any' },
  ),
  'mrtr.undeclared': must('server', 'Only kinds and modes the request declares are asked for.', {
    page: mrtrPage,
    versions: MODERN,
  }),
  'mrtr.state-tampered': must('server', 'requestState that was changed is refused.', {
    page: mrtrPage,
    versions: MODERN,
  }),
  'mrtr.state-principal': should('server', 'requestState of another principal is refused.', {
    page: mrtrPage,
    versions: MODERN,
    on: 'any',
  }),
  'mrtr.state-expiry': should('server', 'requestState that has expired is refused.', {
    page: mrtrPage,
    versions: MODERN,
    on: 'any',
  }),
  'mrtr.state-request': should(
    'server',
    'requestState of another method or other parameters is refused.',
    { page: mrtrPage, versions: MODERN, on: 'any' },
  ),
  'mrtr.state-once': must('server', 'State that may count only once is accepted only once.', {
    page: mrtrPage,
    versions: MODERN,
    on: 'any',
  }),
  'mrtr.no-retry': must(
    'server',
    'Nothing waits for a retry: a client that never comes back leaves nothing running.',
    { page: mrtrPage, versions: MODERN },
  ),
  'mrtr.all-inputs': must('client', 'Every requested input is there before the retry is sent.', {
    page: mrtrPage,
    versions: MODERN,
  }),
  'mrtr.state-echoed': must(
    'client',
    'requestState goes back byte for byte, and is absent when none came.',
    { page: mrtrPage, versions: MODERN },
  ),
  'mrtr.new-id': must('client', 'The retry has a new id and the same parameters.', {
    page: mrtrPage,
    versions: MODERN,
  }),
  'mrtr.only-retry': must('client', 'Answers and state go with the retry of their request only.', {
    page: mrtrPage,
    versions: MODERN,
  }),
  'mrtr.missing-answers': should('server', 'Answers that are missing are asked for again.', {
    page: mrtrPage,
    versions: MODERN,
  }),
  'mrtr.extra-answers': should('server', 'Answers nobody asked for are ignored.', {
    page: mrtrPage,
    versions: MODERN,
  }),
  'mrtr.malformed-answers': should('server', 'Answers that are malformed lead to an error.', {
    page: mrtrPage,
    versions: MODERN,
  }),
} satisfies Chapter;

import { HTTP, MODERN, must, review, should, type Chapter } from './requirement.ts';

const page = 'basic/utilities/tasks';
const versions = ['2025-11-25'] as const;
const extensionPage = 'https://modelcontextprotocol.io/extensions/tasks/overview';
const on = 'any';

/** Tasks of the core of 2025-11-25. */
export const coreTasks = {
  'core-task.declared': must(
    'server',
    'tasks is declared with the kinds of request that can become tasks.',
    { page, versions, on },
  ),
  'core-task.undeclared': must(
    'server',
    'Without the capability the task member of a request is ignored.',
    { page, versions, on },
  ),
  'core-task.forbidden': must(
    'client',
    'A tool without taskSupport, or with forbidden, is not called as a task.',
    { page, versions, on },
  ),
  'core-task.required-client': must(
    'client',
    'A tool with taskSupport required is called as a task.',
    { page, versions, on },
  ),
  'core-task.required-server': must(
    'server',
    'A plain call of a tool that requires a task is refused with -32601.',
    { page, versions, on },
  ),
  'core-task.created': must(
    'server',
    'A call with task is answered with a task at once, in the state working.',
    { page, versions, on },
  ),
  'core-task.final': must('server', 'A task that is completed, failed or cancelled stays so.', {
    page,
    versions,
    on,
  }),
  'core-task.ids': must('server', 'Task ids are strings, unique and impossible to guess.', {
    page,
    versions,
    on,
  }),
  'core-task.times': must(
    'server',
    'Every task has createdAt and lastUpdatedAt in ISO 8601 and the actual ttl.',
    { page, versions, on },
  ),
  'core-task.result-waits': must('server', 'tasks/result waits for the end of the task.', {
    page,
    versions,
    on,
  }),
  'core-task.result-same': must(
    'server',
    'tasks/result gives what the call would have given, result or error.',
    { page, versions, on },
  ),
  'core-task.related': must(
    'server',
    'Requests, notifications and the tasks/result of a task have related-task in _meta.',
    { page, versions, on },
  ),
  'core-task.poll-interval': should('client', 'pollInterval is kept.', { page, versions, on }),
  'core-task.input-required': should('client', 'On input_required tasks/result is called.', {
    page,
    versions,
    on,
  }),
  'core-task.no-reliance': must(
    'client',
    'A task is followed to its end without status notifications.',
    { page, versions, on },
  ),
  'core-task.cancel-final': must(
    'server',
    'Cancelling a task that has ended is refused with -32602.',
    { page, versions, on },
  ),
  'core-task.cancel': must(
    'server',
    'A cancelled task is cancelled before the answer, and stays so.',
    { page, versions, on },
  ),
  'core-task.unknown': must('server', 'An unknown task id is refused with -32602.', {
    page,
    versions,
    on,
  }),
  'core-task.failed': must(
    'server',
    'A call that ends with isError or an error makes its task failed.',
    { page, versions, on },
  ),
  'core-task.principal': must('server', 'A task is only there for the principal that created it.', {
    page,
    versions,
    on,
  }),
  'core-task.no-list': should('server', 'Without principals tasks/list is not offered.', {
    page,
    versions,
    on,
  }),
  'core-task.progress': must(
    'server',
    'The progress token of the call stays valid until the task ends.',
    { page: 'basic/utilities/progress', versions, on },
  ),
} satisfies Chapter;

/** The extension io.modelcontextprotocol/tasks. */
export const taskExtension = {
  'task.undeclared': must(
    'server',
    'A request that does not declare the extension is never answered with a task.',
    { page: extensionPage, versions: MODERN, on },
  ),
  'task.needed': must(
    'server',
    'What cannot be served without a task is refused with -32021 that names the extension.',
    { page: extensionPage, versions: MODERN, on },
  ),
  'task.methods-undeclared': must(
    'server',
    'tasks/get, tasks/update and tasks/cancel without the extension are refused with -32021.',
    { page: extensionPage, versions: MODERN, on },
  ),
  'task.listen-undeclared': must(
    'server',
    'A listen request for tasks without the extension is refused with -32021.',
    { page: extensionPage, versions: MODERN, on },
  ),
  'task.either': must('client', 'A call may be answered with a result or with a task.', {
    page: extensionPage,
    versions: MODERN,
    on,
  }),
  'task.elsewhere': must(
    'client',
    'A task as the answer to anything but a tool call is an invalid response.',
    { page: extensionPage, versions: MODERN, on },
  ),
  'task.result-type': must(
    'server',
    'resultType is task on the created task, and complete on tasks/get, tasks/update and tasks/cancel.',
    { page: extensionPage, versions: MODERN, on },
  ),
  'task.created-first': must('server', 'A task can be found from the moment it is answered.', {
    page: extensionPage,
    versions: MODERN,
    on,
  }),
  'task.inline': must(
    'server',
    'tasks/get has the open input requests, the result or the error, by the state.',
    { page: extensionPage, versions: MODERN, on },
  ),
  'task.failed': must(
    'server',
    'Only an error makes a task failed; a result with isError is completed.',
    { page: extensionPage, versions: MODERN, on },
  ),
  'task.keys': must('server', 'Keys of input requests are unique for the life of a task.', {
    page: extensionPage,
    versions: MODERN,
    on,
  }),
  'task.partial-answers': should(
    'server',
    'Unknown and answered keys are ignored; partial answers leave the task in input_required.',
    { page: extensionPage, versions: MODERN, on },
  ),
  'task.acknowledged': must(
    'server',
    'tasks/update and tasks/cancel are acknowledged with an empty result.',
    { page: extensionPage, versions: MODERN, on },
  ),
  'task.unknown': must('server', 'tasks/get of an unknown id is refused with -32602.', {
    page: extensionPage,
    versions: MODERN,
    on,
  }),
  'task.poll-interval': should('client', 'pollIntervalMs is kept.', {
    page: extensionPage,
    versions: MODERN,
    on,
  }),
  'task.poll-to-end': should('client', 'A task is followed to its end.', {
    page: extensionPage,
    versions: MODERN,
    on,
  }),
  'task.asked-once': should('client', 'An input request is put to the handler once.', {
    page: extensionPage,
    versions: MODERN,
    on,
  }),
  'task.no-cancelled': must(
    'client',
    'A task is cancelled with tasks/cancel, not with notifications/cancelled.',
    { page: extensionPage, versions: MODERN, on },
  ),
  'task.name-header': must(
    'client',
    'tasks/get, tasks/update and tasks/cancel have the task id as Mcp-Name.',
    { page: extensionPage, versions: MODERN, on: HTTP },
  ),
  'task.no-progress': must(
    'server',
    'A listen stream carries no progress and no log messages of a task.',
    { page: extensionPage, versions: MODERN, on },
  ),
  'task.ids': must('server', 'Task ids cannot be guessed.', {
    page: extensionPage,
    versions: MODERN,
    on,
  }),
  'task.principal': must('server', 'Every request for a task is checked for its principal.', {
    page: extensionPage,
    versions: MODERN,
    on,
  }),
  'task.no-legacy-methods': must(
    'server',
    'tasks/result and tasks/list are -32601, and params.task is ignored.',
    { page: extensionPage, versions: MODERN, on },
  ),
  'task.trust': review(
    must('client', 'Input requests of a task are treated like direct ones.', {
      page: extensionPage,
      versions: MODERN,
      on,
    }),
    'They reach the same handlers; trust is the matter of the host.',
  ),
} satisfies Chapter;

/** The extension io.modelcontextprotocol/ui, its rules for servers. */
export const apps = {
  'apps.resource': review(
    must(
      'server',
      'A UI resource has a ui:// URI, the type text/html;profile=mcp-app and valid HTML, and tools point to it.',
      {
        page: 'https://modelcontextprotocol.io/extensions/apps/overview',
        versions: MODERN,
        on,
      },
    ),
    'The library has no apps; a server may publish them as plain resources and _meta.',
  ),
} satisfies Chapter;

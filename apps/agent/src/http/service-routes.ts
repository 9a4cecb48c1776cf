import type { HttpApp, RouteDependencies } from './http-server.ts';
import type { InboxItem as StoredItem } from '../ports/run-store.ts';
import { KeyHeaders, replyWith } from './idempotency.ts';
import { InboxItem, InboxList, InboxQuery, InboxResponse } from './inbox-schemas.ts';
import { PageQuery, ProblemDetails, RunParameters } from './schemas.ts';
import { ServerList, ToolList } from './server-schemas.ts';
import { pageByName } from './page-by-name.ts';
import {
  inboxItemView,
  listedItemView,
  pageOf,
  pageOptions,
  serverView,
  toolView,
} from './views.ts';

/** Inbox, servers and tools. */
export function serviceRoutes(app: HttpApp, dependencies: RouteDependencies): void {
  const { engine, read, once, registry } = dependencies;

  app.get(
    '/v1/inbox',
    {
      schema: {
        summary: 'List inbox items, oldest first',
        querystring: InboxQuery,
        response: { 200: InboxList, 400: ProblemDetails },
      },
    },
    async (request) => {
      const { run_id: runId, state } = request.query;
      const items = await read.inbox({
        ...pageOptions(request.query),
        ...(runId === undefined ? {} : { runId }),
        ...(state === undefined ? {} : { state }),
      });
      return pageOf(items, listedItemView);
    },
  );

  app.post(
    '/v1/inbox/:id/respond',
    {
      schema: {
        summary: 'Answer an inbox item',
        params: RunParameters,
        headers: KeyHeaders,
        body: InboxResponse,
        response: { 200: InboxItem, 400: ProblemDetails, 404: ProblemDetails, 409: ProblemDetails },
      },
    },
    async (request, reply) => {
      const served = await once(request, {
        make: (receipt) => engine.respond(request.params.id, request.body, receipt),
        answer: (item: StoredItem) => ({
          status: 200,
          body: inboxItemView(item),
          runId: item.runId,
        }),
      });
      return replyWith(reply, served);
    },
  );

  app.get(
    '/v1/servers',
    { schema: { summary: 'List the configured MCP servers', response: { 200: ServerList } } },
    async () => ({
      data: registry.servers().map(serverView),
    }),
  );

  app.get(
    '/v1/tools',
    {
      schema: {
        summary: 'List the tools of the ready servers, by name',
        querystring: PageQuery,
        response: { 200: ToolList, 400: ProblemDetails },
      },
    },
    async (request) => pageOf(pageByName(registry.tools(), request.query), toolView),
  );
}

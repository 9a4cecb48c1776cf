import type { InboxItem as StoredItem } from '../ports/store/inbox.ts';
import { described } from './described.ts';
import { KeyHeaders, replyWith } from './idempotency.ts';
import { InboxQuery, InboxResponse } from './inbox-schemas.ts';
import { InboxItem, InboxList } from './inbox-response-schemas.ts';
import { Problem } from './problem.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { IdParameters } from './schemas.ts';
import { ProblemDetails } from './response-schemas.ts';
import { inboxItemView, listedItemView, pageOf, pageOptions } from './views.ts';

/** Adds the endpoints that read and answer inbox items. */
export function inboxRoutes(app: HttpApp, { engine, read, once }: RouteDependencies): void {
  app.get(
    '/v1/inbox',
    {
      schema: {
        summary: 'List inbox items, oldest first',
        querystring: InboxQuery,
        response: described(() => ({ 200: InboxList, 400: ProblemDetails })),
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
        params: IdParameters,
        headers: KeyHeaders,
        body: InboxResponse,
        response: described(() => ({
          200: InboxItem,
          400: ProblemDetails,
          404: ProblemDetails,
          409: ProblemDetails,
        })),
      },
    },
    async (request, reply) => {
      const served = await once(request, {
        make: (onCommit) => engine.respond(request.params.id, request.body, onCommit),
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
    '/v1/inbox/:id',
    {
      schema: {
        summary: 'Get an inbox item',
        params: IdParameters,
        response: described(() => ({ 200: InboxItem, 404: ProblemDetails })),
      },
    },
    async (request) => {
      const item = await read.inboxItem(request.params.id);
      if (item === undefined)
        throw new Problem('inbox_item_not_found', `there is no inbox item ${request.params.id}`);
      return inboxItemView(item);
    },
  );
}

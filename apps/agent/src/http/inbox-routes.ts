import { z } from 'zod';
import type { RememberedApproval } from '../ports/run-store.ts';
import type { HttpApp, HttpDependencies } from './http-server.ts';
import { Problem } from './problem.ts';
import { InboxItem } from './inbox-schemas.ts';
import { ListQuery, ProblemDetails, RunParameters } from './schemas.ts';
import { inboxItemView, pageOf, pageOptions } from './views.ts';

const Approval = z
  .object({
    id: z.string(),
    run_id: z.string().describe('The run of the call with which it was given'),
    thread_id: z.string().optional().describe('Present where it counts for all runs of the thread'),
    inbox_item_id: z.string(),
    server: z.string(),
    tool: z.string(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Approval' });

const ApprovalList = z
  .object({ data: z.array(Approval), next_cursor: z.string().optional() })
  .meta({ id: 'ApprovalList' });
const ApprovalQuery = ListQuery.extend({ run_id: z.string().min(1).max(100).optional() });

/** Single inbox items, and the approvals that count for more than one call. */
export function inboxRoutes(app: HttpApp, { engine, read }: HttpDependencies): void {
  app.get(
    '/v1/inbox/:id',
    {
      schema: {
        summary: 'Get an inbox item',
        params: RunParameters,
        response: { 200: InboxItem, 404: ProblemDetails },
      },
    },
    async (request) => {
      const item = await read.inboxItem(request.params.id);
      if (item === undefined)
        throw new Problem('inbox_item_not_found', `there is no inbox item ${request.params.id}`);
      return inboxItemView(item);
    },
  );

  app.get(
    '/v1/approvals',
    {
      schema: {
        summary: 'List remembered approvals, oldest first',
        querystring: ApprovalQuery,
        response: { 200: ApprovalList, 400: ProblemDetails },
      },
    },
    async (request) => {
      const { run_id: runId } = request.query;
      return pageOf(
        await read.approvals({
          ...pageOptions(request.query),
          ...(runId === undefined ? {} : { runId }),
        }),
        approvalView,
      );
    },
  );

  app.delete(
    '/v1/approvals/:id',
    {
      schema: {
        summary: 'Forget a remembered approval',
        params: RunParameters,
        response: { 204: z.null(), 404: ProblemDetails },
      },
    },
    async (request, reply) => {
      await engine.forgetApproval(request.params.id);
      return reply.code(204).send(null);
    },
  );
}

function approvalView({
  id,
  runId,
  threadId,
  itemId,
  server,
  tool,
  createdAt,
}: RememberedApproval): z.output<typeof Approval> {
  return {
    id,
    run_id: runId,
    ...(threadId === undefined ? {} : { thread_id: threadId }),
    inbox_item_id: itemId,
    server,
    tool,
    created_at: new Date(createdAt).toISOString(),
  };
}

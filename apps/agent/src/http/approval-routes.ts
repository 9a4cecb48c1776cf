import * as z from 'zod';
import type { RememberedApproval } from '../ports/store/approval.ts';
import { ApprovalQuery } from './approval-schemas.ts';
import { type Approval, ApprovalList } from './approval-response-schemas.ts';
import { described } from './described.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { IdParameters } from './schemas.ts';
import { ProblemDetails } from './response-schemas.ts';
import { pageOf, pageOptions } from './views.ts';

/** Adds the endpoints that list and delete remembered approvals. */
export function approvalRoutes(app: HttpApp, { engine, read }: RouteDependencies): void {
  app.get(
    '/v1/approvals',
    {
      schema: {
        summary: 'List remembered approvals, oldest first',
        querystring: ApprovalQuery,
        response: described(() => ({ 200: ApprovalList, 400: ProblemDetails })),
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
        params: IdParameters,
        response: described(() => ({ 204: z.null(), 404: ProblemDetails })),
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

import type * as z from 'zod';
import { InvalidCursorError } from '../ports/store/errors.ts';
import type { StoredAuditEntry } from '../ports/store/audit.ts';
import { AuditQuery } from './audit-schemas.ts';
import { AuditPage, type AuditEntry } from './audit-response-schemas.ts';
import { described } from './described.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { ProblemDetails } from './response-schemas.ts';

/** Adds the endpoint that lists the audit log. */
export function auditRoutes(app: HttpApp, { read }: RouteDependencies): void {
  app.get(
    '/v1/audit',
    {
      schema: {
        summary:
          'List decisions about tool calls and their outcomes, and changes of webhooks and servers, oldest first',
        description:
          'Entries are append-only and are kept when their run is deleted. They contain no arguments or results.',
        querystring: AuditQuery,
        response: described(() => ({ 200: AuditPage, 400: ProblemDetails })),
      },
    },
    async (request) => {
      const { run_id: runId, cursor, limit } = request.query;
      const entries = await read.audit({
        after: positionOf(cursor),
        limit: limit + 1,
        ...(runId === undefined ? {} : { runId }),
      });
      const data = entries.slice(0, limit).map(auditEntryView);
      const last = data.at(-1);
      return {
        data,
        ...(entries.length > limit && last !== undefined ? { next_cursor: String(last.seq) } : {}),
      };
    },
  );
}

function positionOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,15}$/.test(cursor)) throw new InvalidCursorError();
  return Number(cursor);
}

function auditEntryView(entry: StoredAuditEntry): z.output<typeof AuditEntry> {
  const optional = {
    run_id: entry.runId,
    webhook_id: entry.webhookId,
    api_key: entry.apiKey,
    call_id: entry.callId,
    inbox_item_id: entry.itemId,
    server: entry.server,
    tool: entry.tool,
    arguments_sha256: entry.argumentsSha256,
    decision: entry.decision,
    outcome: entry.outcome,
  };
  return {
    seq: entry.seq,
    at: new Date(entry.at).toISOString(),
    who: entry.who,
    kind: entry.kind,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}

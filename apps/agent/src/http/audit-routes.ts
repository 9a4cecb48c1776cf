import { z } from 'zod';
import { InvalidCursorError, type StoredAuditEntry } from '../ports/run-store.ts';
import type { HttpApp, HttpDependencies } from './http-server.ts';
import { ProblemDetails } from './schemas.ts';

const AuditEntry = z
  .object({
    seq: z.int().describe('1, 2, 3… over all runs'),
    at: z.iso.datetime(),
    who: z
      .enum(['person', 'policy', 'remembered', 'expiry', 'service'])
      .describe('Who decided or ended it; remembered: an approval that a person gave before'),
    run_id: z.string(),
    call_id: z.string().optional(),
    inbox_item_id: z.string().optional(),
    kind: z.enum([
      'tool_call',
      'elicitation_form',
      'elicitation_url',
      'sampling_approval',
      'sampling_reply',
      'outcome_unknown',
    ]),
    server: z.string().optional(),
    tool: z.string().optional(),
    arguments_sha256: z
      .string()
      .optional()
      .describe('Of the canonical JSON (RFC 8785) of the arguments'),
    decision: z
      .string()
      .optional()
      .describe(
        'allowed, asked, approved, approved_with_changes, denied, expired, accepted, declined, dismissed, retry, mark_done, fail or forgotten',
      ),
    outcome: z.enum(['succeeded', 'failed', 'cancelled', 'unknown']).optional(),
  })
  .meta({ id: 'AuditEntry' });

const AuditPage = z
  .object({ data: z.array(AuditEntry), next_cursor: z.string().optional() })
  .meta({ id: 'AuditPage' });

const AuditQuery = z.strictObject({
  run_id: z.string().min(1).max(100).optional(),
  cursor: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});

/** Who decided what about which call, and what came of it. */
export function auditRoutes(app: HttpApp, { read }: HttpDependencies): void {
  app.get(
    '/v1/audit',
    {
      schema: {
        summary: 'List decisions about calls, and how the calls ended, oldest first',
        description:
          'Entries are only ever added, and stay when their run is deleted. They hold no arguments or results.',
        querystring: AuditQuery,
        response: { 200: AuditPage, 400: ProblemDetails },
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
    run_id: entry.runId,
    kind: entry.kind,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}

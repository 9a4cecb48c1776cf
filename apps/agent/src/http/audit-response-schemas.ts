import * as z from 'zod';

export const AuditEntry = z
  .object({
    seq: z.int().describe('1, 2, 3… over all runs'),
    at: z.iso.datetime(),
    who: z
      .enum(['person', 'policy', 'remembered', 'expiry', 'service'])
      .describe('The deciding party; remembered: an earlier approval by a person'),
    run_id: z.string().optional().describe('Absent for a change of a webhook or a server'),
    call_id: z.string().optional(),
    inbox_item_id: z.string().optional(),
    webhook_id: z.string().optional(),
    api_key: z
      .string()
      .optional()
      .describe('Name of the API key of the request; present for a change of a server'),
    kind: z.enum([
      'tool_call',
      'webhook',
      'server',
      'elicitation_form',
      'elicitation_url',
      'sampling_approval',
      'sampling_reply',
      'outcome_unknown',
      'server_login',
    ]),
    server: z.string().optional(),
    tool: z.string().optional(),
    arguments_sha256: z
      .string()
      .optional()
      .describe('Digest of the canonical JSON (RFC 8785) of the arguments'),
    decision: z
      .string()
      .optional()
      .describe(
        'allowed, asked, approved, approved_with_changes, denied, expired, accepted, declined, dismissed, retry, mark_done, fail or forgotten; for a webhook created, changed, secret_rotated, disabled or deleted; for a server added, changed, removed or, if it could not be stored, not_applied',
      ),
    outcome: z.enum(['succeeded', 'failed', 'cancelled', 'unknown']).optional(),
  })
  .meta({ id: 'AuditEntry' });

export const AuditPage = z
  .object({ data: z.array(AuditEntry), next_cursor: z.string().optional() })
  .meta({ id: 'AuditPage' });

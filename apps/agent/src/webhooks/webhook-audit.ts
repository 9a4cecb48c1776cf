import type { AuditEntry } from '../ports/store/audit.ts';

interface WebhookChange {
  /** Default: `person`. */
  readonly who?: 'person' | 'service';
  readonly decision: 'created' | 'changed' | 'secret_rotated' | 'disabled' | 'deleted';
}

/** Returns the audit entry of a change of a webhook. */
export function webhookAudit(
  webhookId: string,
  { who = 'person', decision }: WebhookChange,
): AuditEntry {
  return {
    who,
    kind: 'webhook',
    webhookId,
    decision,
    runId: undefined,
    callId: undefined,
    itemId: undefined,
    server: undefined,
    tool: undefined,
    argumentsSha256: undefined,
    outcome: undefined,
  };
}

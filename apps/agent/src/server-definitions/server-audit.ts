import type { AuditEntry } from '../ports/store/audit.ts';

/** Returns the audit entry of a change of a server. `not_applied`: the change before could not be stored. */
export function serverAudit(
  server: string,
  decision: 'added' | 'changed' | 'removed' | 'not_applied',
  apiKey: string,
): AuditEntry {
  return {
    who: decision === 'not_applied' ? 'service' : 'person',
    kind: 'server',
    server,
    apiKey,
    decision,
    runId: undefined,
    callId: undefined,
    itemId: undefined,
    tool: undefined,
    argumentsSha256: undefined,
    outcome: undefined,
  };
}

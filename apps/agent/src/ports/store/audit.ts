import type { InboxKind } from './inbox.ts';

/** A decision about an action with an effect, the end of the action, or a change of a webhook or a server. Entries are never changed and outlive the run. */
export interface AuditEntry {
  /**
   * Origin of the decision: a person through the API, the configured policy, a remembered approval,
   * an expired deadline, or the service itself.
   */
  readonly who: 'person' | 'policy' | 'remembered' | 'expiry' | 'service';
  /** Absent for a change of a webhook or a server. */
  readonly runId: string | undefined;
  readonly callId: string | undefined;
  readonly itemId: string | undefined;
  /** Present for a change of a webhook. */
  readonly webhookId?: string | undefined;
  /** Name of the API key of the request. Present for a change of a server. */
  readonly apiKey?: string | undefined;
  readonly kind: 'tool_call' | 'webhook' | 'server' | Exclude<InboxKind, 'tool_approval'>;
  readonly server: string | undefined;
  readonly tool: string | undefined;
  /** SHA-256 of the canonical JSON of the arguments, in hex. */
  readonly argumentsSha256: string | undefined;
  /** Stable snake_case code. Exactly one of `decision` and `outcome` is set. */
  readonly decision: string | undefined;
  readonly outcome: 'succeeded' | 'failed' | 'cancelled' | 'unknown' | undefined;
}

export interface StoredAuditEntry extends AuditEntry {
  /** Number over all runs, from 1. */
  readonly seq: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

export interface AuditReader {
  /**
   * Returns entries with `seq > after` in the order of their commits. A `seq` never appears after a
   * larger one was read, whichever processes write, so a reader that continues after the last entry
   * misses none.
   */
  audit(options: {
    readonly runId?: string;
    readonly after: number;
    readonly limit: number;
  }): Promise<readonly StoredAuditEntry[]>;
}

export interface AuditWriter {
  /**
   * Adds entries at the end of the transaction, numbered in the order of the commits. Reads of the
   * same transaction do not see them.
   */
  appendAudit(entries: readonly AuditEntry[]): Promise<void>;
}

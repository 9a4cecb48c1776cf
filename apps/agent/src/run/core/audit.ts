import type { AuditEntry } from '../../ports/store/audit.ts';
import { DamagedRowError } from '../../ports/store/errors.ts';
import type { StoreReader } from '../../ports/store.ts';
import { digestOf } from '../../json/digest.ts';
import type { RunEventBody, RunEventTypes } from './events.ts';

/**
 * Derives the audit entries of a transaction from its events. Every decision about a call and every
 * end of a call writes such an event.
 */
export async function auditOf(
  sql: StoreReader,
  runId: string,
  events: readonly RunEventBody[],
): Promise<readonly AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (const event of events) {
    const finding = findingOf(event);
    if (finding === undefined) continue;
    entries.push({ ...NOTHING, runId, ...(await aboutCall(sql, finding)), ...finding });
  }
  return entries;
}

const NOTHING = {
  callId: undefined,
  itemId: undefined,
  server: undefined,
  tool: undefined,
  argumentsSha256: undefined,
  decision: undefined,
  outcome: undefined,
};

type Finding = Pick<AuditEntry, 'who' | 'kind'> & Partial<AuditEntry>;

async function aboutCall(
  sql: StoreReader,
  { callId, server }: Finding,
): Promise<Partial<AuditEntry>> {
  if (callId === undefined || server !== undefined) return {};
  try {
    const call = await sql.callTarget(callId);
    return call === undefined
      ? {}
      : { server: call.server, tool: call.tool, argumentsSha256: digestOf(call.arguments) };
  } catch (error) {
    // The end of a call whose row is damaged must be storable.
    if (error instanceof DamagedRowError) return {};
    throw error;
  }
}

function findingOf({ type, data }: RunEventBody): Finding | undefined {
  switch (type) {
    case 'tool_call.planned':
      return plannedFinding(data);
    case 'tool_call.approval_required':
      return { who: 'service', kind: 'tool_call', callId: data.call_id, decision: 'asked' };
    case 'inbox.answered':
      return {
        who: 'person',
        kind: kindOf(data),
        callId: data.call_id,
        itemId: data.inbox_item_id,
        decision: answerOf(data),
      };
    case 'inbox.expired':
      return {
        who: 'expiry',
        kind: kindOf(data),
        callId: data.call_id,
        itemId: data.inbox_item_id,
        decision: 'expired',
      };
    case 'tool_call.completed':
      return { who: 'service', kind: 'tool_call', callId: data.call_id, outcome: 'succeeded' };
    case 'tool_call.failed':
      return { who: 'service', kind: 'tool_call', callId: data.call_id, outcome: 'failed' };
    case 'tool_call.cancelled':
      return {
        who: 'service',
        kind: 'tool_call',
        callId: data.call_id,
        outcome: data.outcome === 'unknown' ? 'unknown' : 'cancelled',
      };
    case 'tool_call.outcome_unknown':
      return { who: 'service', kind: 'tool_call', callId: data.call_id, outcome: 'unknown' };
    case 'usage.updated':
      return data.source === 'server'
        ? { who: 'service', kind: 'sampling_approval', callId: data.call_id, outcome: 'succeeded' }
        : undefined;
    default:
      return undefined;
  }
}

/** Audit entries of the decisions that a policy or an earlier approval makes. */
export const DECISIONS = {
  auto: { who: 'policy', decision: 'allowed' },
  remembered: { who: 'remembered', decision: 'allowed' },
  ask: { who: 'policy', decision: 'asked' },
  deny: { who: 'policy', decision: 'denied' },
} as const;

function plannedFinding({
  decision,
  call_id: callId,
  server,
  tool,
  arguments: args,
}: RunEventTypes['tool_call.planned']): Finding | undefined {
  return decision === undefined
    ? undefined
    : {
        kind: 'tool_call',
        callId,
        server,
        tool,
        argumentsSha256: digestOf(args),
        ...DECISIONS[decision],
      };
}

function kindOf({ kind }: Pick<RunEventTypes['inbox.expired'], 'kind'>): AuditEntry['kind'] {
  return kind === 'tool_approval' ? 'tool_call' : kind;
}

const ANSWERS: { readonly [action: string]: string } = {
  approve: 'approved',
  deny: 'denied',
  accept: 'accepted',
  decline: 'declined',
  cancel: 'dismissed',
};

function answerOf({ response }: RunEventTypes['inbox.answered']): string {
  const action = String(response['action']);
  const isEdited =
    action === 'approve' &&
    (response['arguments'] !== undefined || response['content'] !== undefined);
  return isEdited ? 'approved_with_changes' : (ANSWERS[action] ?? action);
}

import type { Run } from '../run-store.ts';

/** The row of a run that has just been stored; every field may be another. */
export function queuedRun(id: string, fields: Partial<Run> = {}): Run {
  return {
    id,
    kind: 'agent',
    status: 'queued',
    statusReason: undefined,
    prompt: 'do it',
    servers: undefined,
    provider: 'scripted',
    model: 'demo',
    scripted: true,
    limits: { turns: 1, toolCalls: 1, wallClockMs: 1, callInactivityMs: 1, callMaxMs: 1, inboxExpiryMs: 1 },
    threadId: undefined,
    threadPosition: undefined,
    agentId: undefined,
    instructions: undefined,
    metadata: {},
    forkedFrom: undefined,
    lastSeq: 0,
    turns: 0,
    toolCalls: 0,
    usage: undefined,
    answer: undefined,
    outputSchema: undefined,
    output: undefined,
    repairedTurn: undefined,
    error: undefined,
    modelOutage: undefined,
    waitedMs: 0,
    waitingSince: undefined,
    createdAt: 1,
    startedAt: undefined,
    finishedAt: undefined,
    ...fields,
  };
}

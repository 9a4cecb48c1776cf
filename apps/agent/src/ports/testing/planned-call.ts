import type { ToolCall } from '../store/tool-call.ts';

/** Returns the row of a planned call of run `r1`. */
export function plannedCall(id: string): ToolCall {
  return {
    id,
    runId: 'r1',
    turn: 1,
    position: 0,
    toolUseId: `use-${id}`,
    wireName: 'files__read',
    server: 'files',
    tool: 'read',
    arguments: { path: 'a' },
    modelArguments: undefined,
    state: 'planned',
    attempt: 0,
    owner: undefined,
    idempotencyKey: `key-${id}`,
    repeatable: false,
    result: undefined,
    error: undefined,
    cancel: undefined,
    cancelRequestedAt: undefined,
    failures: 0,
    parked: undefined,
    taskId: undefined,
    dueAt: undefined,
    createdAt: 1,
    sentAt: undefined,
    finishedAt: undefined,
  };
}

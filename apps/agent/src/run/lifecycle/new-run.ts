import type { Run, RunLimits } from '../../ports/store/run.ts';
import type { Uses } from '../core/engine-parts.ts';
import { DEFAULT_LIMITS } from '../limits/limits.ts';

/** Settings of a run before it begins. */
export type RunSettings = Pick<Run, 'prompt'> &
  Partial<
    Pick<
      Run,
      | 'kind'
      | 'servers'
      | 'model'
      | 'threadId'
      | 'agentId'
      | 'instructions'
      | 'metadata'
      | 'forkedFrom'
      | 'outputSchema'
    >
  > & { readonly limits?: Partial<RunLimits> };

/** Returns the row of a run that waits for its first step. */
export function newRun(
  { newId, llm, clock }: Uses<'llm' | 'clock' | 'newId'>,
  settings: RunSettings,
): Run {
  return {
    id: newId(),
    kind: settings.kind ?? 'agent',
    status: 'queued',
    statusReason: undefined,
    prompt: settings.prompt,
    servers: settings.servers,
    provider: llm.info.provider,
    model: settings.model ?? llm.info.model,
    scripted: llm.info.scripted,
    limits: { ...DEFAULT_LIMITS, ...settings.limits },
    threadId: settings.threadId,
    threadPosition: undefined,
    agentId: settings.agentId,
    instructions: settings.instructions,
    metadata: settings.metadata ?? {},
    forkedFrom: settings.forkedFrom,
    lastSeq: 0,
    turns: 0,
    toolCalls: 0,
    usage: undefined,
    answer: undefined,
    outputSchema: settings.outputSchema,
    output: undefined,
    repairedTurn: undefined,
    cutTurns: 0,
    error: undefined,
    modelOutage: undefined,
    waitedMs: 0,
    waitingSince: undefined,
    createdAt: clock.now(),
    startedAt: undefined,
    finishedAt: undefined,
  };
}

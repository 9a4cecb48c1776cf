import { ANONYMOUS } from '../../ports/api-key.ts';
import type { Run, RunLimits } from '../../ports/store/run.ts';
import type { ModelRef } from '../../ports/llm-providers.ts';
import { resolveModel } from '../core/run-model.ts';
import type { Uses } from '../core/engine-parts.ts';
import { DEFAULT_LIMITS } from '../limits/limits.ts';

/** Settings of a run before it begins. */
export type RunSettings = Pick<Run, 'prompt'> &
  Partial<
    Pick<
      Run,
      | 'kind'
      | 'servers'
      | 'threadId'
      | 'agentId'
      | 'agentVersion'
      | 'instructions'
      | 'metadata'
      | 'forkedFrom'
      | 'outputSchema'
      | 'modelSettings'
      | 'toolRules'
      | 'priority'
      | 'apiKey'
    >
  > & {
    readonly limits?: Partial<RunLimits>;
    /** Name of the model, with or without its provider. Default: the configured model. */
    readonly model?: string;
    /** Model of another run, which takes precedence over `model`. */
    readonly modelRef?: ModelRef;
  };

/**
 * Returns the row of a run that waits for its first step.
 * @throws EngineError `invalid_model`
 */
export function newRun(
  { newId, llm, clock }: Uses<'llm' | 'clock' | 'newId'>,
  settings: RunSettings,
): Run {
  const { provider, model } = settings.modelRef ?? resolveModel(llm, settings.model);
  return {
    id: newId(),
    kind: settings.kind ?? 'agent',
    status: 'queued',
    statusReason: undefined,
    priority: settings.priority ?? 'normal',
    apiKey: settings.apiKey ?? ANONYMOUS,
    prompt: settings.prompt,
    servers: settings.servers,
    provider,
    model,
    scripted: llm.get(provider)?.info.scripted ?? false,
    limits: { ...DEFAULT_LIMITS, ...settings.limits },
    modelSettings: settings.modelSettings,
    toolRules: settings.toolRules,
    threadId: settings.threadId,
    threadPosition: undefined,
    agentId: settings.agentId,
    agentVersion: settings.agentVersion,
    instructions: settings.instructions,
    metadata: settings.metadata ?? {},
    traceContext: undefined,
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
    retryAt: undefined,
    deadlineAt: undefined,
    waitedMs: 0,
    waitingSince: undefined,
    createdAt: clock.now(),
    startedAt: undefined,
    finishedAt: undefined,
  };
}

import type { LlmRequest } from '../ports/llm-provider.ts';
import type { ModelCard } from '../ports/model-card.ts';

/** Settings of a request that its model accepts. */
export interface AcceptedSettings {
  readonly settings: Pick<LlmRequest, 'temperature' | 'effort'>;
  /** Warnings, one for each setting that was left out. */
  readonly warnings: readonly string[];
}

/** Returns the settings that the model accepts. */
export function settingsFor(
  { temperature, effort }: LlmRequest,
  { id, takes }: ModelCard,
): AcceptedSettings {
  const takesTemperature = takes.temperature && (temperature ?? 0) <= takes.maxTemperature;
  const takesEffort = effort !== undefined && takes.efforts.includes(effort);
  return {
    settings: {
      ...(temperature !== undefined && takesTemperature ? { temperature } : {}),
      ...(takesEffort ? { effort } : {}),
    },
    warnings: [
      ...(temperature === undefined || takesTemperature
        ? []
        : [
            takes.temperature
              ? `The model ${id} takes a temperature of at most ${takes.maxTemperature}; it was left out.`
              : `The model ${id} takes no temperature; it was left out.`,
          ]),
      ...(effort === undefined || takesEffort
        ? []
        : [`The model ${id} does not take the effort "${effort}"; it was left out.`]),
    ],
  };
}

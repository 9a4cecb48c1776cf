import {
  temperature,
  maxTokens,
  effort,
  toolChoice,
  TEMPERATURE,
  MAX_TOKENS,
  EFFORT,
  TOOL_CHOICE,
} from './setting-schemas.ts';

/** Settings of model calls in responses. */
export const setSettings = {
  temperature: temperature.optional().describe(TEMPERATURE),
  max_tokens: maxTokens.optional().describe(MAX_TOKENS),
  effort: effort.optional().describe(EFFORT),
  tool_choice: toolChoice.optional().describe(TOOL_CHOICE),
};

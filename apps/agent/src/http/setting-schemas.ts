import * as z from 'zod';
import { EFFORTS, TOOL_CHOICES } from '../ports/model-settings.ts';

const temperature = z.number().min(0).max(2);
const maxTokens = z.int().min(1).max(10_000_000);
const effort = z.enum(EFFORTS);
const toolChoice = z.enum(TOOL_CHOICES);

const TEMPERATURE = 'Sampling temperature; default that of the model';
const MAX_TOKENS =
  'Output tokens of one message, including thinking; default the maximum of the model. The lower of max_tokens and limits.output_tokens applies';
const EFFORT = 'Reasoning effort; default that of the model';
const TOOL_CHOICE =
  'required: the first message of the run must call a tool; none: no message may call one; default auto';

/** Settings of model calls in requests. */
export const requestedSettings = {
  temperature: temperature
    .nullable()
    .optional()
    .describe(`${TEMPERATURE}; null instead of an inherited value`),
  max_tokens: maxTokens
    .nullable()
    .optional()
    .describe(`${MAX_TOKENS}; null instead of an inherited value`),
  effort: effort.nullable().optional().describe(`${EFFORT}; null instead of an inherited value`),
  tool_choice: toolChoice
    .nullable()
    .optional()
    .describe(`${TOOL_CHOICE}; null instead of an inherited value`),
};

/** Settings of model calls in responses. */
export const setSettings = {
  temperature: temperature.optional().describe(TEMPERATURE),
  max_tokens: maxTokens.optional().describe(MAX_TOKENS),
  effort: effort.optional().describe(EFFORT),
  tool_choice: toolChoice.optional().describe(TOOL_CHOICE),
};

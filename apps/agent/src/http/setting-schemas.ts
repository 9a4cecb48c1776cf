import * as z from 'zod';
import { EFFORTS, TOOL_CHOICES } from '../ports/model-settings.ts';

export const temperature = z.number().min(0).max(2);
export const maxTokens = z.int().min(1).max(10_000_000);
export const effort = z.enum(EFFORTS);
export const toolChoice = z.enum(TOOL_CHOICES);

export const TEMPERATURE = 'Sampling temperature; default that of the model';
export const MAX_TOKENS =
  'Output tokens of one message, including thinking; default the maximum of the model. The lower of max_tokens and limits.output_tokens applies';
export const EFFORT = 'Reasoning effort; default that of the model';
export const TOOL_CHOICE =
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

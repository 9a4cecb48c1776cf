import * as z from 'zod';
import { EFFORTS, TOOL_CHOICES } from '../ports/model-settings.ts';

const prices = {
  input: z.number(),
  output: z.number(),
  cache_read: z.number(),
  cache_write: z.number(),
};

export const Model = z
  .object({
    id: z.string().describe('provider/model: the name for runs and agents'),
    provider: z.string().describe('Name of the configured provider'),
    model: z.string().describe('Model id of the provider'),
    aliases: z.array(z.string()),
    is_default: z.boolean().describe('Whether runs without a model use this one'),
    tier: z.enum(['small', 'medium', 'large']).optional(),
    context_tokens: z.int().describe('Tokens of a conversation with its answer'),
    max_output_tokens: z.int().describe('Output tokens of one message, including thinking'),
    assumed: z
      .array(z.enum(['context_tokens', 'max_output_tokens']))
      .describe('Limits that are unknown and have a conservative default'),
    price: z
      .object({
        ...prices,
        above: z
          .object({ input_tokens: z.int(), ...prices })
          .optional()
          .describe('Prices of a whole call whose input is longer than input_tokens'),
      })
      .optional()
      .describe('US dollars per million tokens; absent when the price is not known'),
    reasons: z.boolean().describe('Whether the model thinks before it answers'),
    settings: z
      .object({
        max_temperature: z
          .number()
          .optional()
          .describe('Highest temperature; absent when the model takes no temperature'),
        efforts: z.array(z.enum(EFFORTS)).describe('Accepted efforts'),
        tool_choices: z.array(z.enum(TOOL_CHOICES)).describe('Accepted tool choices'),
      })
      .describe('Settings that runs and agents may set for the model'),
    takes: z
      .object({
        tools: z.boolean(),
        images: z.boolean(),
        audio: z.boolean(),
        pdf: z.boolean(),
        stop_sequences: z.boolean(),
      })
      .describe('Content and features that a request may use'),
    source: z
      .object({
        kind: z
          .enum(['catalogue', 'configuration', 'none'])
          .describe('none: the model is unknown, and its limits are assumed'),
        url: z.string().optional().describe('Publication of the vendor'),
        as_of: z.string().optional().describe('Date of the data, YYYY-MM-DD'),
      })
      .describe('Origin of the data; fields of the configuration override the catalogue'),
  })
  .meta({ id: 'Model' });

export const ModelList = z
  .object({ data: z.array(Model), next_cursor: z.string().optional() })
  .meta({ id: 'ModelList' });

import * as z from 'zod';
import { EFFORTS } from '../../ports/model-settings.ts';

const dollars = z.number().min(0);
const share = z.number().min(0).max(1);
const prices = { input: dollars, output: dollars, cache_read: dollars, cache_write: dollars };

/**
 * Entry of a model in the model table or the configuration. Missing fields have the provider's
 * defaults.
 */
export const cardSchema = z.strictObject({
  aliases: z.array(z.string().min(1)).optional(),
  tier: z.enum(['small', 'medium', 'large']).optional(),
  context_tokens: z.int().min(1).optional(),
  max_output_tokens: z.int().min(1).optional(),
  price: z
    .strictObject({
      ...prices,
      above: z.strictObject({ input_tokens: z.int().min(1), ...prices }).optional(),
    })
    .optional(),
  speed: share.optional(),
  intelligence: share.optional(),
  reasons: z.boolean().optional(),
  takes: z
    .strictObject({
      tools: z.boolean().optional(),
      images: z.boolean().optional(),
      audio: z.boolean().optional(),
      pdf: z.boolean().optional(),
      temperature: z.boolean().optional(),
      stop_sequences: z.boolean().optional(),
      prefill: z.boolean().optional(),
      required_tools: z.boolean().optional(),
      efforts: z.array(z.enum(EFFORTS)).optional(),
    })
    .optional(),
});

export type CardEntry = z.infer<typeof cardSchema>;

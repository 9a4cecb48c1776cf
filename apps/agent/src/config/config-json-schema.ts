import * as z from 'zod';
import { inputSchema } from './config-inputs.ts';
import { configSchema } from './config-schema.ts';

/** Returns the JSON Schema of `signalbox.json` for editors, stored as `signalbox.schema.json`. */
export function configJsonSchema(): object {
  const file = configSchema.extend({
    inputs: z
      .array(inputSchema)
      .optional()
      .describe('Values that servers need, used as ${input:id}'),
  });
  return {
    ...z.toJSONSchema(file, { io: 'input', target: 'draft-2020-12' }),
    title: 'signalbox.json',
  };
}

import * as z from 'zod';
import { json, Limits, Metadata, IdParameters } from './schemas.ts';

export const NewCall = z
  .strictObject({
    arguments: json
      .optional()
      .describe('Must conform to the input schema of the tool; default: no arguments'),
    limits: Limits.optional(),
    metadata: Metadata.optional(),
  })
  .meta({ id: 'NewCall', examples: [{ arguments: { path: 'README.md' } }] });

export const CancelCall = z.strictObject({}).meta({ id: 'CancelCall' });

export const CallParameters = IdParameters.extend({ call_id: z.string().min(1).max(100) });

export const ToolParameters = z.object({ name: z.string().min(1).max(100) });

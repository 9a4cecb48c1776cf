import * as z from 'zod';
import { PageQuery } from './schemas.ts';

export const ModelListQuery = PageQuery.extend({
  provider: z.string().min(1).max(64).optional().describe('Models of this provider only'),
});

export const ModelParameters = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(300)
    .describe('Name of a model as in a run; the slash of provider/model is encoded as %2F'),
});

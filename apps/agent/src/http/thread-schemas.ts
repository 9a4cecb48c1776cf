import * as z from 'zod';
import { ListQuery, Metadata, METADATA_FILTER, MetadataPatch } from './schemas.ts';

export const NewThread = z
  .strictObject({
    title: z.string().trim().min(1).max(500).optional(),
    metadata: Metadata.optional(),
  })
  .meta({ id: 'NewThread', examples: [{ title: 'Orders', metadata: { user: 'ada' } }] });

export const ThreadPatch = z
  .strictObject({
    title: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .nullable()
      .optional()
      .describe('null removes the title'),
    metadata: MetadataPatch.optional(),
  })
  .meta({ id: 'ThreadPatch' });

export const ThreadListQuery = ListQuery.extend({
  metadata: Metadata.optional().describe(METADATA_FILTER),
});

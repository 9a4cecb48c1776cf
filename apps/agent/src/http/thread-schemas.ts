import * as z from 'zod';
import { ListQuery, Metadata, METADATA_FILTER, MetadataPatch, time } from './schemas.ts';

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

export const Thread = z
  .object({
    id: z.string(),
    title: z.string().optional(),
    metadata: z.record(z.string(), z.string()),
    created_at: time,
    updated_at: time.describe('Time of the last change of the thread or added run'),
  })
  .meta({ id: 'Thread' });

export const ThreadList = z
  .object({ data: z.array(Thread), next_cursor: z.string().optional() })
  .meta({ id: 'ThreadList' });

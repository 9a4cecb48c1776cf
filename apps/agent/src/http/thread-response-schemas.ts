import * as z from 'zod';
import { time } from './response-schemas.ts';

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

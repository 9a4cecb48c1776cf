import { z } from 'zod';
import { json, time } from './schemas.ts';

export const RunEvent = z
  .object({
    run_id: z.string(),
    seq: z.int().describe('1, 2, 3… within the run; also the SSE id'),
    type: z.string(),
    version: z.int(),
    at: time,
    data: json,
  })
  .meta({ id: 'RunEvent' });

export const RunEventPage = z
  .object({ data: z.array(RunEvent), last_seq: z.int(), next_cursor: z.string().optional().describe('Pass as `after` for the next page') })
  .meta({ id: 'RunEventPage' });

export const EventsQuery = z.strictObject({
  after: z.coerce.number().int().min(0).optional().describe('Events with a greater seq; default 0, or the Last-Event-ID header'),
  limit: z.coerce.number().int().min(1).max(1000).default(200).describe('Of a JSON page'),
});

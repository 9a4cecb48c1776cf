import * as z from 'zod';
import { runTemplate } from './run-schemas.ts';
import { time } from './response-schemas.ts';
import { Limits } from './schemas.ts';

export const Schedule = z
  .object({
    id: z.string(),
    api_key: z
      .string()
      .describe('Name of the API key that created the schedule, to which its runs belong'),
    name: z.string().optional(),
    cron: z.string(),
    time_zone: z.string(),
    run: z
      .object({ ...runTemplate, limits: z.object(Limits.shape).optional() })
      .describe('The run to start, as it was given'),
    on_busy: z.enum(['skip', 'queue']),
    enabled: z.boolean(),
    next_at: time
      .optional()
      .describe('Next time; absent while the schedule is disabled, or if there is none'),
    last_run: z
      .object({
        scheduled_at: time.describe('Last time of the schedule that was decided about'),
        outcome: z
          .enum(['started', 'skipped', 'failed'])
          .describe(
            'skipped: the previous run was not settled, or `error` has the limit of the API key that refused the run; failed: `error` has the reason',
          ),
        run_id: z.string().optional().describe('The last run that was started'),
        error: z.string().optional(),
      })
      .optional(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Schedule' });

export const ScheduleList = z
  .object({ data: z.array(Schedule), next_cursor: z.string().optional() })
  .meta({ id: 'ScheduleList' });

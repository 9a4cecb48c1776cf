import * as z from 'zod';
import { namesAgent, runTemplate, VERSION_PROBLEM } from './run-schemas.ts';

const name = z.string().trim().min(1).max(200);
const cron = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe(
    'Five fields: minute, hour, day of month, month, weekday, such as `0 9 * * MON-FRI`; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`',
  );
const timeZone = z
  .string()
  .min(1)
  .max(100)
  .describe('IANA name such as Europe/Berlin; default UTC');
const onBusy = z
  .enum(['skip', 'queue'])
  .describe(
    'Action at a time at which the previous run of the schedule is not settled, or the API key of the schedule has used up runs_per_minute: skip (the time is left out) or queue (the run starts when the previous one is settled and the rate allows it; later times meanwhile are left out); default skip',
  );
const enabled = z.boolean().describe('Whether runs are started; default true');

/** Metadata entries that a scheduled run gets in addition. */
const ADDED_ENTRIES = 2;

const Template = z
  .strictObject(runTemplate)
  .refine(namesAgent, VERSION_PROBLEM)
  .refine(({ metadata = {} }) => Object.keys(metadata).length + ADDED_ENTRIES <= 16, {
    path: ['metadata'],
    message: 'must have at most 14 entries, because schedule_id and scheduled_at are added',
  })
  .describe(
    'The run to start, as in POST /v1/runs. Its metadata gets `schedule_id` and `scheduled_at`',
  );

export const NewSchedule = z
  .strictObject({
    name: name.optional(),
    cron,
    time_zone: timeZone.default('UTC'),
    run: Template,
    on_busy: onBusy.default('skip'),
    enabled: enabled.default(true),
  })
  .meta({
    id: 'NewSchedule',
    examples: [
      {
        cron: '0 9 * * MON-FRI',
        time_zone: 'Europe/Berlin',
        run: { prompt: 'Which orders are late?', servers: ['sqlite'] },
      },
    ],
  });

export const SchedulePatch = z
  .strictObject({
    name: name.nullable().optional().describe('null removes the name'),
    cron: cron.optional(),
    time_zone: timeZone.optional(),
    run: Template.optional(),
    on_busy: onBusy.optional(),
    enabled: enabled.optional(),
  })
  .meta({ id: 'SchedulePatch' });
